"""The file of a publication's pages: what each shows, and why ours differs."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from mpbench.errors import UserError
from mpbench.report import loading
from mpbench.spec.document import Document, read
from mpbench.spec.problems import describe
from mpbench.spec.values import Part

if TYPE_CHECKING:
    from analysis.published.statements import Statement
    from analysis.report.publication_pages import Publication


class PageEntry(Part):
    title: str = Field(description="What it shows.")
    where: str = Field(description="Figure or table and page, as in `Fig. 3.3, p. 23`.")
    campaigns: tuple[str, ...] = Field(default=(), description="That it is drawn of.")
    link: str | None = Field(default=None, description="A page that there is already.")
    notes: str = Field(default="", description="Markdown, at the foot of the page.")

    @property
    def figure(self) -> str:
        return self.where.partition(",")[0].removeprefix("Fig. ")


class CauseEntry(Part):
    text: str = Field(description="Why ours differs.")
    rows: str | None = Field(
        default=None,
        description="The runs that test it: a campaign and conditions, as in a file"
        " of statements.",
    )
    against: str | None = Field(
        default=None, description="What the statement is set against there."
    )
    metric: str = Field(
        default="", description="Of which metric it is asked there, if of another one."
    )
    chance: bool = Field(
        default=False,
        description="Ask, too, how often points drawn again say what is published.",
    )


class PagesFile(Part):
    source: str = Field(description="The publication.")
    experiments: str = Field(
        description="Folder of the campaigns' experiment files, relative to this file."
    )
    statements: tuple[str, ...] = Field(
        min_length=1, description="Files of statements, relative to this one."
    )
    pages: dict[str, PageEntry] = Field(min_length=1, description="By file name.")
    causes: dict[str, CauseEntry] = Field(
        default={}, description="By the statement's id."
    )


class Pages:
    """A file of pages, with all that it names."""

    def __init__(self, path: Path) -> None:
        """Raises UserError, `file:line: what is wrong`, for a file that is not so."""
        from analysis.published import statements

        self.path = path
        document = read(path)
        try:
            self.file = PagesFile.model_validate(document.values)
        except ValidationError as error:
            raise UserError(describe(error, PagesFile, document)) from None
        found: list[Statement] = []
        for index, name in enumerate(self.file.statements):
            try:
                found += statements.read(path.parent / name)
            except FileNotFoundError:
                line = document.line(("statements", index))
                raise UserError(
                    f"{path}:{line}: statements: no file {name} beside {path.name}"
                ) from None
            except ValueError as error:
                raise UserError(str(error)) from None
        self.statements = tuple(found)
        self._check(document)

    def _check(self, document: Document) -> None:
        known = {each.id for each in self.statements}
        for name in self.file.causes:
            if name not in known:
                line = document.line(("causes", name))
                raise UserError(
                    f"{self.path}:{line}: causes: no statement has the id {name!r}"
                )

    @property
    def publication(self) -> "Publication":
        """What the file asks for, as the pages take it."""
        from analysis.published.publication import Cause, Sheet
        from analysis.published.selection import read as selected
        from analysis.report.publication_pages import Publication

        sheets = tuple(
            Sheet(
                name=name,
                title=page.title,
                where=page.where,
                figure=page.figure,
                campaigns=page.campaigns,
                link=page.link or "",
                notes=page.notes,
            )
            for name, page in self.file.pages.items()
        )
        causes = {
            name: Cause(
                text=cause.text,
                rows=selected(cause.rows) if cause.rows else None,
                against=selected(cause.against) if cause.against else None,
                metric=cause.metric,
                chance=cause.chance,
            )
            for name, cause in self.file.causes.items()
        }
        return Publication(
            source=self.file.source,
            file=loading.shown(self.path),
            sheets=sheets,
            statements=self.statements,
            causes=causes,
        )

    def experiment(self, name: str) -> Path | None:
        """The experiment file of a campaign; in the folder, or in a folder there."""
        folder = self.path.parent / self.file.experiments
        for place in (folder, *sorted(folder.glob("*/"))):
            if (place / f"{name}.yaml").is_file():
                return place / f"{name}.yaml"
        return None
