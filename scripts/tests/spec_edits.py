"""A small spec tree as data, the edits that people make to it, and dirty bronze for it. One seed, one history.

A tree has several families that know nothing of each other, so that each can be edited in its own way in one project: a
plain entity, one that is deduplicated and judged, one that looks it up from JSON, and a merged one that looks up that.
"""

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Spec = dict[str, Any]

METADATA = ["$._load_id", "$._ingested_at", "$._source_row_id"]
FLAG, QUARANTINE = "flag", "quarantine"


@dataclass
class Family:
    """The documents of one family: entities and relationships, and each mapping by the name of its source; checks of what is
    finished, by kind; recipes by the field that they make; the years of its date dimension."""

    name: str
    entities: dict[str, Spec] = field(default_factory=dict)
    relationships: list[Spec] = field(default_factory=list)
    mappings: dict[str, Spec] = field(default_factory=dict)
    checks: dict[str, list[Spec]] = field(default_factory=lambda: {"reconcile": [], "coverage": []})
    recipes: dict[str, Spec] = field(default_factory=dict)
    years: tuple[int, int] | None = None

    def of(self, kind: str) -> Spec:
        return self.entities[f"{kind}_{self.name}"]

    def has(self, kind: str) -> bool:
        return f"{kind}_{self.name}" in self.entities

    def mapping(self, source: str) -> Spec:
        return self.mappings[f"{source}_{self.name}"]

    def relations(self) -> list[str]:
        """What is in gold because of it."""
        named = {"reconcile": "differences", "coverage": "uncovered"}
        found = [f"{check['name']}__{named[kind]}" for kind, checks in self.checks.items() for check in checks]
        return [*found, *([self.calendar()["name"]] if self.years else [])]

    def calendar(self) -> Spec:
        assert self.years
        return {"name": f"days_{self.name}", "start_year": self.years[0], "end_year": self.years[1]}

    def canonical(self) -> Spec:
        """A recipe makes a value of its field, so that both have one type."""
        fields = self.of("order")["fields"]
        made = {
            name: {"entity": f"order_{self.name}", "type": fields[name]["type"], "recipes": [recipe]}
            for name, recipe in self.recipes.items()
        }
        return {f"{name}_{self.name}": field for name, field in made.items()}


def documents(families: list[Family]) -> dict[str, str]:
    """Of a project: what each family says, and the one catalog."""
    written: dict[str, Spec] = {}
    catalog: Spec = {"catalog_version": 1, "canonical_fields": {}}
    for each in families:
        model = {"spec_version": 1, "entities": each.entities, "relationships": each.relationships, **each.checks}
        written[f"{each.name}/model"] = model
        written |= {f"{each.name}/{source}": mapping for source, mapping in each.mappings.items()}
        catalog["canonical_fields"] |= each.canonical()
        if each.years:
            catalog["date_dimension"] = each.calendar()
    # JSON is YAML.
    return {f"{name}.yaml": json.dumps(text, indent=1) for name, text in {**written, "catalog": catalog}.items()}


