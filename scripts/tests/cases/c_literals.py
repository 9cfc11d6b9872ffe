"""P09–P12: literals, templates, macros and regular expressions."""

import json
from collections.abc import Sequence

from case import Case, column, single
from harness import TARGETS, Target

TEMPLATES = ("{{ unknown }}", "{# tbd #}", "{%", "#}", "{% endraw %}", "{{#161}}", "{% raw %}", "%}", "{{", "}}")
MACROS = ("@start_ds", "a@b", "@{x}", "@@x", "@IF(TRUE, 1)", "@'x'", "$x", ":x", "?", "${x}")
QUOTES = ("O'Brien", 'say "x"', "back\\slash", "tab\there", "line\nbreak", "%", "_", "{}", "''", "\\'", "\\", "$$", "a/*b*/", "a--b", "`")


def changed(text: str) -> str:
    """The text with its first character changed."""
    return ("X" if text[0] != "X" else "Y") + text[1:]


def exact(
    name: str, entity: str, values: Sequence[str], field: str = "x", targets: Sequence[Target] = TARGETS
) -> Case:
    """Each value passes `in_set`, and fails with one character changed."""
    listed = ", ".join(json.dumps(value) for value in values)
    cells = [*values, *map(changed, values)]
    return Case(
        name,
        single(
            entity,
            types=f"id: {{type: string}}\nx: {{type: string, description: {json.dumps('uses {{#161}} and {% raw %} @x')}}}",
            mapping=f"x: {{from: {json.dumps(f'$[{json.dumps(field)}]')}, quality: [{{rule: in_set, values: [{listed}], on_fail: quarantine}}]}}",
        ),
        {f"{entity}_raw": column(field, *cells)},
        {
            entity: {
                f"r{at + 1}": "pass" if at < len(values) else "quarantine: x_in_set" for at in range(len(cells))
            }
        },
        {entity: {f"r{at + 1}": {"x": value} for at, value in enumerate(values)}},
        targets=targets,
    )


CASES = [
    exact("p09_templates", "p09", TEMPLATES, field="x}}"),
    exact("p09_a_column_named_like_a_template", "p09_name", TEMPLATES[:2], field="{{x}}", targets=("dbt",)),
    exact("p10_macros", "p10", MACROS, field="x @ y"),
    exact("p11_quotes_and_backslashes", "p11", QUOTES, field="a'b\\"),
    Case(
        "p10_a_pattern_with_an_at_sign",
        single(
            "p10_mail",
            types="id: {type: string}\nmail: {type: string}",
            mapping="mail: {from: \"$.mail\", quality: [{rule: pattern, regex: '^[^@]+@[^@]+$', on_fail: quarantine}]}",
        ),
        {"p10_mail_raw": column("mail", "a@b", "a", "a@b@c", "@start_ds", None, "")},
        {
            "p10_mail": {
                "r1": "pass",
                "r2": "quarantine: mail_pattern",
                "r3": "quarantine: mail_pattern",
                "r4": "quarantine: mail_pattern",
                "r5": "pass",
                "r6": "quarantine: mail_pattern",
            }
        },
    ),
    Case(
        "p12_a_regex_is_written_once",
        single(
            "p12",
            types="id: {type: string}\ncode: {type: string}",
            mapping="code: {from: \"$.code\", quality: [{rule: pattern, regex: '^\\d{4}-[A-Z]{2}$', on_fail: quarantine}]}",
        ),
        {"p12_raw": column("code", "1234-AB", "d-AB", "1234-AB\n", "x1234-ABx", "١٢٣٤-AB")},
        {"p12": {"r1": "pass", **{f"r{n}": "quarantine: code_pattern" for n in (2, 3, 4, 5)}}},
    ),
]
