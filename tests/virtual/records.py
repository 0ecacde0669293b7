"""Jobs of tests in guests, which may have keys of their own beside those of a job."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from jobs import Job, load


def record(document: Mapping[str, Any]) -> Job:
    """The job in a document, without the test's own keys."""
    known = {field.name for field in fields(Job)}
    return load({key: document[key] for key in document if key in known})
