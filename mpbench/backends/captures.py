"""What a guest captured, as files that Wireshark opens."""

from pathlib import Path

from mpbench.errors import UserError
from mpbench.guest.capture import SUFFIX


def unroll(artefacts: Path) -> None:
    """Make the rings that a guest wrote captures (pcap), whole or not.

    Raises UserError where the compiled core of the analysis is missing.
    """
    rings = sorted(artefacts.glob(f"*{SUFFIX}"))
    if not rings:
        return
    from analysis.capture.library import MissingCoreError
    from analysis.capture.rings import convert

    for ring in rings:
        try:
            convert(ring)
        except MissingCoreError as error:
            raise UserError(str(error)) from error
        except ValueError:
            # Of a guest that was killed: what could be read is there.
            ring.unlink()
