//! Every kind of expression, as each dialect spells it: a golden for each, a line for each dialect.

use super::golden::{Golden, folder, names_in};
use crate::settings::{Dialect, PostgresRelease};
use crate::sql::dialect::spelling;
use crate::sql::expr::{
    Accept, Aggregate, DateFormat, Directive, Expr, Func, Operator, Part, Period, Segment, Unit,
};
use crate::sql::literal::Literal;
use crate::sql::print::{Style, print};
use crate::sql::regex::Regex;
use crate::sql::spell::spell;
use crate::sql::types::{DecimalType, Type};

const PRICE: DecimalType = DecimalType {
    precision: 12,
    scale: 2,
};

fn x() -> Box<Expr> {
    Box::new(Expr::column("x"))
}

fn call(function: Func, more: &[Expr]) -> Expr {
    Expr::Call(function, [&[Expr::column("x")], more].concat())
}

fn parse(accept: Accept) -> Expr {
    Expr::Parse(x(), accept)
}

fn timestamp(format: DateFormat, zone: Option<&str>) -> Expr {
    parse(Accept::Timestamp {
        format,
        zone: zone.map(str::to_owned),
    })
}

fn regex(source: &str) -> Regex {
    Regex::parse_capturing(source).expect("a pattern of the subset")
}

fn german() -> DateFormat {
    let text = |text: &str| Directive::Text(text.to_owned());
    DateFormat::Strptime(vec![
        Directive::Day,
        text("."),
        Directive::Month,
        text("."),
        Directive::Year2,
    ])
}

fn with_offset() -> DateFormat {
    let text = |text: &str| Directive::Text(text.to_owned());
    DateFormat::Strptime(vec![
        Directive::MonthName,
        text(" "),
        Directive::Day,
        text(" "),
        Directive::Year4,
        text(" "),
        Directive::Hour12,
        text(":"),
        Directive::Minute,
        text(" "),
        Directive::AmPm,
        text(" "),
        Directive::Offset,
    ])
}

fn paths() -> Vec<Vec<Segment>> {
    vec![
        vec![Segment::Key("a".to_owned()), Segment::Key("b c".to_owned())],
        vec![Segment::Key("list".to_owned()), Segment::Index(0)],
    ]
}

