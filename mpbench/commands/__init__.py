"""The sub-commands, one per file."""
