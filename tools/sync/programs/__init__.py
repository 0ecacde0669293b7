"""The program of both ends, a file by itself."""
