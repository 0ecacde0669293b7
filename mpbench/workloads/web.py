"""The web server that downloads come from: nginx, with one file of the asked size."""

from collections.abc import Mapping
from typing import Any

from mpbench.workloads.processes import Process, over

HOME = "/run"
"""A tmpfs of the run's own, in a guest as natively."""
FILE = "file"
"""The same name for every size, so that all requests are as long."""
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
"""One process, which ends on SIGTERM; a connection is kept as long as the client
likes, so that keep-alive is the client's choice."""


def server(
    index: int, traffic: Mapping[str, Any], transport: Mapping[str, Any]
) -> Process:
    """nginx on the entry's port, serving one file."""
    name = f"traffic-{index}-server"
    folder, port = f"{HOME}/{name}", traffic["port"]
    configuration = f"{folder}/nginx.conf"
    return Process(
        name=name,
        host=traffic["to"],
        argv=over(transport, ["nginx", "-e", "stderr", "-c", configuration]),
        role="server",
        output=f"{name}.log",
        listens=port,
        lasting=True,
        files=(
            (configuration, CONFIGURATION.format(folder=folder, port=port)),
            (f"{folder}/www/{FILE}", traffic["bytes"]),
        ),
    )


def url(traffic: Mapping[str, Any], address: str) -> str:
    return f"http://{address}:{traffic['port']}/{FILE}"
