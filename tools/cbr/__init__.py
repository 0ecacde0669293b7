"""A constant bit rate: datagrams, or messages over a connection."""
