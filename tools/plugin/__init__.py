"""Tools of users, each a file beside an experiment."""
