"""The file of a publication's pages: what each shows, and in which configurations."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from mpbench.errors import UserError
from mpbench.report import loading
from mpbench.spec.document import Document, read
from mpbench.spec.problems import describe
from mpbench.spec.values import Part

if TYPE_CHECKING:
    from analysis.published.cells import Cell
    from analysis.published.statements import Statement
    from analysis.report.publication import Publication


class PageEntry(Part):
    title: str = Field(description="What the page shows.")
    where: str = Field(description="Figure or table and page, as in `Fig. 3.3, p. 23`.")
    campaigns: tuple[str, ...] = Field(
        default=(), description="The campaigns that its figures are drawn from."
    )
    link: str | None = Field(default=None, description="An existing page to link to.")
    cells: str | None = Field(
        default=None,
        description="A file of cells, relative to this file, that are compared with"
        " the page's first campaign.",
    )
    deviations: str | None = Field(
        default=None,
        description="A file of deviations over designs, relative to this file. `mpbench"
        " deviations` compares them; until its page is there, as NAME.md beside the"
        " others, they are counted as not measured.",
    )
    notes: str = Field(default="", description="Markdown for the foot of the page.")

    @property
    def figure(self) -> str:
        return self.where.partition(",")[0].removeprefix("Fig. ")


class ConfigurationEntry(Part):
    suffix: str = Field(
        default="",
        description="What the names of the configuration's campaigns end in, after the"
        " name that statements give.",
    )
    replaced: dict[str, str] | None = Field(
        default=None,
        description="The configuration's campaigns by the name that statements give,"
        " instead of a suffix.",
    )
    text: str = Field(default="", description="What the configuration is.")
    exploration: bool = Field(
        default=False,
        description="A setting that nobody had. It is shown, but not counted.",
    )


class MatrixEntry(Part):
    configuration: str = Field(
        description="The configuration that parts are left out of."
    )
    baseline: str = Field(description="The configuration without any of the parts.")
    prefix: str = Field(
        description="What stands between a campaign's name and the part left out."
    )
    control: str = Field(
        description="The suffix of the same configuration with fresh seeds."
    )
    unaffected: dict[str, tuple[str, ...]] = Field(
        default={},
        description="By part, the campaigns in which it changes nothing, so that they"
        " need not be executed without it.",
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
    configurations: dict[str, ConfigurationEntry] = Field(
        default={"upstream": ConfigurationEntry()},
        min_length=1,
        description="The sets of campaigns that are judged, by name.",
    )
    matrix: MatrixEntry | None = Field(
        default=None, description="Which parts are left out to see what they explain."
    )
    findings: str = Field(default="", description="Markdown for the head of the index.")


class Pages:
    """A file of pages, with all that it names."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises UserError, `file:line: what is wrong`."""
        from analysis.published import cells, deviations, statements

        self.path = path
        document = read(path)
        try:
            self.file = PagesFile.model_validate(document.values)
        except ValidationError as error:
            raise UserError(describe(error, PagesFile, document)) from None
        found: list[Statement] = []
        for index, name in enumerate(self.file.statements):
            self._exists(name, document, ("statements", index))
            try:
                found += statements.read(path.parent / name)
            except ValueError as error:
                raise UserError(str(error)) from None
        self.statements = tuple(found)
        self.cells: dict[str, tuple[Cell, ...]] = {}
        self.deviations: dict[str, int] = {}
        for page, entry in self.file.pages.items():
            if entry.deviations is not None:
                self._exists(entry.deviations, document, ("pages", page, "deviations"))
                try:
                    numbers = deviations.read(path.parent / entry.deviations)
                except ValueError as error:
                    raise UserError(str(error)) from None
                self.deviations[page] = len(numbers)
            if entry.cells is None:
                continue
            place = ("pages", page, "cells")
            self._exists(entry.cells, document, place)
            if not entry.campaigns:
                raise UserError(
                    f"{path}:{document.line(place)}: cells: the page names no campaign"
                    " to compare them with; give 'campaigns'"
                )
            try:
                self.cells[page] = cells.read(path.parent / entry.cells)
            except ValueError as error:
                raise UserError(str(error)) from None
        self._check_matrix(document)

    def _exists(
        self, name: str, document: Document, place: tuple[str | int, ...]
    ) -> None:
        if not (self.path.parent / name).is_file():
            key = next(str(step) for step in reversed(place) if isinstance(step, str))
            raise UserError(
                f"{self.path}:{document.line(place)}: {key}: no file {name} beside"
                f" {self.path.name}"
            )

    def _check_matrix(self, document: Document) -> None:
        matrix = self.file.matrix
        if matrix is None:
            return
        for key in ("configuration", "baseline"):
            name = getattr(matrix, key)
            if name not in self.file.configurations:
                known = ", ".join(self.file.configurations)
                line = document.line(("matrix", key))
                raise UserError(
                    f"{self.path}:{line}: matrix: {key}: no configuration is named"
                    f" {name!r}; there is {known}"
                )
        self._check_unaffected(matrix, document)

    def _check_unaffected(self, matrix: MatrixEntry, document: Document) -> None:
        from analysis.published.publication import named_campaigns

        campaigns = named_campaigns(self.statements, self.publication.sheets)
        for part, names in matrix.unaffected.items():
            unknown = next((one for one in names if one not in campaigns), None)
            if unknown is not None:
                line = document.line(("matrix", "unaffected", part))
                raise UserError(
                    f"{self.path}:{line}: matrix: unaffected: no statement or page"
                    f" names a campaign {unknown!r}; there is {', '.join(campaigns)}"
                )

    @property
    def publication(self) -> "Publication":
        """The publication that the file asks for, as the pages take it."""
        from analysis.published.publication import Configuration, Matrix, Sheet
        from analysis.report.publication import Publication

        sheets = tuple(
            Sheet(
                name=name,
                title=page.title,
                where=page.where,
                figure=page.figure,
                campaigns=page.campaigns,
                link=page.link or "",
                cells=self.cells.get(name, ()),
                elsewhere=self.deviations.get(name, 0),
                notes=page.notes,
            )
            for name, page in self.file.pages.items()
        )
        configurations = tuple(
            Configuration(name, **entry.model_dump())
            for name, entry in self.file.configurations.items()
        )
        matrix = self.file.matrix
        return Publication(
            source=self.file.source,
            file=loading.shown(self.path),
            sheets=sheets,
            statements=self.statements,
            configurations=configurations,
            matrix=Matrix(**matrix.model_dump()) if matrix else None,
            findings=self.file.findings,
        )

    def experiment(self, name: str) -> Path | None:
        """The experiment file of a campaign; in the folder, or in a folder there."""
        folder = self.path.parent / self.file.experiments
        for place in (folder, *sorted(folder.glob("*/"))):
            if (place / f"{name}.yaml").is_file():
                return place / f"{name}.yaml"
        return None
