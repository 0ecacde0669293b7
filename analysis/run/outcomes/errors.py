"""Error numbers in the words of programs.

Programs print the text of strerror(3), or the number's name.
"""

import re

TEXTS = {
    "EPIPE": "Broken pipe",
    "EADDRINUSE": "Address already in use",
    "EADDRNOTAVAIL": "Cannot assign requested address",
    "ENETDOWN": "Network is down",
    "ENETUNREACH": "Network is unreachable",
    "ECONNABORTED": "Software caused connection abort",
    "ECONNRESET": "Connection reset by peer",
    "ENOTCONN": "Transport endpoint is not connected",
    "ETIMEDOUT": "Connection timed out",
    "ECONNREFUSED": "Connection refused",
    "EHOSTUNREACH": "No route to host",
    "EPROTONOSUPPORT": "Protocol not supported",
    "ENOPROTOOPT": "Protocol not available",
}
"""The texts of glibc."""
_NAME = re.compile(r"\bE[A-Z]{3,}\b")


def named(words: str) -> str:
    """The name of the error number that is in a program's words; "" for none."""
    lower = words.lower()
    for name, text in TEXTS.items():
        if text.lower() in lower:
            return name
    return next((name for name in _NAME.findall(words) if name in TEXTS), "")