fn expressions() -> Vec<(&'static str, Expr)> {
    let text = |text: &str| Expr::text(text);
    vec![
        ("abs", call(Func::Abs, &[])),
        (
            "add-months",
            Expr::AddInterval {
                value: x(),
                amount: -3,
                unit: Unit::Month,
            },
        ),
        ("concat", call(Func::Concat, &[text("é'\\")])),
        (
            "captured",
            Expr::Captured {
                text: x(),
                regex: regex("no-([0-9]+)"),
                group: 1,
            },
        ),
        (
            "captured-whole",
            Expr::Captured {
                text: x(),
                regex: regex("[0-9]+"),
                group: 0,
            },
        ),
        (
            "digest",
            Expr::Digest {
                constant: "shop".to_owned(),
                text: x(),
            },
        ),
        (
            "divide",
            Expr::Arithmetic(x(), Operator::Divide, Expr::column("y").into()),
        ),
        (
            "each-day",
            Expr::EachDay(
                Expr::Literal(Literal::Timestamp("2024-02-28".to_owned())).into(),
                Expr::Literal(Literal::Timestamp("2024-03-01".to_owned())).into(),
            ),
        ),
        ("extract-iso-week", Expr::Extract(Part::IsoWeek, x())),
        ("extract-second", Expr::Extract(Part::Second, x())),
        ("greatest", call(Func::Greatest, &[Expr::column("y")])),
        ("has-bit", Expr::HasBit { mask: x(), bit: 4 }),
        (
            "has-code-point",
            Expr::HasCodePoint {
                text: x(),
                ranges: vec![(0x20, 0x7e), (0x1f600, 0x1f64f)],
                outside: true,
            },
        ),
        (
            "json-document",
            Expr::JsonDocument {
                text: x(),
                paths: paths(),
            },
        ),
        (
            "json-member",
            Expr::JsonMember {
                document: x(),
                paths: paths(),
                path: paths().remove(1),
            },
        ),
        (
            "json-object",
            Expr::JsonObject(vec![
                ("a".to_owned(), *x()),
                ("b".to_owned(), Expr::null(Type::String)),
            ]),
        ),
        (
            "json-text",
            Expr::JsonText {
                document: x(),
                path: paths().remove(0),
            },
        ),
        ("length", call(Func::Length, &[])),
        (
            "like",
            Expr::Like {
                value: x(),
                pattern: "a\\_%".to_owned(),
                negated: false,
            },
        ),
        (
            "loses-digits",
            Expr::LosesDigits {
                text: x(),
                scale: 2,
            },
        ),
        ("lower", call(Func::Lower, &[])),
        ("mask", Expr::Mask(vec![(*x(), 1), (Expr::column("y"), 2)])),
        (
            "matches",
            Expr::Matches(x(), regex(r"^\d{300}.\s?[^a-z\]]*$")),
        ),
        (
            "modulo",
            Expr::Arithmetic(x(), Operator::Modulo, Expr::int(7).into()),
        ),
        (
            "names",
            Expr::Names(vec![
                (*x(), "one".to_owned()),
                (Expr::column("y"), "two".to_owned()),
            ]),
        ),
        (
            "newest-first",
            Expr::NewestFirst {
                partition: vec![*x()],
                order: vec![Expr::column("y")],
            },
        ),
        ("nfc", Expr::Nfc(x())),
        ("no-names", Expr::NoNames),
        (
            "null-on-error",
            Expr::NullOnError(
                Expr::Cast(
                    Expr::Arithmetic(
                        x(),
                        Operator::Multiply,
                        Expr::Literal(Literal::Decimal("1.5".to_owned())).into(),
                    )
                    .into(),
                    Type::Decimal(PRICE),
                )
                .into(),
                Type::Decimal(PRICE),
            ),
        ),
        (
            "null-on-error-int",
            Expr::NullOnError(Expr::Cast(x(), Type::Int).into(), Type::Int),
        ),
        (
            "or-raise",
            Expr::OrRaise {
                value: x(),
                input: Expr::column("text").into(),
                what: "not a value".to_owned(),
            },
        ),
        ("parse-bool", parse(Accept::Bool)),
        ("parse-date", parse(Accept::Date(DateFormat::Iso))),
        ("parse-date-as", parse(Accept::Date(german()))),
        (
            "parse-decimal",
            parse(Accept::Decimal {
                precision: 12,
                scale: 2,
            }),
        ),
        ("parse-int", parse(Accept::Int)),
        ("parse-json", parse(Accept::Json)),
        ("parse-timestamp", timestamp(DateFormat::Iso, None)),
        ("parse-timestamp-as", timestamp(with_offset(), None)),
        (
            "parse-timestamp-in-zone",
            timestamp(DateFormat::Iso, Some("Europe/Copenhagen")),
        ),
        (
            "part",
            Expr::Part {
                text: x(),
                delimiter: ", ".to_owned(),
                index: 3,
            },
        ),
        ("quotient", Expr::Quotient(x(), Expr::column("y").into())),
        (
            "redacted",
            Expr::Redacted {
                document: x(),
                paths: vec![paths().remove(0)],
            },
        ),
        ("round", call(Func::Round, &[Expr::int(2)])),
        ("start-of-week", Expr::StartOf(Period::Week, x())),
        (
            "strip-prefix",
            Expr::StripPrefix {
                text: x(),
                affix: "no ".to_owned(),
            },
        ),
        (
            "strip-suffix",
            Expr::StripSuffix {
                text: x(),
                affix: " €".to_owned(),
            },
        ),
        (
            "substring",
            call(Func::Substring, &[Expr::int(2), Expr::int(3)]),
        ),
        ("sum", Expr::Aggregate(Aggregate::Sum, x())),
        ("to-text", Expr::ToText(x())),
        ("trim", call(Func::Trim, &[])),
        ("upper", call(Func::Upper, &[])),
    ]
}

#[test]
fn every_dialect_spells_expressions_as_reviewed() {
    let mut golden = Golden::default();
    for (name, expr) in expressions() {
        let spelled = |dialect: Dialect| {
            let sql = print(&spell(&expr, spelling(dialect)), Style::Plain);
            let line: Vec<&str> = sql.lines().map(str::trim).collect();
            line.join(" ")
        };
        let mut text = String::new();
        for dialect in Dialect::ALL {
            text.push_str(&format!("{}: {}\n", dialect.name(), spelled(dialect)));
        }
        let [newer, older] = [PostgresRelease::From16, PostgresRelease::From13]
            .map(|release| spelled(Dialect::Postgres(release)));
        if newer != older {
            text.push_str(&format!("postgres before 16: {older}\n"));
        }
        golden.check(&format!("expressions/{name}.txt"), &text);
    }
    golden.finish();
}

#[test]
fn no_golden_expression_is_left_over() {
    let known: Vec<String> = expressions()
        .iter()
        .map(|(name, _)| format!("{name}.txt"))
        .collect();
    for file in names_in(&folder("golden/expressions")) {
        assert!(
            known.contains(&file),
            "golden/expressions/{file} is of no expression"
        );
    }
}
