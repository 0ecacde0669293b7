"""Places where a run happens: virtual, native or fake."""
