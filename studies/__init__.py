"""The reproduction of the papers: its campaigns, causes, kept rows and notes.

Nothing that is tested or measured imports this package.
"""
