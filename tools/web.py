"""The web server of downloads and requests: nginx, which serves one file."""

from jobs import Entry, Transport
from tools.processes import Process, over

HOME = "/run"
"""A tmpfs that belongs to the run, in a guest and natively."""
FILE = "file"
"""The file's name is the same for every size, so that all requests have the same
length."""
CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{
}}
http {{
    access_log off;
    default_type application/octet-stream;
    sendfile on;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen {port};
        root {folder}/www;
    }}
}}
"""
"""nginx runs as one process, which ends on SIGTERM. It keeps a connection for as many
requests as the client sends, so that the client decides on keep-alive."""


def server(index: int, entry: Entry, transport: Transport) -> Process:
    """nginx on the port of a traffic entry, serving a file of the entry's size."""
    name = f"traffic-{index}-server"
    folder, port = f"{HOME}/{name}", entry.port
    configuration = f"{folder}/nginx.conf"
    return Process(
        name=name,
        host=entry.destination,
        argv=over(transport, ["nginx", "-e", "stderr", "-c", configuration]),
        role="server",
        output=f"{name}.log",
        listens=port,
        lasting=True,
        files=(
            (configuration, CONFIGURATION.format(folder=folder, port=port)),
            (f"{folder}/www/{FILE}", entry.bytes or 0),
        ),
    )


def url(entry: Entry, address: str) -> str:
    """The URL of the file that the server of a traffic entry serves."""
    return f"http://{address}:{entry.port}/{FILE}"