def family(name: str) -> Family:
    made = Family(name)

    def entity(kind: str, fields: dict[str, str], key: list[str], **settings: Any) -> None:
        declared = {name: {"type": type_} for name, type_ in fields.items()}
        made.entities[f"{kind}_{name}"] = {"grain": f"one row per {kind}", "key": key, "fields": declared, **settings}

    def mapping(source: str, target: str, key: Spec, fields: Spec) -> None:
        made.mappings[f"{source}_{name}"] = {
            "mapping_version": 1,
            "source": f"{source}_{name}",
            "target": f"{target}_{name}",
            "key": key,
            "fields": fields,
            "unmapped": list(METADATA),
        }

    judged = {
        "dedupe": {"keep": "latest_by", "field": "_ingested_at", "tie_break": ["_load_id"]},
        "quarantine": {"retention": "36500d"},
    }

    entity("region", {"code": "string", "title": "string", "size": "int"}, ["code"])
    mapping("region_raw", "region", {"code": {"from": "$.code"}}, {"title": {"from": "$.title"}, "size": {"from": "$.size"}})

    entity(
        "customer",
        {
            "customer_id": "string", "name": "string", "tier": "string", "joined_on": "date", "score": "decimal(5,2)",
            "changed_at": "timestamp", "seq": "int",
        },
        ["customer_id"],
        **copy.deepcopy(judged),
        quality=[{"rule": "expression", "name": "score_needs_tier", "expr": "score < 50 OR tier = 'gold'", "on_fail": FLAG}],
    )
    mapping(
        "customer_raw",
        "customer",
        {"customer_id": {"from": "$.id", "transform": ["trim", "upper"]}},
        {
            "name": {"from": "$.full", "quality": [{"rule": "length", "max": 6, "on_fail": FLAG}]},
            "tier": {
                "from": "$.tier",
                "transform": [{"nullif": ""}, {"enum_map": ["g", "gold", "s", "silver"]}],
                "quality": [{"rule": "in_enum", "on_fail": FLAG}],
            },
            "joined_on": {"from": "$.joined", "quality": [{"rule": "range", "min": "2000-01-01", "on_fail": FLAG}]},
            "score": {"from": "$.score", "quality": [{"rule": "range", "min": 0, "on_fail": QUARANTINE}]},
            "changed_at": {"from": "$.changed"},
            "seq": {"from": "$.seq"},
        },
    )

    entity(
        "order",
        {"order_id": "string", "customer_id": "string", "qty": "int", "price": "decimal(8,2)", "note": "string"},
        ["order_id"],
        **copy.deepcopy(judged),
        quality=[
            {"rule": "referential", "via": f"order_customer_{name}", "on_missing": QUARANTINE},
            {"rule": "expression", "name": "never_negative", "expr": "NOT (qty < 0)", "on_fail": QUARANTINE},
        ],
    )
    mapping(
        "order_raw",
        "order",
        {"order_id": {"from": "$.id"}},
        {
            "customer_id": {"from": "$.payload.customer"},
            "qty": {"from": "$.payload.qty", "quality": [{"rule": "range", "max": 100, "on_fail": FLAG}]},
            "price": {"from": "$.payload.price", "quality": [{"rule": "range", "min": 0, "max": 500, "on_fail": QUARANTINE}]},
            "note": {"from": "$.note", "quality": [{"rule": "in_set", "values": ["a", "b", "c d"], "on_fail": FLAG}]},
        },
    )

    entity(
        "payment",
        {"payment_id": "string", "order_id": "string", "amount": "decimal(8,2)", "paid_on": "date"},
        ["payment_id"],
        **copy.deepcopy(judged),
        quality=[{"rule": "referential", "via": f"payment_order_{name}", "on_missing": FLAG}],
    )
    for source, prefix in (("card", "card-"), ("bank", "bank-")):
        mapping(
            source,
            "payment",
            {"payment_id": {"from": "$.id", "transform": [{"concat": [prefix, ""]}]}},
            {
                "order_id": {"from": "$.order"},
                "amount": {"from": "$.amount", "quality": [{"rule": "range", "min": 1, "on_fail": QUARANTINE}]},
                "paid_on": {"from": "$.day"},
            },
        )

    def relationship(child: str, parent: str, column: str) -> Spec:
        return {
            "name": f"{child}_{parent}_{name}",
            "from": f"{child}_{name}",
            "to": f"{parent}_{name}",
            "via": {column: column},
            "cardinality": "many_to_one",
        }

    made.relationships = [relationship("order", "customer", "customer_id"), relationship("payment", "order", "order_id")]
    return made


# ---------------------------------------------------------------------------------------------------------- bronze


