"""L12 on random hostile text in every place of a spec where text can stand, and in the rows themselves."""

import json
import random
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import harness
from harness import ENGINES, TARGETS, Engine, Outcome, Project, Target

PIECES = (
    "'", '"', "''", '""', "\\", "\\'", "\\n", "{{", "}}", "{{ x }}", "{%", "%}", "{% endraw %}", "{% raw %}", "{#", "#}", "{{{",
    "@", "@@", "@start_ds", "@{x}", "@IF(TRUE, 1)", "@x", "$", "$$", "${x}", ";", "--", "/*", "*/", "-- x", "\n", "\r\n", "\t", "\r",
    "%", "%s", "%(x)s", "%%", "_", ":x", ":", "::int", "?", "#", "# x", "!", "&", "*x", "|", ">", "- ", "`", "~", "^", "[", "]",
    "(", ")", "<", "null", "NULL", "true", "no", "1", "1e3", "é", "e\u0301", "ß", "İ", "\u00a0", "\u0085", "\u2028", "\u200b", "\u202e",
    "💥", "\U0010ffff", "\ufeff", "\x01", "\x1b[0m", "\x7f", " ", "  ", "a", "Z", "select", "') or 1=1 --", "version: 3", "MODEL (",
)
# A name has no control characters, and SQLMesh reads templates and variables in names.
NAMED = tuple(
    piece for piece in PIECES if "{" not in piece and "@" not in piece and not any(unicodedata.category(c) == "Cc" for c in piece)
)
# What a pattern may hold without meaning anything.
PLAIN = ("'", '"', "@", "%", "_", ";", ":", "#", "!", "&", "~", ",", "<", ">", "=", "/", " ", "é", "💥", "a", "`", "--", "@start_ds", "''")


def yaml_text(text: str) -> str:
    """A double-quoted YAML scalar that reads back as `text`."""
    named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

    def spelled(c: str) -> str:
        if c in named:
            return named[c]
        if " " <= c <= "~":
            return c
        return f"\\x{ord(c):02x}" if ord(c) < 0x100 else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"

    return '"' + "".join(map(spelled, text)) + '"'


def path(*names: str) -> str:
    return yaml_text("$" + "".join(f"[{json.dumps(name, ensure_ascii=False)}]" for name in names))


def changed(text: str) -> str:
    return text + "x"


@dataclass(frozen=True)
class Texts:
    """The texts of one seed; column names differ by more than case."""

    chance: random.Random

    def any(self, pieces: tuple[str, ...] = PIECES) -> str:
        return "".join(self.chance.choice(pieces) for _ in range(self.chance.randint(1, 4)))

    def name(self, number: int) -> str:
        return f"n {self.any(NAMED)} {number}"


@dataclass
class Told:
    projects: dict[Target, Project]
    outcomes: dict[Target, Outcome]
    columns: dict[str, str]
    descriptions: dict[str, str]
    expected: dict[str, dict[str, Any]]
    flags: dict[str, str]
    rejected: dict[str, Any]
    redacted: str


