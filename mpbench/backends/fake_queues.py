"""What waits in the queues of a fake run: the same at all times."""

from mpbench.backends.base import Job
from topologies import wire_job
from topologies.shaping import FRAME_BYTES, from_json

SAMPLES, WAITS = "queue-samples.csv", "queue-waits.csv"
PACKETS = 5


def files(job: Job, end_s: float) -> dict[str, bytes]:
    """The file with the record of queues; none if the job has none.

    end_s : when the last traffic ends
    """
    asked = job.get("queues")
    if not asked:
        return {}
    shapes = from_json(job["links"])
    places = [
        place
        for link in wire_job(job).links
        if shapes[link.link].capacity_mbps is not None
        for place in (link.forward, link.backward)
    ]
    held = PACKETS * FRAME_BYTES
    name, rows = WAITS, [(end_s, held * end_s)]
    if every_s := asked.get("every_s"):
        name = SAMPLES
        rows = [(every_s * (n + 0.5), held) for n in range(int(end_s / every_s))]
    else:
        early = [(at_s, held * at_s) for at_s in asked["at_s"] if at_s < end_s]
        rows = [*early, *rows]
    lines = [",".join(("time_s", *(":".join(place) for place in places)))]
    for time_s, value in rows:
        lines.append(",".join((f"{time_s:.6f}", *[str(value)] * len(places))))
    return {name: "".join(f"{line}\n" for line in lines).encode()}
