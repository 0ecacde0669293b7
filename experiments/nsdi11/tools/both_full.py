"""Data both ways, where the client reads nothing before it has sent everything.

The server sends and reads at once. `waiting` is what the client's buffer holds when the
client begins to read, `finished` is when it has all, and `stopped` is the longest time
in which it could send nothing.
"""

import json

KEYS = {"size": "bytes"}
NUMBERS = {"finished": "s", "waiting": "bytes", "stopped": "s"}
GOOD = {"finished": "less", "waiting": "none", "stopped": "less"}

SERVER = """
import socket, sys, threading
server = socket.create_server(("", int(sys.argv[1])))
peer, _ = server.accept()
sender = threading.Thread(target=peer.sendall, args=(bytes(int(sys.argv[2])),))
sender.start()
left = int(sys.argv[2])
while left and (data := peer.recv(65536)):
    left -= len(data)
sender.join()
peer.shutdown(socket.SHUT_WR)
peer.recv(1)
"""

CLIENT = """
import array, fcntl, json, socket, sys, termios, time
address, source = sys.argv[1:3]
port, size = map(int, sys.argv[3:])
with socket.create_connection((address, port), source_address=(source, 0)) as peer:
    time.sleep(2)
    began = last = time.monotonic()
    left, stopped = size, 0
    while left:
        left -= peer.send(bytes(min(left, 65536)))
        now = time.monotonic()
        stopped, last = max(stopped, now - last), now
    waiting = array.array("i", [0])
    fcntl.ioctl(peer, termios.FIONREAD, waiting)
    left = size
    while left:
        left -= len(peer.recv(min(left, 65536)))
    finished = time.monotonic() - began
print(json.dumps({"finished": finished, "waiting": waiting[0], "stopped": stopped}))
"""


def processes(entry, address):
    port, folder, size = entry["port"], entry["folder"], int(entry["size"])
    return [
        {
            "role": "server",
            "argv": ["python3", f"{folder}/server.py", port, size],
            "files": {"server.py": SERVER},
        },
        {
            "role": "client",
            "argv": [
                "python3",
                f"{folder}/client.py",
                entry["address"],
                entry["source"],
                port,
                size,
            ],
            "files": {"client.py": CLIENT},
        },
    ]


def read(folder, entry):
    return json.loads((folder / f"traffic-{entry['index']}-client.txt").read_text())
