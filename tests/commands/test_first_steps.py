"""`mpbench init`, `mpbench list` and the help: what a newcomer meets."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from mpbench import carried, cli
from mpbench.backends.registry import create
from mpbench.commands import init as init_file
from mpbench.commands import list as list_file
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.spec import builtin, summaries, vocabulary

TEMPLATES = sorted(path.stem for path in init_file.TEMPLATES.glob("*.yaml"))


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_templates_that_the_help_names() -> None:
    assert {"compare", "phone", "home", "fairness", "web"} <= set(TEMPLATES)
    for name in TEMPLATES:
        assert f"`{name}`" in (init_file.command.help or "")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_can_be_planned(template: str) -> None:
    done = CliRunner().invoke(init_file.command, [template])
    assert done.exit_code == 0, done.output
    assert f"mpbench run {template}.yaml" in done.output
    spec = load(Path(f"{template}.yaml"))
    assert spec.name == template
    assert make_plan(spec, create("fake").identity()).runs
    assert len(Path(f"{template}.yaml").read_text().splitlines()) <= 36


def test_an_experiment_of_a_paper_comes_in_one_file() -> None:
    done = CliRunner().invoke(init_file.command, ["paper:thesis/bulk-low-bdp"])
    assert done.exit_code == 0, done.output
    copy = load(Path("bulk-low-bdp.yaml"))
    shipped = load(carried.EXPERIMENTS / "thesis/bulk-low-bdp.yaml")
    assert copy.digest == shipped.digest
    assert "\ninclude:" not in Path("bulk-low-bdp.yaml").read_text()


def test_a_file_is_never_overwritten() -> None:
    Path("phone.yaml").write_text("precious\n")
    done = CliRunner().invoke(init_file.command, ["phone"])
    assert isinstance(done.exception, UserError)
    assert "--out" in str(done.exception)
    assert Path("phone.yaml").read_text() == "precious\n"


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("phones", "did you mean 'phone'"),
        ("paper:thesis/bulk-low-bpd", "did you mean 'thesis/bulk-low-bdp'"),
        ("../phone", "no template"),
        ("paper:no-such-thing", "no experiment 'no-such-thing'; `mpbench list exp"),
        ("paper:../../etc/passwd", "no experiment"),
    ],
)
def test_an_unknown_template_is_told_what_would_work(template: str, hint: str) -> None:
    done = CliRunner().invoke(init_file.command, [template])
    assert isinstance(done.exception, UserError)
    assert hint in str(done.exception)


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (summaries.CONGESTION_CONTROLS, vocabulary.CONGESTION_CONTROLS),
        (summaries.SCHEDULERS, vocabulary.SCHEDULERS),
        (summaries.PATH_MANAGERS, vocabulary.PATH_MANAGERS),
        (summaries.TOOLS, vocabulary.TOOLS),
        (summaries.METRICS, vocabulary.METRICS),
        (summaries.DESIGN_METHODS, vocabulary.DESIGN_METHODS),
    ],
)
def test_every_name_has_a_line(lines: dict[str, str], names: tuple[str, ...]) -> None:
    assert sorted(lines) == sorted(names)


@pytest.mark.parametrize("kind", list(list_file.KINDS))
def test_every_list_has_names_with_words(kind: str) -> None:
    entries = list(list_file.KINDS[kind].entries())
    assert entries
    assert all(name and words for name, words in entries)
    done = CliRunner().invoke(list_file.command, [kind])
    assert done.exit_code == 0, done.output
    for name, words in entries:
        assert name in done.output
        assert words.split()[0] in done.output
    assert max(map(len, done.output.splitlines())) <= 100


def test_all_lists_come_without_an_argument() -> None:
    done = CliRunner().invoke(list_file.command)
    assert done.exit_code == 0, done.output
    for name in (*list_file.KINDS, "experiments/quickstart.yaml", "olia", "two_path"):
        assert name in done.output
    assert set(builtin.names()) <= set(done.output.split())


def test_abbreviations_do_not_end_a_sentence() -> None:
    text = "Users on two links (Peng\net al. 2016, Fig. 2).\nMore.\n\n    drawing"
    assert list_file._first_sentence(text) == (
        "Users on two links (Peng et al. 2016, Fig. 2)"
    )


def test_the_help_cuts_no_summary_and_names_every_command() -> None:
    done = CliRunner().invoke(cli.group, ["--help"])
    assert done.exit_code == 0
    assert done.output.count("...") == 1, "only in the line of usage"
    for title in ("Every day:", "Research:", "Set-up:"):
        assert title in done.output
    assert "Other:" not in done.output
    with cli.group.make_context("mpbench", ["list"]) as context:
        for name in cli.group.list_commands(context):
            assert f"\n  {name} " in done.output
