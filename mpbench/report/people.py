"""Authors and publishers of a crate, as a command's options name them."""

import hashlib
import re
from dataclasses import dataclass

from mpbench.errors import UserError

_AGENT = re.compile(
    r"\s*([^<>\x00-\x1f\x7f]{1,200}?)\s*(?:<([^<>\s\x00-\x1f]{1,300})>)?"
)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


@dataclass(frozen=True)
class Agent:
    """A person or an organization.

    address : a web address that identifies it, such as an ORCID; None without one
    """

    name: str
    address: str | None = None
    email: str | None = None

    @property
    def id(self) -> str:
        if self.address is not None:
            return self.address
        digest = hashlib.sha256(f"{self.name}\n{self.email}".encode()).hexdigest()
        return f"#{digest[:16]}"


def read(option: str, text: str) -> Agent:
    """`Ada Lovelace <https://orcid.org/...>`, with a mail address, or a name alone.

    option : its name, for the message. Raises UserError for another text.
    """
    match = _AGENT.fullmatch(text)
    name, about = match.groups() if match else ("", None)
    if name.strip():
        if about is None:
            return Agent(name)
        if about.startswith(("https://", "http://")):
            return Agent(name, address=about)
        if _EMAIL.fullmatch(about):
            return Agent(name, email=about)
    raise UserError(
        f"{option}: {text[:80]!r} is no name; give one such as"
        " 'Ada Lovelace <https://orcid.org/0000-0000-0000-0000>' or 'Ada Lovelace'"
    )
