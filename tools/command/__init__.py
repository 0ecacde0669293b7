"""Any program of the user's choice, and the numbers that it prints."""
