"""Files that traffic entries name, replaced by what they say."""

from pathlib import Path

from mpbench.spec import cdf_files, har_files
from mpbench.spec.document import Document


def in_place(document: Document, folder: Path | None) -> Document:
    """The document with the points of distributions and the objects of pages.

    folder : the folder that the names are relative to; None for the file of a results
        folder, which names no files

    Raises UserError, one line, for a file that cannot be read or is not what it
    should be.
    """
    return har_files.in_place(cdf_files.in_place(document, folder), folder)
