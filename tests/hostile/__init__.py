"""Files and folders that a stranger made to do harm."""
