"""A git repository over https, with a certificate of an authority of the test's own."""

import contextlib
import http.server
import os
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

BACKEND = "/usr/lib/git-core/git-http-backend"


def make_certificates(folder: Path) -> Path:
    """Write ca.pem, server.pem and server.key for localhost; returns the first."""
    new = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-batch"]
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    for words in (
        [*new, "-x509", "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem"],
        [*new, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "request"],
        [
            *("openssl", "x509", "-req", "-in", "request", "-CA", "ca.pem"),
            *("-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"),
            *("-out", "server.pem"),
        ],
    ):
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "ca.pem"


@contextlib.contextmanager
def served(root: Path, certificates: Path | None) -> Iterator[int]:
    """Serve the repositories below `root` on localhost; yields the port.

    certificates : the folder of `make_certificates`; None for http

    A path that begins with `/to:ADDRESS:/` is redirected, and `/locked/` asks for a
    password.
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            _answer(self, root)

        def do_POST(self) -> None:
            _answer(self, root)

        def finish(self) -> None:
            super().finish()
            if isinstance(self.connection, ssl.SSLSocket):
                with contextlib.suppress(OSError):
                    self.connection.unwrap()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificates is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(
            certificates / "server.pem", certificates / "server.key"
        )
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(request: http.server.BaseHTTPRequestHandler, root: Path) -> None:
    asked = urlsplit(request.path)
    if asked.path.startswith("/to:"):
        target, _, rest = request.path.removeprefix("/to:").partition(":/")
        place = f"{target.replace('!', ':').replace('|', '/')}/{rest}"
        request.send_response(302)
        request.send_header("Location", place)
        request.end_headers()
        return
    if asked.path.startswith("/locked/"):
        request.send_response(401)
        request.send_header("WWW-Authenticate", 'Basic realm="test"')
        request.end_headers()
        return
    if asked.path.startswith("/silent/"):
        time.sleep(30)
        return
    body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
    done = subprocess.run(
        [BACKEND],
        input=body,
        capture_output=True,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": asked.path,
            "QUERY_STRING": asked.query,
            "REQUEST_METHOD": request.command,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        },
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(
        line.decode().split(": ", 1) for line in head.split(b"\r\n") if b": " in line
    )
    request.send_response(int(fields.pop("Status", "200").split()[0]))
    for name, value in fields.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)
