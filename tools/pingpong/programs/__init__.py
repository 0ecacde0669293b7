"""Programs that run in guests as files of their own, with the standard library."""
