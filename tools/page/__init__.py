"""The load of a page: many objects that wait for one another, over HTTP/1.1."""
