#!/usr/bin/env python3
"""What `assay generate` and `assay diff` cost on trees of 10 to 10,000 entities, against a floor that parses and writes.

Every entity has 10 fields, 6 authored rules, a dedupe and a reject relation; one file for it and one for its mapping.
`diff` is after one bound of one rule has changed. The floor (scripts/bench/floor) walks and parses the same specs with
serde_yaml and writes the same bytes. CPU is user + system time of the whole process; runs are interleaved, ratios are
taken within one round.

    scripts/bench/generate.py [--sizes 10,100,1000] [--targets dbt,sqlmesh] [--rounds N] [--out DIR] [--assay BINARY]
"""

import argparse
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from timing import ROOT, Cost, run, spread, table

WORK = ROOT / ".work" / "bench" / "generate"
FLOOR = Path(__file__).parent / "floor"

ENTITY = """\
spec_version: 1
entities:
  {name}:
    grain: one row per {name}
    description: Synthetic entity number {n}.
    owner: team-{team}
    key: [id]
    fields:
      id: {{type: string, required: true, description: What the source calls it}}
      amount: {{type: "decimal(12,2)", description: "EUR, before tax"}}
      quantity: {{type: int}}
      status: {{type: string}}
      country: {{type: string}}
      email: {{type: string, classification: pii}}
      ordered_at: {{type: timestamp}}
      shipped_on: {{type: date}}
      is_gift: {{type: bool}}
      note: {{type: string}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 60d}}
    quality:
      - {{rule: expression, name: {name}_gifts, expr: "NOT is_gift OR quantity = 1", on_fail: flag}}
"""
MAPPING = """\
mapping_version: 1
source: raw_{name}
target: {name}
key:
  id: {{from: "$.id", transform: [trim, upper]}}
fields:
  amount:
    from: "$.amount"
    transform: [{{to_decimal: [12, 2]}}]
    quality: [{{rule: range, min: 0, on_fail: quarantine}}]
  quantity: {{from: "$.qty", transform: [to_int], quality: [{{rule: range, min: 1, max: 999, on_fail: quarantine}}]}}
  status: {{from: "$.status", transform: [lower], quality: [{{rule: in_set, values: [open, paid, sent], on_fail: quarantine}}]}}
  country: {{from: "$.country", quality: [{{rule: length, min: 2, max: 2, on_fail: flag}}]}}
  email: {{from: "$.email", quality: [{{rule: pattern, regex: '^[^@ ]+@[^@ ]+$', on_fail: flag}}]}}
  ordered_at: {{from: "$.ordered_at", transform: [{{parse_ts: ISO8601}}]}}
  shipped_on: {{from: "$.shipped_on", transform: [{{parse_date: ISO8601}}]}}
  is_gift: {{from: "$.gift", transform: [to_bool]}}
  note: {{from: "$.note"}}
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]
"""


def write_specs(size: int) -> Path:
    folder = WORK / f"specs_{size}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "entities").mkdir(parents=True)
    (folder / "mappings").mkdir()
    for n in range(size):
        values = {"name": f"entity_{n:05}", "n": n, "team": n % 17}
        (folder / "entities" / f"{values['name']}.yaml").write_text(ENTITY.format(**values))
        (folder / "mappings" / f"{values['name']}.yaml").write_text(MAPPING.format(**values))
    return folder


def measure(size: int, target: str, rounds: int, assay: str, floor: str, outputs: Path) -> dict[str, list[Cost]]:
    specs = write_specs(size)
    costs: dict[str, list[Cost]] = {"cold": [], "unchanged": [], "diff": [], "floor": []}
    for number in range(rounds):
        # New folders each time, all deleted at the end: ext4 searches long for an inode soon after a large deletion.
        out, copy = outputs / f"{target}_{size}_{number}", outputs / f"{target}_{size}_{number}_floor"
        project = ["--specs", str(specs), "--target", target, "--dialect", "duckdb", "--out", str(out)]
        generate = [assay, "generate", *project]
        costs["cold"].append(run(generate, stderr=-3))
        costs["floor"].append(run([floor, str(specs), str(out), str(copy)]))
        costs["unchanged"].append(run(generate, stderr=-3))
        with changed_rule(specs):
            costs["diff"].append(run([assay, "diff", *project]))
    return costs


@contextmanager
def changed_rule(specs: Path) -> Iterator[None]:
    mapping = specs / "mappings" / "entity_00005.yaml"
    text = mapping.read_text()
    mapping.write_text(text.replace("min: 0,", "min: 5,"))
    yield
    mapping.write_text(text)


def files_in(folder: Path) -> tuple[int, int]:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,100,1000,10000")
    parser.add_argument("--targets", default="dbt,sqlmesh")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=WORK / "out", help="where trees are written; a tmpfs leaves the disk out")
    parser.add_argument("--assay", default=str(ROOT / "target" / "release" / "assay"))
    options = parser.parse_args()
    run(["cargo", "build", "--quiet", "--release", "--manifest-path", str(FLOOR / "Cargo.toml"),
         "--target-dir", str(WORK / "floor")])
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    floor = str(WORK / "floor" / "release" / "floor")

    rows = []
    for target in options.targets.split(","):
        before = None
        for size in map(int, options.sizes.split(",")):
            rounds = options.rounds if size < 10_000 else 1
            costs = measure(size, target, rounds, options.assay, floor, options.out)
            cpu = {kind: [cost.cpu for cost in found] for kind, found in costs.items()}
            files, written = files_in(options.out / f"{target}_{size}_0")
            cold = statistics.median(cpu["cold"])
            rows.append([
                target,
                f"{size:,}",
                f"{files:,} / {written / 1e6:.1f} MB",
                spread(cpu["cold"], 3),
                spread(cpu["unchanged"], 3),
                spread(cpu["diff"], 3),
                f"{max(cost.peak_mb for cost in costs['cold']):.0f}",
                f"{files / cold:,.0f}",
                f"{cold / before:.1f}" if before else "–",
                spread([one / other for one, other in zip(cpu["cold"], cpu["floor"], strict=True)], 1),
            ])
            before = cold
            print(f"{target} {size}: {cold:.3f} CPU s", file=sys.stderr)
    shutil.rmtree(options.out, ignore_errors=True)
    print(table(
        ["target", "entities", "files", "cold CPU s", "unchanged CPU s", "diff CPU s", "peak MB", "files per CPU s", "× size before", "× floor"],
        rows,
    ))


if __name__ == "__main__":
    main()
