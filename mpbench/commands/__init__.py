"""The sub-commands, one a file."""
