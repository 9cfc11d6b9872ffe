"""What is generated: the same bytes every time (L2), no warning from a framework, and nothing that a formatter undoes."""

import shutil
from pathlib import Path

import pytest
from sqlfluff.core import FluffConfig, Linter

import harness
from harness import FLAGS, ROOT, TARGETS, Project, Target

TREES = {
    "laws": ROOT / "fixtures" / "laws",
    "demo": ROOT / "fixtures" / "demo" / "specs",
    "corpus": ROOT / "fixtures" / "corpus",
    "versions": ROOT / "fixtures" / "projects" / "versions",
    "incremental": ROOT / "fixtures" / "projects" / "parcel_scans",
}


@pytest.fixture(params=TREES, scope="module")
def tree(request: pytest.FixtureRequest) -> Path:
    return TREES[request.param]


@pytest.fixture(params=("duckdb", "postgres", "postgres13"), scope="module")
def projects(tree: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> dict[Target, Project]:
    return harness.generate_both(tree, tmp_path_factory.mktemp(tree.name), request.param)


def generated(folder: Path, specs: Path, target: Target, **environment: str) -> dict[str, bytes]:
    harness.assay(
        "generate", "--specs", specs, "--target", target, "--dialect", "duckdb", "--out", folder, environment=environment
    ).ok()
    return harness.tree_bytes(folder)


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_specs_give_the_same_bytes(tree: Path, target: Target, tmp_path: Path) -> None:
    once = generated(tmp_path / "a", tree, target, LC_ALL="C", TZ="UTC", HOME=str(tmp_path))
    again = generated(tmp_path / "b" / "deeper", tree, target, LC_ALL="tr_TR.UTF-8", TZ="Asia/Tokyo", HOME="/")
    assert once == again
    for name, content in once.items():
        assert str(tmp_path).encode() not in content, name
        assert str(ROOT).encode() not in content, name
        assert b"\r" not in content, name


@pytest.mark.parametrize("target", TARGETS)
def test_line_ends_and_blank_lines_of_a_spec_change_nothing(tree: Path, target: Target, tmp_path: Path) -> None:
    copy = tmp_path / tree.name
    shutil.copytree(tree, copy)
    once = generated(tmp_path / "lf", copy, target)
    for path in copy.rglob("*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n# the end\r\n")
    assert generated(tmp_path / "crlf", copy, target) == once


@pytest.mark.parametrize("target", TARGETS)
def test_generating_again_writes_nothing(tree: Path, target: Target, tmp_path: Path) -> None:
    generated(tmp_path, tree, target)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    generated(tmp_path, tree, target)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_dbt_parses_without_a_warning(projects: dict[Target, Project]) -> None:
    projects["dbt"].dbt("parse", "--no-partial-parse", "--show-all-deprecations").ok()


def test_sqlfluff_parses_what_dbt_compiles(tree: Path, projects: dict[Target, Project]) -> None:
    project = projects["dbt"]
    project.dbt("compile").ok()
    linter = Linter(config=FluffConfig(overrides={"dialect": FLAGS[project.engine][1], "templater": "raw"}))
    files = (project.folder / "target" / "compiled").rglob("*.sql")
    compiled = sorted(path for path in files if path.is_file())
    assert compiled
    for path in compiled:
        broken = linter.parse_string(path.read_text(encoding="utf-8")).violations
        assert not broken, (path, broken)


def test_sqlmesh_loads_without_a_warning(projects: dict[Target, Project]) -> None:
    outcome = projects["sqlmesh"].sqlmesh("info", "--skip-connection").ok()
    assert "WARNING" not in outcome.output.upper(), outcome.output


def test_sqlmesh_has_nothing_to_format(projects: dict[Target, Project], tree: Path) -> None:
    project = projects["sqlmesh"]
    before = harness.tree_bytes(project.folder)
    project.sqlmesh("format").ok()
    after = {name: content for name, content in harness.tree_bytes(project.folder).items() if name in before}
    changed = [name for name, content in before.items() if after[name] != content]
    # SQLGlot writes `CHR(  123)` for PostgreSQL, and CHR is how a text that looks like a template is built.
    if changed and all(before[name] == after[name].replace(b"CHR(  ", b"CHR(") for name in changed):
        return
    outcome = harness.assay("generate", "--specs", tree, "--target", "sqlmesh", *FLAGS[project.engine], "--out", project.folder, "--check")
    assert outcome.exit == 0, f"formatting changed {changed}\n{outcome.output}"


# Two trees beside the ones above, for what they alone have: freshness, dates and several kinds of entity at once.
@pytest.mark.parametrize("engine", ("duckdb", "postgres"))
@pytest.mark.parametrize("name", ("plain", "web_shop"))
def test_sqlmesh_has_nothing_to_format_there_either(name: str, engine: harness.Engine, tmp_path: Path) -> None:
    project = harness.generate(ROOT / "fixtures" / "projects" / name, "sqlmesh", tmp_path, engine)
    before = harness.tree_bytes(tmp_path)
    project.sqlmesh("format").ok()
    after = harness.tree_bytes(tmp_path)
    assert [path for path, content in before.items() if after[path] != content] == []
