#!/usr/bin/env python3
"""Puts measured tables into a page: each FILE.md between `<!-- FILE -->` and `<!-- /FILE -->`.

    scripts/bench/publish.py PAGE FILE.md [FILE.md …]
"""

import sys
from pathlib import Path


def main() -> None:
    page, *tables = map(Path, sys.argv[1:])
    text = page.read_text(encoding="utf-8")
    for table in tables:
        start, end = f"<!-- {table.stem} -->", f"<!-- /{table.stem} -->"
        if start not in text or end not in text:
            raise SystemExit(f"{page} has no {start} … {end}")
        before, rest = text.split(start, 1)
        _, after = rest.split(end, 1)
        text = f"{before}{start}\n{table.read_text(encoding='utf-8').strip()}\n{end}{after}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
