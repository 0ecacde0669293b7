"""One download over HTTP, by curl."""
