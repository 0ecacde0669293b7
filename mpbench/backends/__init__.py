"""Where a run happens: virtual, native or fake."""
