"""Mutation testing: are the files that decide what counts held by tests?"""