def tell(seed: int, folder: Path, engine: Engine) -> Told:
    texts = Texts(random.Random(seed))
    source = texts.name(0)
    member, redacted = texts.any(NAMED), texts.name(98)
    listed = [texts.any() for _ in range(6)]
    empty, default, old, new, before, after, cut, equal = (texts.any() for _ in range(8))
    plain = texts.any(PLAIN)
    fields = ("plain", "listed", "emptied", "defaulted", "mapped", "prefixed", "suffixed", "cut", "wrapped", "equal", "matched", "nested", "number")
    columns = {field: texts.name(number) for number, field in enumerate(fields, start=1)}
    descriptions = {field: texts.any() for field in ("text_safety", *fields)}
    steps = {
        "emptied": f"{{nullif: {yaml_text(empty)}}}",
        "defaulted": f"{{coalesce: {yaml_text(default)}}}",
        "mapped": f"{{enum_map: [{yaml_text(old)}, {yaml_text(new)}]}}",
        "prefixed": f"{{strip_prefix: {yaml_text(before)}}}",
        "suffixed": f"{{strip_suffix: {yaml_text(after)}}}",
        "cut": f"{{split_part: [{yaml_text(cut)}, 2]}}",
        "wrapped": f"{{concat: [{yaml_text(before)}, {yaml_text(after)}]}}",
        "number": "to_int",
    }
    rules = {
        "listed": f"{{rule: in_set, values: [{', '.join(map(yaml_text, listed))}], on_fail: flag, description: {yaml_text(texts.any())}}}",
        "matched": f"{{rule: pattern, regex: {yaml_text(f'^(?:{plain})$')}, on_fail: flag}}",
    }
    quoted_equal = "'" + equal.replace("'", "''") + "'"
    model = f"""\
spec_version: 1
entities:
  text_safety:
    grain: {yaml_text(texts.any())}
    owner: {yaml_text(texts.any())}
    description: {yaml_text(descriptions["text_safety"])}
    key: [id]
    fields:
      id: {{type: string}}
""" + "".join(
        f"      {field}: {{type: {'int' if field == 'number' else 'string'}, description: {yaml_text(descriptions[field])}}}\n"
        for field in fields
    ) + f"""\
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 36500d, redact: [{path(redacted)}]}}
    quality:
      - rule: expression
        name: equal_holds
        expr: {yaml_text(f"equal = {quoted_equal}")}
        on_fail: flag
"""
    mapping = f"""\
mapping_version: 1
source: {yaml_text(source)}
target: text_safety
key:
  id: {{from: "$.id"}}
fields:
""" + "".join(
        f"  {field}: {{from: {path(columns[field], member) if field == 'nested' else path(columns[field])}"
        + (f", transform: [{steps[field]}]" if field in steps else "")
        + (f", quality: [{rules[field]}]" if field in rules else "")
        + "}\n"
        for field in fields
    ) + f"""\
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id", {path(redacted)}]
"""
    random_text = [texts.any() for _ in range(4)]
    arriving = {
        "plain": [random_text[0], None, random_text[1], random_text[2]],
        "listed": [listed[0], listed[1], changed(listed[2]), listed[3]],
        "emptied": [empty, changed(empty), None, empty],
        "defaulted": [None, random_text[3], "", None],
        "mapped": [old, changed(old), None, old],
        "prefixed": [before + "x", "x", before, before],
        "suffixed": ["x" + after, "x", after, after],
        "cut": [f"<{cut}>", f"{cut}>", f"<{cut}{cut}>", f"<{cut}>"],
        "wrapped": ["", None, "x", "x"],
        "equal": [equal, changed(equal), None, equal],
        "matched": [plain, changed(plain), None, plain],
        "nested": [json.dumps({member: text}) for text in (random_text[0], "", random_text[3], random_text[1])],
        "number": ["1", "2", "3", random_text[0] + "x"],
    }
    expected = {
        "plain": arriving["plain"],
        "listed": arriving["listed"],
        "emptied": [None, changed(empty), None],
        "defaulted": [default, random_text[3], ""],
        "mapped": [new, changed(old), None],
        "prefixed": [text.removeprefix(before) for text in arriving["prefixed"]],
        "suffixed": [text.removesuffix(after) for text in arriving["suffixed"]],
        "cut": [text.split(cut)[1] for text in arriving["cut"]],
        "wrapped": [before + after, None, before + "x" + after],
        "equal": arriving["equal"],
        "matched": arriving["matched"],
        "nested": [random_text[0], "", random_text[3]],
        "number": [1, 2, 3],
    }
    rows = [
        {
            "_load_id": "l1",
            "_ingested_at": "2026-01-01T00:00:00Z",
            "_source_row_id": f"r{at + 1}",
            "id": f"k{at + 1}",
            **{columns[field]: cells[at] for field, cells in arriving.items()},
            redacted: "a secret",
        }
        for at in range(4)
    ]
    specs = harness.write_specs(folder / "specs", {"model.yaml": model, "mapping.yaml": mapping})
    harness.check(specs, engine).ok()
    projects = harness.generate_both(specs, folder, engine)
    for project in projects.values():
        project.warehouse.load_bronze({source: rows})
    return Told(
        projects,
        harness.in_both(Project.run, projects),
        columns,
        descriptions,
        {f"r{at + 1}": {field: cells[at] for field, cells in expected.items()} for at in range(3)},
        {"r1": "pass", "r2": "flag: equal_holds, matched_pattern", "r3": "flag: listed_in_set", "r4": "quarantine: number_coercible"},
        rows[3],
        redacted,
    )


@cache
def remembered(seed: int, folder: Path, engine: Engine) -> Told | Exception:
    try:
        return tell(seed, folder / f"{engine}_{seed}", engine)
    except Exception as problem:
        return problem


@pytest.fixture(params=ENGINES)
def told(seed: int, folder: Path, request: pytest.FixtureRequest) -> Told:
    found = remembered(seed, folder, request.param)
    if isinstance(found, Exception):
        raise found
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_every_literal_means_what_was_written(told: Told, target: Target) -> None:
    told.outcomes[target].ok()
    found = harness.fates(told.projects[target].warehouse, "text_safety")
    assert found == {f"{row}@l1": fate for row, fate in told.flags.items()}


@pytest.mark.parametrize("target", TARGETS)
def test_every_text_comes_back_byte_for_byte(told: Told, target: Target) -> None:
    rows = told.projects[target].warehouse.relation("silver.text_safety").dicts()
    found = {row["_source_row_id"]: row for row in rows}
    for row_id, expected in told.expected.items():
        assert {field: found[row_id][field] for field in expected} == expected


@pytest.mark.parametrize("target", TARGETS)
def test_a_rejected_row_keeps_what_was_delivered(told: Told, target: Target) -> None:
    (row,) = told.projects[target].warehouse.relation("silver.text_safety__reject").dicts()
    raw = json.loads(row["raw"])
    assert told.redacted not in raw
    for column in told.columns.values():
        assert raw[column] == told.rejected[column]


def test_dbt_holds_the_descriptions(told: Told) -> None:
    manifest = json.loads((told.projects["dbt"].folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    (model,) = [node for node in manifest["nodes"].values() if node["resource_type"] == "model" and node["name"] == "text_safety"]
    assert told.descriptions["text_safety"] in model["description"]
    for field, text in told.descriptions.items():
        if field != "text_safety":
            assert model["columns"][field]["description"] == text


def test_both_frameworks_hold_the_same_rows(told: Told) -> None:
    names = [*harness.published("text_safety"), "silver.text_safety__judged"]
    harness.compare(told.projects["dbt"].warehouse, told.projects["sqlmesh"].warehouse, names)
