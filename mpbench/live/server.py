"""The server of the live page: for this machine, for who has the address, to read.

It listens on the loopback address alone. Every address holds a random token, so other
users of the machine and other pages in the browser cannot guess it. A request whose
Host is a foreign name is refused: a foreign page could otherwise give its own name the
address 127.0.0.1 and read the answers (DNS rebinding).
"""

import hmac
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mpbench.errors import UserError

LOOPBACK = "127.0.0.1"
NAMES = ("127.0.0.1", "localhost")
"""Names of the server for a browser on this machine, or behind a tunnel of SSH."""
PATIENCE_S = 10.0
"""Time for which a connection may be silent."""
HTML = "text/html; charset=utf-8"
KINDS = {
    ".html": HTML,
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".csv": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
}
"""The files that are served, by suffix; no others are."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}
INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of pictures and tables when they are opened by themselves."""


@dataclass(frozen=True)
class Answer:
    """policy : the Content-Security-Policy, "" if the page has its own
    sent : called after the answer is written to the reader; None for nothing to do
    """

    kind: str
    body: bytes
    policy: str = INERT
    sent: Callable[[], None] | None = None


Find = Callable[[str], Answer | None]
"""From the path below the token to what is there."""


def file_answer(path: Path) -> Answer | None:
    """A file of a kind that is served; None if it is gone or of another kind."""
    kind = KINDS.get(path.suffix)
    if kind is None or path.is_symlink() or not path.is_file():
        return None
    try:
        return Answer(kind, path.read_bytes(), "" if kind == HTML else INERT)
    except OSError:
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, token: str, find: Find) -> None:
        self.token, self.find = token, find
        super().__init__((LOOPBACK, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A reader that went away is no fault."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "mpbench", ""
    timeout = PATIENCE_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, *arguments: object) -> None:
        """Say nothing: the terminal is the campaign's."""

    def _answer(self, with_body: bool) -> None:
        status, answer = self._found()
        self.send_response(status)
        headers: Mapping[str, str] = {
            **HEADERS,
            "Content-Type": answer.kind,
            "Content-Length": str(len(answer.body)),
            **({"Content-Security-Policy": answer.policy} if answer.policy else {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)
            if answer.sent:
                answer.sent()

    def _found(self) -> tuple[HTTPStatus, Answer]:
        hosts = self.headers.get_all("Host") or []
        name = hosts[0].rpartition(":")[0] or hosts[0] if len(hosts) == 1 else ""
        if name not in NAMES:
            return _refusal(f"this page is for {' and '.join(NAMES)} only")
        _, _, rest = self.path.partition("/")
        token, slash, path = rest.partition("/")
        wanted = self.server.token.encode()
        if not slash or not hmac.compare_digest(token.encode("utf-8"), wanted):
            return _refusal("the address lacks its token; take it from the terminal")
        try:
            answer = self.server.find(unquote(urlsplit(f"//x/{path}").path[1:]))
        except ValueError:
            answer = None
        if answer is None:
            return HTTPStatus.NOT_FOUND, Answer("text/plain", b"not here\n")
        return HTTPStatus.OK, answer


def _refusal(why: str) -> tuple[HTTPStatus, Answer]:
    return HTTPStatus.FORBIDDEN, Answer("text/plain", f"refused: {why}\n".encode())


class LiveServer:
    """A server that answers in threads of its own.

    address : the page's, with its token
    port : where it listens
    """

    def __init__(self, port: int | None, find: Find) -> None:
        """Begin to answer. port : None for any that is free

        Raises UserError if the port cannot be had.
        """
        token = secrets.token_urlsafe(18)
        try:
            self._server = _Server(port or 0, token, find)
        except OSError as error:
            raise UserError(
                f"--port {port}: {error.strerror}; leave --port out for a free one"
            ) from error
        self.port: int = self._server.server_address[1]
        self.address = f"http://{LOOPBACK}:{self.port}/{token}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def check_host(host: str, port: int | None) -> None:
    """Raises UserError unless `host` is this machine's loopback address."""
    if host in NAMES:
        return
    number = port or 8000
    there = f"http://{LOOPBACK}:{number}/"
    raise UserError(
        f"--host {host[:100]}: the page is for this machine alone ({LOOPBACK}); to read"
        f" it elsewhere, give --port {number} here, run `ssh -L"
        f" {number}:{LOOPBACK}:{number} {socket.gethostname()}` there, and open the"
        f" address that this command prints ({there}...)"
    )
