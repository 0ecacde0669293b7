"""Bytes that wait in the queues of a fake run: the same at all times."""

from jobs import Job
from topologies.queues import FRAME_BYTES

SAMPLES, WAITS = "queue-samples.csv", "queue-waits.csv"
PACKETS = 5


def files(job: Job, end_s: float) -> dict[str, bytes]:
    """The file with the record of queues; none if the job has none.

    end_s : when the last traffic ends
    """
    asked = job.queues
    if not asked:
        return {}
    places = [
        place
        for link in job.wiring.links
        if job.shapes[link.link].capacity_mbps is not None
        for place in (link.forward, link.backward)
    ]
    held = PACKETS * FRAME_BYTES
    name, rows = WAITS, [(end_s, held * end_s)]
    if every_s := asked.every_s:
        name = SAMPLES
        rows = [(every_s * (n + 0.5), held) for n in range(int(end_s / every_s))]
    else:
        early = [(at_s, held * at_s) for at_s in asked.at_s or () if at_s < end_s]
        rows = [*early, *rows]
    lines = [",".join(("time_s", *(":".join(place) for place in places)))]
    for time_s, value in rows:
        lines.append(",".join((f"{time_s:.6f}", *[str(value)] * len(places))))
    return {name: "".join(f"{line}\n" for line in lines).encode()}
