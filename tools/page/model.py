"""Pages that experiment files name by a word.

The bytes of each type, and the numbers of scripts and images, are those of the median
home page for desktops in HTTP Archive's Web Almanac 2024, chapter "Page Weight": 18 kB
of HTML, 78 kB of stylesheets, 24 scripts with 613 kB, 131 kB of fonts, and 18 images
with 1,054 kB. The source gives no distribution within a page. So this is our choice:
one document, 8 stylesheets and 5 fonts; the sizes of a type are in the proportion
1, 1/2, 1/3 and so on; stylesheets, scripts and images wait for the document, fonts for
all stylesheets, and the last 6 images for all scripts.
"""

from typing import Any

TYPES = (
    ("document", 1, 18_000),
    ("style", 8, 78_000),
    ("script", 24, 613_000),
    ("font", 5, 131_000),
    ("image", 18, 1_054_000),
)
LATE_IMAGES = 6


def median() -> list[dict[str, Any]]:
    """The objects of the median page, as an experiment file would list them."""
    objects: list[dict[str, Any]] = []
    for kind, count, total in TYPES:
        for number, size in enumerate(shares(count, total), start=1):
            late = kind == "image" and number > count - LATE_IMAGES
            kinds = {"font": ("style",), "image": ("script",) if late else ()}
            before = [
                one["name"]
                for one in objects
                if one["name"].partition("-")[0] in kinds.get(kind, ())
            ]
            one = {"name": f"{kind}-{number}", "size": f"{size} B"}
            objects.append({**one, "after": before} if before else one)
    return objects


def shares(count: int, total: int) -> list[int]:
    """Whole sizes in the proportion 1, 1/2, ... 1/count with the sum `total`."""
    whole = sum(1 / number for number in range(1, count + 1))
    sizes = [round(total / number / whole) for number in range(1, count + 1)]
    return [sizes[0] + total - sum(sizes), *sizes[1:]]


PAGES = {"median": median}
