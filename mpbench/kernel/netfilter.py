"""Build the kernel in which files with middleboxes run: `python -m` this module."""

from jobs.linux import Linux
from jobs.middleboxes import KERNEL_OPTIONS
from mpbench.kernel import find, variants


def main() -> None:
    """Build the kernel, unless the cache has it, and print its path."""
    print(variants.find(find(), Linux(options=KERNEL_OPTIONS), may_compile=True).path)


if __name__ == "__main__":
    main()
