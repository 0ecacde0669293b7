"""sync: many files of stated sizes over several connections."""