class Deliveries:
    """Rows of every table of a family; some are delivered again, with other values under the same key."""

    def __init__(self, chance: random.Random, rows: int) -> None:
        self.chance = chance
        self.rows = rows

    def bronze(self, name: str) -> dict[str, list[dict[str, str | None]]]:
        makers: dict[str, Callable[[int], dict[str, str | None]]] = {
            "region_raw": self.region,
            "customer_raw": self.customer,
            "order_raw": self.order,
            "card": self.payment,
            "bank": self.payment,
        }
        return {f"{table}_{name}": self.delivered(table, make) for table, make in makers.items()}

    def delivered(self, table: str, make: Callable[[int], dict[str, str | None]]) -> list[dict[str, str | None]]:
        found = []
        for number in range(self.rows):
            loads = 1 if table == "region_raw" else self.chance.choice((1, 1, 1, 2, 3))
            for load in range(1, loads + 1):
                found.append(
                    {
                        **make(number),
                        "_load_id": f"l{load}",
                        "_ingested_at": f"2026-01-0{self.chance.choice((load, load, 5))}T08:00:00Z",
                        "_source_row_id": f"{table}-{number}",
                    }
                )
        return found

    def pick(self, *cells: str | None) -> str | None:
        return self.chance.choice(cells)

    def region(self, number: int) -> dict[str, str | None]:
        size = str(self.chance.randint(0, 90))
        return {"code": f"R{number}", "title": self.pick("north", " south", "WEST"), "size": size, "spare": self.pick("x", None)}

    def customer(self, number: int) -> dict[str, str | None]:
        return {
            "id": f"C{number // 2}",
            "full": self.pick("Ann", " Bob ", "Christopher", "", None),
            "alt_name": self.pick("ann", "bob", None),
            "tier": self.pick("g", "s", "x", "", None),
            "joined": self.pick("2020-02-29", "1999-01-01", "2021-02-29", None),
            "score": self.pick("12.50", "99.995", "-1", "55", "1234.5", "x", None),
            "alt_score": self.pick("1", "-2.25", "77.777", None),
            "changed": f"2026-02-0{self.chance.randint(1, 9)}T10:00:00Z",
            "seq": str(self.chance.randint(1, 9)),
            "spare": self.pick("s1", "s2", None),
        }

    def order(self, number: int) -> dict[str, str | None]:
        payload = {
            "customer": self.pick(*(f"C{n}" for n in range(self.rows // 2)), "C999", "nobody", None),
            "qty": self.pick("1", "7", "-3", "250", "x", None),
            "alt_qty": self.pick("2", "-1", "101"),
            "price": self.pick("1.005", "499.99", "501", "-0.01", "1e3", None),
            "less": self.pick("0", "0.5", "1.25", "x", None),
            "rebate": self.pick("0", "2", None),
            "iban": "NL01",
        }
        # Where nothing is taken off, every recipe says what was delivered.
        nothing = payload["less"] == payload["rebate"] == "0" and payload["price"] in ("499.99", "501", "-0.01")
        payload["net"] = payload["price"] if nothing else None
        return {"id": f"O{number}", "payload": json.dumps(payload), "note": self.pick("a", "B", "c d", "zz", None), "spare": "s"}

    def payment(self, number: int) -> dict[str, str | None]:
        return {
            "id": str(number),
            # A source row keeps its key, also where the order is a part of it.
            "order": f"O{number}" if number % 5 else f"Z{number}",
            "amount": self.pick("0.50", "12.345", "99", "", None),
            "alt_amount": self.pick("3", "0"),
            "day": self.pick("2026-01-05", "05.01.2026", None),
            "spare": "s",
        }


# ----------------------------------------------------------------------------------------------------------- edits


Edit = Callable[[random.Random, Family], str | None]
EDITS: dict[str, Edit] = {}


def edit(change: Edit) -> Edit:
    EDITS[change.__name__] = change
    return change


def mapped_fields(of: Family, *kinds: str) -> list[tuple[str, str, Spec]]:
    """Source, field and mapping of every mapped field, of these types where any are named."""
    found = []
    for source, mapping in of.mappings.items():
        declared = of.entities[mapping["target"]]["fields"]
        for name, mapped in {**mapping["key"], **mapping["fields"]}.items():
            type_ = declared[name]["type"]
            if not kinds or type_.split("(")[0] in kinds:
                found.append((source, name, mapped))
    return found


def is_judged(of: Family, source: str) -> bool:
    return "quarantine" in of.entities[of.mappings[source]["target"]]


def rules(of: Family, *names: str) -> list[tuple[str, Spec, list[Spec]]]:
    """Where it stands, the rule, and the list that holds it."""
    found = []
    for source, name, mapped in mapped_fields(of):
        found += [(f"{source}.{name}", rule, mapped["quality"]) for rule in mapped.get("quality", [])]
    for name, entity in of.entities.items():
        found += [(name, rule, entity["quality"]) for rule in entity.get("quality", [])]
    return [each for each in found if not names or each[1]["rule"] in names]


@edit
def rule_bounds(chance: random.Random, of: Family) -> str | None:
    place, rule, _ = chance.choice(rules(of, "range", "length") or [(None, None, None)])
    if rule is None:
        return None
    if rule["rule"] == "length":
        limits: list[Any] = [0, 2, 3, 6, 9]
    elif place.endswith("_on"):
        limits = ["1990-01-01", "2000-01-01", "2020-06-01"]
    elif place.endswith((".qty", ".size", ".seq")):
        limits = [-5, 0, 1, 50, 100, 300]
    else:
        limits = [-2, 0, 1, "12.5", 60, 500, 600]
    low, high = sorted(chance.sample(range(len(limits)), 2))
    rule.pop("min", None)
    rule.pop("max", None)
    shape = chance.choice(("min", "max", "both"))
    if shape != "max":
        rule["min"] = limits[low]
    if shape != "min":
        rule["max"] = limits[high]
    return f"{place}: {rule}"


@edit
def rule_added(chance: random.Random, of: Family) -> str | None:
    source, name, mapped = chance.choice([each for each in mapped_fields(of) if is_judged(of, each[0])])
    type_ = of.entities[of.mappings[source]["target"]]["fields"][name]["type"].split("(")[0]
    choices: list[Spec] = [{"rule": "not_null"}, {"rule": "unique"}, {"rule": "coercible"}]
    if type_ == "string":
        choices += [
            {"rule": "pattern", "regex": "^[A-Za-z0-9 -]+$"},
            {"rule": "length", "min": 1, "max": 7},
            {"rule": "charset", "forbid": ["U+0041-U+0042"]},
            {"rule": "normalize", "form": "nfc"},
            {"rule": "in_set", "values": ["a", "gold", "C1", "Ann"]},
        ]
    if type_ == "decimal":
        choices += [{"rule": "exact"}, {"rule": "range", "max": "50.25"}]
    rule = {**chance.choice(choices), "on_fail": chance.choice((FLAG, QUARANTINE))}
    mapped.setdefault("quality", []).append(rule)
    return f"{source}.{name}: {rule}"


@edit
def rule_removed(chance: random.Random, of: Family) -> str | None:
    place, rule, held_by = chance.choice(rules(of) or [(None, None, None)])
    if rule is None:
        return None
    held_by.remove(rule)
    return f"{place}: {rule}"


@edit
def rule_named(chance: random.Random, of: Family) -> str | None:
    place, rule, _ = chance.choice([each for each in rules(of) if each[1]["rule"] != "referential"] or [(None, None, None)])
    if rule is None:
        return None
    rule["name"] = f"named_{chance.randint(1, 999)}"
    return f"{place}: {rule}"


@edit
def disposition(chance: random.Random, of: Family) -> str | None:
    found = [each for each in rules(of) if "on_fail" in each[1]]
    place, rule, _ = chance.choice(found or [(None, None, None)])
    if rule is None:
        return None
    rule["on_fail"] = FLAG if rule["on_fail"] == QUARANTINE else QUARANTINE
    return f"{place}: {rule}"


@edit
def orphans(chance: random.Random, of: Family) -> str | None:
    place, rule, _ = chance.choice(rules(of, "referential") or [(None, None, None)])
    if rule is None:
        return None
    rule["on_missing"] = chance.choice([each for each in ("unknown_member", QUARANTINE, FLAG) if each != rule["on_missing"]])
    return f"{place}: {rule}"


@edit
def referential_added(chance: random.Random, of: Family) -> str | None:
    missing = [
        each
        for each in of.relationships
        if not any(rule.get("via") == each["name"] for rule in of.entities[each["from"]].get("quality", []))
    ]
    if not missing:
        return None
    relationship = chance.choice(missing)
    rule = {"rule": "referential", "via": relationship["name"], "on_missing": chance.choice((QUARANTINE, FLAG))}
    of.entities[relationship["from"]].setdefault("quality", []).append(rule)
    return f"{relationship['from']}: {rule}"


@edit
def expression(chance: random.Random, of: Family) -> str | None:
    kind, holds = chance.choice(
        (
            ("customer", "score > 10"),
            ("customer", "score >= 0"),
            ("customer", "joined_on IS NOT NULL"),
            ("customer", "NOT (name = 'Ann' AND score > 20)"),
            ("order", "qty * price < 1000"),
            ("order", "price > 1"),
            ("payment", "amount < 90 OR paid_on IS NULL"),
        )
    )
    if not of.has(kind):
        return None
    entity = of.of(kind)
    known = [rule for rule in entity.get("quality", []) if rule["rule"] == "expression"]
    if known and chance.random() < 0.5:
        known[0]["expr"] = holds
        return f"{kind}: {known[0]}"
    names = [rule.get("name") for rule in known]
    name = next(name for name in ("one", "two", "three", "four", "five") if name not in names)
    rule = {"rule": "expression", "name": name, "expr": holds, "on_fail": chance.choice((FLAG, QUARANTINE))}
    entity.setdefault("quality", []).append(rule)
    return f"{kind}: {rule}"


@edit
def transform(chance: random.Random, of: Family) -> str | None:
    source, name, mapped = chance.choice([each for each in mapped_fields(of, "string", "decimal") if is_judged(of, each[0])])
    type_ = of.entities[of.mappings[source]["target"]]["fields"][name]["type"].split("(")[0]
    steps = mapped.setdefault("transform", [])
    if type_ == "string":
        choices: list[Any] = ["trim", "upper", "lower", {"nullif": "A"}, {"coalesce": "C1"}, {"strip_prefix": "C"}]
    else:
        choices = [{"nullif": "x"}, {"coalesce": "3"}, {"strip_prefix": "-"}, {"strip_suffix": "5"}]
    if steps and chance.random() < 0.4:
        steps.pop(0)
    else:
        steps.insert(0, chance.choice(choices))
    return f"{source}.{name}: {steps}"


@edit
def enum(chance: random.Random, of: Family) -> str | None:
    for step in of.mapping("customer_raw")["fields"].get("tier", {}).get("transform", []):
        if isinstance(step, dict) and "enum_map" in step:
            step["enum_map"] = chance.choice(
                (["g", "gold"], ["g", "gold", "s", "silver", "x", "extra"], ["s", "silver", "g", "gold"], ["g", "silver", "s", "gold"])
            )
            return str(step)
    return None


@edit
def retyped(chance: random.Random, of: Family) -> str | None:
    kind, name, types = chance.choice(
        (
            ("customer", "score", ("decimal(5,2)", "decimal(6,2)", "decimal(9,3)", "decimal(4,1)", "string")),
            ("order", "price", ("decimal(8,2)", "decimal(10,2)", "decimal(8,3)")),
            ("order", "qty", ("int", "decimal(12,0)", "decimal(12,2)")),
            ("payment", "amount", ("decimal(8,2)", "decimal(9,2)", "decimal(9,4)")),
            ("customer", "joined_on", ("date", "string", "timestamp")),
        )
    )
    if not of.has(kind) or name not in of.of(kind)["fields"]:
        return None
    declared = of.of(kind)["fields"][name]
    declared["type"] = chance.choice([each for each in types if each != declared["type"]])
    return f"{kind}.{name}: {declared}"


@edit
def path(chance: random.Random, of: Family) -> str | None:
    source, name, one, other = chance.choice(
        (
            ("customer_raw", "name", "$.full", "$.alt_name"),
            ("customer_raw", "score", "$.score", "$.alt_score"),
            ("order_raw", "qty", "$.payload.qty", "$.payload.alt_qty"),
            ("bank", "amount", "$.amount", "$.alt_amount"),
            ("region_raw", "title", "$.title", "$.code"),
        )
    )
    mapping = of.mappings.get(f"{source}_{of.name}")
    if mapping is None or name not in mapping["fields"]:
        return None
    mapped = mapping["fields"][name]
    mapped["from"] = other if mapped["from"] == one else one
    return f"{source}.{name}: {mapped['from']}"


@edit
def field_dropped(chance: random.Random, of: Family) -> str | None:
    kind, name = chance.choice((("customer", "name"), ("order", "note"), ("payment", "paid_on"), ("region", "size"), ("customer", "tier")))
    if not of.has(kind) or name not in of.of(kind)["fields"]:
        return None
    del of.of(kind)["fields"][name]
    for mapping in of.mappings.values():
        if mapping["target"] == f"{kind}_{of.name}":
            mapping["fields"].pop(name, None)
    return f"{kind}.{name}"


@edit
def field_added(chance: random.Random, of: Family) -> str | None:
    source, target = chance.choice((("customer_raw", "customer"), ("order_raw", "order"), ("card", "payment"), ("region_raw", "region")))
    mapping = of.mappings.get(f"{source}_{of.name}")
    if mapping is None or "extra" in of.of(target)["fields"]:
        return None
    of.of(target)["fields"]["extra"] = {"type": "string"}
    mapping["fields"]["extra"] = {"from": "$.spare"}
    if "$.spare" in mapping["unmapped"]:
        mapping["unmapped"].remove("$.spare")
    return f"{target}.extra from {source}"


@edit
def mapped_in_another_source(chance: random.Random, of: Family) -> str | None:
    """A field of the merged entity that one of its sources fills or leaves empty."""
    mapping = of.mappings.get(f"bank_{of.name}")
    if mapping is None or "paid_on" not in of.of("payment")["fields"]:
        return None
    if mapping["fields"].pop("paid_on", None) is None:
        mapping["fields"]["paid_on"] = {"from": "$.day"}
    return f"bank.paid_on: {'paid_on' in mapping['fields']}"


@edit
def field_renamed(chance: random.Random, of: Family) -> str | None:
    kind, one, other = chance.choice((("order", "note", "remark"), ("payment", "paid_on", "booked_on"), ("region", "title", "label")))
    if not of.has(kind):
        return None
    fields = of.of(kind)["fields"]
    old, new = (one, other) if one in fields else (other, one)
    if old not in fields:
        return None

    def renamed(names: Spec) -> Spec:
        return {new if name == old else name: value for name, value in names.items()}

    of.of(kind)["fields"] = renamed(fields)
    of.of(kind)["fields"][new] = {**fields[old], "renamed_from": old}
    for mapping in of.mappings.values():
        if mapping["target"] == f"{kind}_{of.name}":
            mapping["fields"] = renamed(mapping["fields"])
    return f"{kind}: {old} is {new}"


@edit
def reordered(chance: random.Random, of: Family) -> str | None:
    name, entity = chance.choice(list(of.entities.items()))
    fields = list(entity["fields"].items())
    chance.shuffle(fields)
    entity["fields"] = dict(fields)
    return name


@edit
def key(chance: random.Random, of: Family) -> str | None:
    if not of.has("payment") or "unknown_member" in json.dumps(of.of("payment").get("quality", [])):
        return None
    longer = of.of("payment")["key"] == ["payment_id"]
    of.of("payment")["key"] = ["payment_id", "order_id"] if longer else ["payment_id"]
    for mapping in of.mappings.values():
        if mapping["target"] == f"payment_{of.name}":
            source, target = (mapping["fields"], mapping["key"]) if longer else (mapping["key"], mapping["fields"])
            target["order_id"] = source.pop("order_id")
    return str(of.of("payment")["key"])


@edit
def dedupe(chance: random.Random, of: Family) -> str | None:
    if not of.has("customer") or "dedupe" not in of.of("customer"):
        return None
    order = of.of("customer")["dedupe"]
    order["field"] = chance.choice(("_ingested_at", "changed_at"))
    order["tie_break"] = chance.choice((["_load_id"], ["seq", "_load_id"], ["_load_id", "seq"]))
    return str(order)


@edit
def dedupe_of_unique_rows(chance: random.Random, of: Family) -> str | None:
    if not of.has("region"):
        return None
    if of.of("region").pop("dedupe", None) is None:
        of.of("region")["dedupe"] = {"keep": "latest_by", "field": "_ingested_at", "tie_break": ["_load_id"]}
    return f"region: {of.of('region').get('dedupe')}"


@edit
def quality(chance: random.Random, of: Family) -> str | None:
    """The plain entity comes under quality control, or leaves it."""
    if not of.has("region"):
        return None
    if of.of("region").pop("quarantine", None) is None:
        of.of("region")["quarantine"] = {"retention": "36500d"}
        rule = {"rule": "range", "min": chance.randint(0, 60), "on_fail": chance.choice((FLAG, QUARANTINE))}
        if "size" in of.of("region")["fields"]:
            of.mapping("region_raw")["fields"]["size"]["quality"] = [rule]
    else:
        for mapped in of.mapping("region_raw")["fields"].values():
            mapped.pop("quality", None)
        of.of("region").pop("quality", None)
    return f"region: {of.of('region').get('quarantine')}"


@edit
def redaction(chance: random.Random, of: Family) -> str | None:
    kind, path = chance.choice((("order", "$.payload.iban"), ("order", "$.spare"), ("customer", "$.spare")))
    if not of.has(kind) or "quarantine" not in of.of(kind):
        return None
    redact = of.of(kind)["quarantine"].setdefault("redact", [])
    if path in redact:
        redact.remove(path)
    else:
        redact.append(path)
        unmapped = of.mapping(f"{kind}_raw")["unmapped"]
        if path == "$.spare" and path not in unmapped:
            unmapped.append(path)
    return f"{kind}: {redact}"


@edit
def unmapped(chance: random.Random, of: Family) -> str | None:
    source, mapping = chance.choice(list(of.mappings.items()))
    if any(mapped["from"] == "$.spare" for mapped in mapping["fields"].values()):
        return None
    listed = mapping["unmapped"]
    listed.remove("$.spare") if "$.spare" in listed else listed.append("$.spare")
    return f"{source}: {listed}"


@edit
def retention(chance: random.Random, of: Family) -> str | None:
    found = [(name, entity) for name, entity in of.entities.items() if "quarantine" in entity]
    name, entity = chance.choice(found)
    entity["quarantine"]["retention"] = chance.choice(("36500d", "40000d", "5000w"))
    return f"{name}: {entity['quarantine']['retention']}"


@edit
def said(chance: random.Random, of: Family) -> str | None:
    """What no row and no reader can tell."""
    name, entity = chance.choice(list(of.entities.items()))
    what = chance.choice(("description", "owner", "grain", "tier", "field", "classification", "rule"))
    words = f"it's {chance.randint(1, 999)}"
    declared = chance.choice(list(entity["fields"].values()))
    if what in ("description", "owner", "grain"):
        entity[what] = words
    elif what == "tier":
        entity["tier"] = chance.choice((1, 2, 3))
    elif what == "field":
        declared["description"] = words
    elif what == "classification":
        declared["classification"] = chance.choice(("public", "internal", "pii"))
    elif entity.get("quality"):
        entity["quality"][0]["description"] = words
    return f"{name}: {what}"


@edit
def grants(chance: random.Random, of: Family) -> str | None:
    name, entity = chance.choice(list(of.entities.items()))
    if entity.pop("grants", None) is None:
        entity["grants"] = {"select": ["analysts"]}
    return name


@edit
def asserted(chance: random.Random, of: Family) -> str | None:
    kind, name, asserts = chance.choice(
        (
            ("region", "size", ({"min": 0, "max": 99}, {"min": 10}, {"max": 99, "not_null": True}, {"min": 0, "max": 40})),
            ("customer", "tier", ({"enum": ["gold", "silver"]}, {"enum": ["silver", "gold", "x"]}, {"not_null": True})),
            ("customer", "customer_id", ({"regex": "^C[0-9]+$"}, {"regex": "^[A-Z][0-9]*$", "not_null": True})),
            ("order", "price", ({"min": 0, "max": "499.99"}, {"min": "0.0"}, {"min": 0, "max": 600})),
            ("payment", "paid_on", ({"min": "2026-01-01"}, {"max": "2026-02-01", "not_null": True})),
        )
    )
    if not of.has(kind) or name not in of.of(kind)["fields"]:
        return None
    declared = of.of(kind)["fields"][name]
    if "assert" in declared and chance.random() < 0.4:
        del declared["assert"]
    else:
        declared["assert"] = chance.choice(asserts)
    return f"{kind}.{name}: {declared}"


@edit
def check(chance: random.Random, of: Family) -> str | None:
    """A check of finished relations comes, goes, or asks for something else."""
    name = of.name
    known = {
        # Always holds, and so may stop.
        "orders_agree": ("reconcile", {"left": f"min(order_{name}.qty) by order_id", "right": f"max(order_{name}.qty) by order_id"}),
        "paid": ("reconcile", {"left": f"sum(payment_{name}.amount) by order_id", "right": f"order_{name}.price"}),
        "paid_often": ("reconcile", {"left": f"count(payment_{name}.amount) by order_id", "right": f"order_{name}.qty"}),
        "scores": ("reconcile", {"left": f"avg(customer_{name}.score) by tier", "right": f"max(customer_{name}.score) by tier"}),
        "sizes": ("reconcile", {"left": f"sum(region_{name}.size) by title", "right": f"count(region_{name}.code) by title"}),
        "customers_order": ("coverage", {"relationship": f"order_customer_{name}"}),
        "orders_are_paid": ("coverage", {"relationship": f"payment_order_{name}"}),
    }
    title = chance.choice(list(known))
    kind, what = known[title]
    listed = of.checks[kind]
    bound = {"tolerance": chance.choice(("0", "0.5", "100"))} if kind == "reconcile" else {"min": chance.choice((1, 2, 3))}
    on_fail = chance.choice((FLAG, "fail")) if title == "orders_agree" else FLAG
    made: Spec = {"name": f"{title}_{name}", **what, **bound, "on_fail": on_fail}
    if chance.random() < 0.2:
        made["description"] = f"it's {chance.randint(1, 999)}"
    before = [each for each in listed if each["name"] == made["name"]]
    for each in before:
        listed.remove(each)
    if before and chance.random() < 0.3:
        return f"{made['name']} is gone"
    if before and kind == "reconcile" and chance.random() < 0.3:
        made["left"], made["right"] = before[0]["right"], before[0]["left"]
    listed.append(made)
    return str(made)


RECIPES = (
    {"requires": {"gross": "decimal(9,3)", "less": "decimal(9,3)"}, "expr": "gross - less"},
    {"requires": {"gross": "decimal(9,3)", "less": "decimal(9,3)"}, "expr": "gross - coalesce(less, 0)"},
    {"requires": {"whole": "decimal(9,3)", "part": "decimal(9,3)"}, "expr": "whole - part"},
    {"requires": {"gross": "string", "less": "decimal(9,3)"}, "expr": "cast(gross as decimal(9,3)) - less"},
    {"requires": {"gross": "decimal(9,3)", "less": "int"}, "expr": "gross - less"},
    {"requires": {"gross": "decimal(9,3)"}, "expr": "gross"},
    {"requires": {"gross": "string"}},
)


@edit
def recipe(chance: random.Random, of: Family) -> str | None:
    """The price is computed, or computed in another way, or read again."""
    mapped = of.mapping("order_raw")["fields"]["price"]
    rules = {"quality": mapped["quality"]} if "quality" in mapped else {}
    if of.recipes and chance.random() < 0.2:
        del of.recipes["price"]
        made = {"from": "$.payload.price"}
    else:
        fresh = copy.deepcopy(chance.choice(RECIPES))
        of.recipes["price"] = {"id": f"net_{of.name}", **fresh}
        paths = ["$.payload.price", chance.choice(("$.payload.less", "$.payload.rebate"))]
        direct = {"direct": mapped["direct"]} if "direct" in mapped else {}
        made = {"recipe": f"net_{of.name}", "from": dict(zip(fresh["requires"], paths)), **direct}
    of.mapping("order_raw")["fields"]["price"] = {**made, **rules}
    return f"{made} by {of.recipes}"


@edit
def recipe_id(chance: random.Random, of: Family) -> str | None:
    """What no row can tell: it is called otherwise."""
    if not of.recipes:
        return None
    name = f"net_{of.name}_{chance.randint(1, 999)}"
    of.recipes["price"]["id"] = of.mapping("order_raw")["fields"]["price"]["recipe"] = name
    return name


@edit
def direct(chance: random.Random, of: Family) -> str | None:
    mapped = of.mapping("order_raw")["fields"]["price"]
    if "recipe" not in mapped:
        return None
    earlier = mapped.pop("direct", None)
    if earlier is None or chance.random() < 0.5:
        mapped["direct"] = "$.payload.net" if earlier is None else "$.note" if earlier != "$.note" else "$.payload.net"
    return str(mapped)


@edit
def calendar(chance: random.Random, of: Family) -> str | None:
    """A project has one date dimension: that of the first family."""
    if of.name != "p":
        return None
    choices = ((2020, 2021), (2020, 2022), (2019, 2021), (2021, 2023))
    of.years = None if of.years and chance.random() < 0.3 else chance.choice(choices)
    return str(of.years)


@edit
def ceiling(chance: random.Random, of: Family) -> str | None:
    name, entity = chance.choice([each for each in of.entities.items() if "quarantine" in each[1]])
    if "ceiling" in entity["quarantine"] and chance.random() < 0.4:
        del entity["quarantine"]["ceiling"]
    else:
        entity["quarantine"]["ceiling"] = chance.choice(("99%", "99.5%", "99.999999%"))
    return f"{name}: {entity['quarantine']}"


@edit
def rails(chance: random.Random, of: Family) -> str | None:
    """Such as stop no run that leaves anything over."""
    name, entity = chance.choice([each for each in of.entities.items() if "quarantine" in each[1]])
    held = entity.setdefault("rails", {})
    rail = chance.choice(("lost", "null_share", "deleted"))
    if rail in held and chance.random() < 0.4:
        del held[rail]
    else:
        held[rail] = chance.choice(("99.9%", "100%", "99.99%"))
    if not held:
        del entity["rails"]
    return f"{name}: {held}"


@edit
def history(chance: random.Random, of: Family) -> str | None:
    """Every version of a region is kept, or no longer."""
    if not of.has("region"):
        return None
    region = of.of("region")
    key = of.mapping("region_raw")["key"]["code"]
    if region.pop("scd", None) is None:
        region["scd"] = "type2"
        region.setdefault("dedupe", {"keep": "latest_by", "field": "_ingested_at", "tie_break": ["_load_id"]})
        region.setdefault("quarantine", {"retention": "36500d"})
        key["quality"] = [{"rule": "not_null", "on_fail": "fail"}]
    else:
        key.pop("quality", None)
    return f"region: {region}"


@edit
def materialization(chance: random.Random, of: Family) -> str | None:
    kind, partitions = chance.choice((("customer", ["days(changed_at)", "tier"]), ("order", ["customer_id"]), ("payment", ["months(paid_on)"])))
    if not of.has(kind):
        return None
    entity = of.of(kind)
    for name in ("materialization", "partition_by", "arrival_lag"):
        entity.pop(name, None)
    entity |= chance.choice(
        (
            {},
            {"materialization": "incremental_by_key"},
            {"materialization": "incremental_by_key", "arrival_lag": chance.choice(("36h", "9d"))},
            {"partition_by": partitions[:1]},
            {"partition_by": partitions, "arrival_lag": "2w"},
        )
    )
    return f"{kind}: {entity.get('materialization')} {entity.get('partition_by')} {entity.get('arrival_lag')}"


@edit
def freshness(chance: random.Random, of: Family) -> str | None:
    source, mapping = chance.choice([each for each in of.mappings.items() if is_judged(of, each[0])])
    mapping["freshness"] = {"warn_after": chance.choice(("90000h", "9000d"))}
    return f"{source}: {mapping['freshness']}"


@edit
def source_of_a_merged_entity(chance: random.Random, of: Family) -> str | None:
    if f"bank_{of.name}" not in of.mappings:
        of.mappings[f"bank_{of.name}"] = copy.deepcopy(family(of.name).mappings[f"bank_{of.name}"])
        longer = of.of("payment")["key"] != ["payment_id"]
        mapping = of.mapping("bank")
        if longer:
            mapping["key"]["order_id"] = mapping["fields"].pop("order_id")
        mapping["fields"] = {name: mapped for name, mapped in mapping["fields"].items() if name in of.of("payment")["fields"]}
        return "bank is there"
    del of.mappings[f"bank_{of.name}"]
    return "bank is gone"


@edit
def entity(chance: random.Random, of: Family) -> str | None:
    fresh = family(of.name)
    name = f"region_{of.name}"
    if name in of.entities:
        del of.entities[name], of.mappings[f"region_raw_{of.name}"]
        return "region is gone"
    of.entities[name] = fresh.entities[name]
    of.mappings[f"region_raw_{of.name}"] = fresh.mappings[f"region_raw_{of.name}"]
    return "region is there"


def edited(chance: random.Random, of: Family, is_right: Callable[[Family], bool], only: str | None = None) -> tuple[Family, str]:
    """The family with one edit that the checker takes, and what it was."""
    for _ in range(200):
        name = only or chance.choice(list(EDITS))
        draft = copy.deepcopy(of)
        try:
            what = EDITS[name](chance, draft)
        except KeyError:
            continue  # an earlier edit took away what this one is about
        # As texts: the order of fields is a difference too.
        if what is not None and documents([draft]) != documents([of]) and is_right(draft):
            return draft, f"{name}: {what}"
    raise AssertionError(f"no edit of family {of.name} is right")
