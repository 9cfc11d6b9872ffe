"""P13–P17: what text is a value of which type."""

from case import Case, Refusal, column, rows, single

NOT_INTEGERS = ("1.7", "2.5", "-0.5", "1e3", "1E-7", "1_000", "0x1F", ".5", "", " 1", "1 ", "+", "9223372036854775808", "١", "1.0")
INTEGERS = {
    "0042": "42",
    "+7": "7",
    "-0": "0",
    "9223372036854775807": "9223372036854775807",
    "-9223372036854775808": "-9223372036854775808",
    "00000000000000000000000000000001": "1",
}

REFUSALS = [
    Refusal(
        "p14_a_decimal_without_scale",
        single("p14_bare", types="id: {type: string}\nx: {type: decimal}", mapping='x: {from: "$.x"}'),
        ["decimal", "p14_bare.yaml:8:"],
    ),
    Refusal(
        "p16_there_is_no_floating_type",
        single("p16_double", types="id: {type: string}\nx: {type: double}", mapping='x: {from: "$.x"}'),
        ["double", "p16_double.yaml:8:"],
    ),
]

CASES = [
    Case(
        "p13_text_that_is_no_integer",
        single(
            "p13",
            types="id: {type: string}\nquantity: {type: int}",
            mapping='quantity: {from: "$.q", transform: [to_int]}',
        ),
        {"p13_raw": column("q", *NOT_INTEGERS, *INTEGERS, None)},
        {
            "p13": {
                **{f"r{at}": "quarantine: quantity_coercible" for at in range(1, len(NOT_INTEGERS) + 1)},
                **{f"r{len(NOT_INTEGERS) + at}": "pass" for at in range(1, len(INTEGERS) + 2)},
            }
        },
        {"p13": {f"r{len(NOT_INTEGERS) + at}": {"quantity": n} for at, n in enumerate(INTEGERS.values(), start=1)}},
    ),
    Case(
        "p14_digits_that_do_not_fit",
        single(
            "p14",
            types="id: {type: string}\nprice: {type: 'decimal(12,2)'}",
            mapping='price: {from: "$.p", transform: [{to_decimal: [12, 2]}]}',
        ),
        {
            "p14_raw": column(
                "p", "12.505", "12.515", "1E-7", "9999999999.995", "10000000000", "1.0029999999999999",
                "12.50", "12.500", "-12.505", "9999999999.99", "-0.001", "0000000000012.5", "5.", ".5", ".",
            )
        },
        {
            "p14": {
                "r1": "flag: price_exact",
                "r2": "flag: price_exact",
                "r3": "quarantine: price_coercible",
                "r4": "quarantine: price_coercible",
                "r5": "quarantine: price_coercible",
                "r6": "flag: price_exact",
                "r7": "pass",
                "r8": "pass",
                "r9": "flag: price_exact",
                "r10": "pass",
                "r11": "flag: price_exact",
                "r12": "pass",
                "r13": "pass",
                "r14": "pass",
                "r15": "quarantine: price_coercible",
            }
        },
        {
            "p14": {
                "r1": {"price": "12.51"},
                "r2": {"price": "12.52"},
                "r6": {"price": "1.00"},
                "r7": {"price": "12.50"},
                "r9": {"price": "-12.51"},
                "r10": {"price": "9999999999.99"},
                "r11": {"price": "0.00"},
                "r12": {"price": "12.50"},
                "r14": {"price": "0.50"},
            }
        },
    ),
    Case(
        "p15_one_instant_whatever_the_zone",
        single(
            "p15",
            types="id: {type: string}\nat: {type: timestamp}",
            mapping='at: {from: "$.at", transform: [{parse_ts: ISO8601}]}',
        ),
        {
            "p15_raw": column(
                "at", "2024-01-05T10:00:00+02:00", "2024-01-05T08:00:00Z", "2024-01-05 10:00:00", "2024-01-05",
                "2024-01-05T10:00", "2024-01-05T10:00:00.123456-0530", "2024-01-05T10:00:00.1+01",
                "2024-01-05T24:00:00", "2024-01-05 10:00:00 nonsense", "2024-01-05T10:00:60Z", "2024-01-05T10:00:00.1234567",
                "0001-01-01", "10000-01-01", "now", "2024-01-05 10:00:00 PM", "2024-02-30T00:00:00",
            )
        },
        {
            "p15": {
                **{f"r{n}": "pass" for n in (1, 2, 3, 4, 5, 6, 7, 12)},
                **{f"r{n}": "quarantine: at_coercible" for n in (8, 9, 10, 11, 13, 14, 15, 16)},
            }
        },
        {
            "p15": {
                "r1": {"at": "2024-01-05 08:00:00"},
                "r2": {"at": "2024-01-05 08:00:00"},
                "r3": {"at": "2024-01-05 10:00:00"},
                "r4": {"at": "2024-01-05 00:00:00"},
                "r5": {"at": "2024-01-05 10:00:00"},
                "r6": {"at": "2024-01-05 15:30:00.123456"},
                "r7": {"at": "2024-01-05 09:00:00.1"},
                "r12": {"at": "0001-01-01 00:00:00"},
            }
        },
    ),
    Case(
        "p15_a_naive_time_of_a_named_zone",
        single(
            "p15_zone",
            types="id: {type: string}\nat: {type: timestamp}",
            mapping='at: {from: "$.at", transform: [{parse_ts: ISO8601}, {to_utc: Europe/Copenhagen}]}',
        ),
        {"p15_zone_raw": column("at", "2024-01-05 10:00:00", "2024-07-05 10:00:00")},
        {"p15_zone": {"r1": "pass", "r2": "pass"}},
        {"p15_zone": {"r1": {"at": "2024-01-05 09:00:00"}, "r2": {"at": "2024-07-05 08:00:00"}}},
    ),
    Case(
        "p16_what_is_not_finite_is_no_number",
        single(
            "p16",
            types="id: {type: string}\nscore: {type: 'decimal(9,2)'}\nlow: {type: 'decimal(9,2)'}",
            mapping="""
                score: {from: "$.s", transform: [{to_decimal: [9, 2]}], quality: [{rule: range, min: 0, max: 100, on_fail: quarantine}]}
                low: {from: "$.s", transform: [{to_decimal: [9, 2]}], quality: [{rule: range, min: 0, on_fail: quarantine}]}
            """,
        ),
        {"p16_raw": column("s", "nan", "Infinity", "-inf", "1e400", "50")},
        {"p16": {**{f"r{n}": "quarantine: low_coercible, score_coercible" for n in (1, 2, 3, 4)}, "r5": "pass"}},
    ),
    Case(
        "booleans",
        single(
            "p16_bool",
            types="id: {type: string}\nyes: {type: bool}",
            mapping='yes: {from: "$.b", transform: [to_bool]}',
        ),
        {
            "p16_bool_raw": column(
                "b", "true", "T", "1", "YES", "y", "False", "f", "0", "No", "n", None, "", "2", "on", "tru", " true", "NULL"
            )
        },
        {
            "p16_bool": {
                **{f"r{n}": "pass" for n in range(1, 12)},
                **{f"r{n}": "quarantine: yes_coercible" for n in range(12, 18)},
            }
        },
        {
            "p16_bool": {
                **{f"r{n}": {"yes": "true"} for n in range(1, 6)},
                **{f"r{n}": {"yes": "false"} for n in range(6, 11)},
                "r11": {"yes": None},
            }
        },
    ),
    Case(
        "p17_the_empty_text_is_not_null",
        single(
            "p17",
            key="code, part",
            types="code: {type: string}\npart: {type: string}",
            keys='code: {from: "$.code"}\npart: {from: "$.part"}',
            mapping="{}",
            settings="dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
        ),
        {
            "p17_raw": rows(
                {"code": None, "part": "1"}, {"code": "", "part": "1"}, {"code": "NULL", "part": "1"}, {"code": "_null_", "part": "1"}
            )
        },
        {"p17": {"r1": "quarantine: code_not_null", "r2": "pass", "r3": "pass", "r4": "pass"}},
    ),
]
