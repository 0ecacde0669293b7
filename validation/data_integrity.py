"""Every controller under every scheduler: what arrives is what was sent.

    python -m validation.data_integrity [--seeds 1] [--jobs 2] [--only TEXT] [--verbose]

Each transfer goes over three paths with 1 % loss and reordering, with checksums, and
with a fault on the way: two paths go dark, or subflows are closed. The receiver
compares all bytes, and the connection must end. Prints a line per guest and a line
per failure. The exit status is 1 if a transfer failed.
"""

import argparse
import itertools
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.virtual import transfers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from 1")
    parser.add_argument("--jobs", type=int, default=2, help="guests at a time")
    parser.add_argument("--only", default="", help="transfers whose name has this text")
    parser.add_argument("--verbose", action="store_true", help="a line per transfer")
    options = parser.parse_args()
    wanted = [item for item in transfers.matrix() if options.only in item["name"]]
    batches = [
        (controller, seed, list(group))
        for seed in range(1, options.seeds + 1)
        for controller, group in itertools.groupby(wanted, lambda t: t["controller"])
    ]
    failed = 0
    cpu_s = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="integrity-") as scratch,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        guests = [
            pool.submit(
                transfers.run,
                Path(scratch) / str(number),
                batch,
                seed,
                number % options.jobs,
            )
            for number, (_, seed, batch) in enumerate(batches)
        ]
        for (controller, seed, batch), guest in zip(batches, guests, strict=True):
            seen = guest.result()
            lines = transfers.failures(seen)
            failed += len(lines)
            cpu_s += seen["cpu_s"]
            print(
                f"{controller}, seed {seed}: {len(batch)} transfers, "
                f"{len(lines)} failures, {seen['cpu_s']:.1f} s of CPU",
                flush=True,
            )
            for line in lines:
                print(f"  {line}", flush=True)
            for record in seen["transfers"] if options.verbose else ():
                counts = {name: n for name, n in record["counters"].items() if n}
                print(f"  {record['name']}: {record['seconds']} s, {counts}")
    total = len(wanted) * options.seeds
    print(f"{total} transfers, {failed} failures, {cpu_s:.0f} s of CPU")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
