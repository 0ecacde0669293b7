"""The program of a proxy, a file by itself."""
