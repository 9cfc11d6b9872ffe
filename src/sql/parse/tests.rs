use super::{Kind, condition};
use crate::sql::expr::{Comparison, Expr, Operator};
use crate::sql::literal::Literal;
use crate::sql::types::{DecimalType, Type};

fn columns(name: &str) -> Option<Type> {
    let decimal = |precision, scale| Type::Decimal(DecimalType { precision, scale });
    Some(match name {
        "kilos" => decimal(9, 3),
        "price" => decimal(12, 4),
        "wide" => decimal(38, 20),
        "qty" | "other_qty" => Type::Int,
        "crane" => Type::Bool,
        "city" | "country" => Type::String,
        "sent_on" => Type::Date,
        "sent_at" | "seen_at" => Type::Timestamp,
        "payload" => Type::Variant,
        _ => return None,
    })
}

fn taken(text: &str) -> Expr {
    condition(text, &columns)
        .unwrap_or_else(|problems| panic!("{}: {problems:?}", &text[..text.len().min(60)]))
}

fn refused(text: &str, kind: &Kind, part: &str) {
    let Err(problems) = condition(text, &columns) else {
        panic!("{text} was taken")
    };
    assert!(
        problems
            .iter()
            .any(|p| p.kind == *kind && p.message.contains(part)),
        "{}: {problems:?}",
        &text[..text.len().min(60)]
    );
}

#[test]
fn the_language_is_taken() {
    for text in [
        "kilos < 500 OR crane",
        "KILOS < 500 or Crane",
        "\"kilos\" < 500",
        "kilos <= price * qty",
        "NOT (crane AND qty >= 1)",
        "city IS NULL OR city NOT IN ('a', 'b')",
        "qty BETWEEN 1 AND 10.5",
        "city LIKE 'a%' AND country NOT LIKE '_'",
        "CASE WHEN crane THEN qty ELSE 0 END > 1",
        "CASE city WHEN 'a' THEN crane WHEN 'b' THEN NOT crane END",
        "coalesce(city, country, 'x') <> nullif(country, '')",
        "abs(round(kilos, 1)) > 0.5 AND length(trim(lower(upper(city)))) = 2",
        "substring(city from 1 for 2) = 'ab' OR substring(city, 2) = 'b'",
        "extract(year from sent_on) = 2024",
        "greatest(qty, other_qty) > least(qty, 3)",
        "sent_on >= '2024-01-01' AND sent_at < TIMESTAMP '2024-01-01 10:00:00'",
        "sent_on = DATE '2024-02-29' OR sent_on = sent_at",
        "sent_at <= seen_at + INTERVAL '3 days' AND sent_on - INTERVAL '1' MONTH < sent_at",
        "seen_at < sent_at + INTERVAL 2 DAY",
        "cast(city as int) > 3 AND city::decimal(9,2) > 1 AND cast(qty as string) = '1'",
        "qty / other_qty < 2 AND qty % 2 = 0 AND -qty < 0",
        "payload IS NOT NULL",
        "crane = true",
        "qty > -9223372036854775808",
        "city = 'it''s; -- not a comment'",
        "wide > 0",
    ] {
        taken(text);
    }
    taken(&vec!["qty <> 1"; 600].join(" AND "));
}

#[test]
fn the_tree_says_what_every_engine_must_do() {
    let int = |value: i64| Box::new(Expr::int(value));
    let column = |name: &str| Box::new(Expr::column(name));
    assert_eq!(
        taken("sent_on < '2024-01-05'"),
        Expr::column("sent_on").compare(
            Comparison::Less,
            Expr::Literal(Literal::Date("2024-01-05".to_owned())),
        )
    );
    let wide = |name| {
        Box::new(Expr::Cast(
            column(name),
            Type::Decimal(DecimalType {
                precision: 19,
                scale: 0,
            }),
        ))
    };
    assert_eq!(
        taken("qty * 2 > 3"),
        Expr::Arithmetic(wide("qty"), Operator::Multiply, int(2))
            .compare(Comparison::Greater, *int(3))
    );
    let quotient = Expr::Arithmetic(wide("qty"), Operator::Divide, wide("other_qty"));
    let decimal = Type::Decimal(DecimalType {
        precision: 26,
        scale: 6,
    });
    assert_eq!(
        taken("qty / other_qty = 1"),
        Expr::Cast(Box::new(quotient), decimal).compare(Comparison::Equal, *int(1))
    );
    assert_eq!(
        taken("crane OR qty = 1 OR qty = 2"),
        Expr::Or(vec![
            Expr::column("crane"),
            Expr::column("qty").compare(Comparison::Equal, *int(1)),
            Expr::column("qty").compare(Comparison::Equal, *int(2)),
        ])
    );
}

#[test]
fn everything_else_is_refused_by_name() {
    let unknown = |name: &str| Kind::UnknownColumn(name.to_owned());
    for (text, kind, part) in [
        ("qty >", Kind::Syntax, "not an SQL expression"),
        ("", Kind::Syntax, "empty"),
        ("qty > 1 qty", Kind::Syntax, "`qty` behind"),
        ("qty > 1; drop table x", Kind::Syntax, "`;`"),
        ("qty > 1 -- note", Kind::Syntax, "comment"),
        ("qty /* x */ > 1", Kind::Syntax, "comment"),
        ("'open", Kind::Syntax, "not an SQL expression"),
        ("kilo > 1", unknown("kilo"), "`kilo`"),
        ("\"Kilos\" > 1", unknown("Kilos"), "`Kilos`"),
        ("sent_at <= now()", Kind::NotDeterministic, "`now`"),
        (
            "sent_on <= current_date",
            Kind::NotDeterministic,
            "`current_date`",
        ),
        (
            "sent_at <= CURRENT_TIMESTAMP",
            Kind::NotDeterministic,
            "`current_timestamp`",
        ),
        ("random() < 0.5", Kind::NotDeterministic, "`random`"),
        ("city = uuid()", Kind::NotDeterministic, "`uuid`"),
        (
            "city = current_user",
            Kind::NotDeterministic,
            "`current_user`",
        ),
        ("qty IN (select 1)", Kind::Construct, "sub-query"),
        ("exists (select 1)", Kind::Construct, "sub-query"),
        ("qty = (select max(x) from t)", Kind::Construct, "sub-query"),
        ("sum(qty) > 1", Kind::Construct, "aggregate `sum`"),
        (
            "row_number() over () = 1",
            Kind::Construct,
            "window function `row_number`",
        ),
        (
            "max(qty) over () = 1",
            Kind::Construct,
            "window function `max`",
        ),
        (
            "regexp_matches(city, 'a')",
            Kind::Construct,
            "`regexp_matches`",
        ),
        ("city ILIKE 'a'", Kind::Construct, "ILIKE"),
        ("city ~ 'a'", Kind::Construct, "operator"),
        ("city || 'a' = 'b'", Kind::Construct, "`||`"),
        ("parcel.qty > 1", Kind::Construct, "qualified name"),
        ("crane IS TRUE", Kind::Construct, "IS TRUE"),
        ("city = E'a'", Kind::Construct, "literal"),
        ("city = $$a$$", Kind::Construct, "literal"),
        ("city LIKE country", Kind::Construct, "computed pattern"),
        ("city LIKE 'a' ESCAPE '!'", Kind::Construct, "ESCAPE"),
        ("try_cast(city as int) = 1", Kind::Construct, "TRY_CAST"),
        ("cast(city as varchar(3)) = 'a'", Kind::Construct, "cast to"),
        ("cast(city as decimal) = 1", Kind::Construct, "cast to"),
        ("cast(city as double) = 1", Kind::Construct, "cast to"),
        (
            "sent_at - seen_at > INTERVAL '1 day'",
            Kind::Construct,
            "difference of two times",
        ),
        (
            "sent_at > seen_at + INTERVAL '1 day 2 hours'",
            Kind::Construct,
            "interval",
        ),
        (
            "extract(dow from sent_on) = 1",
            Kind::Construct,
            "EXTRACT of `dow`",
        ),
        ("qty = 1e5", Kind::Type, "`1e5`"),
        ("qty", Kind::Type, "not a condition"),
        ("city > 1", Kind::Type, "`string` and `int`"),
        ("qty = 'a'", Kind::Type, "cannot be compared"),
        ("crane = 1", Kind::Type, "cannot be compared"),
        ("sent_on = '2024-02-30'", Kind::Type, "`2024-02-30`"),
        ("sent_on = city", Kind::Type, "cannot be compared"),
        ("sent_on > qty", Kind::Type, "cannot be compared"),
        ("qty AND crane", Kind::Type, "operand of `AND`"),
        ("city + 1 > 2", Kind::Type, "takes numbers"),
        ("qty LIKE 'a'", Kind::Type, "`LIKE` takes"),
        ("length(qty) > 1", Kind::Type, "`length` takes"),
        ("coalesce(qty, 'a') = 1", Kind::Type, "coalesce"),
        (
            "CASE WHEN crane THEN 1 ELSE 'a' END = 1",
            Kind::Type,
            "CASE",
        ),
        ("qty IN (1, 'a')", Kind::Type, "cannot be compared"),
        ("payload = 'a'", Kind::Type, "variant"),
        ("wide * wide > 1", Kind::Type, "40 digits"),
        ("wide > qty", Kind::Type, "39 digits"),
        ("kilos % 2 = 0", Kind::Type, "whole numbers"),
        ("extract(hour from sent_on) = 1", Kind::Type, "EXTRACT"),
        ("1 = 1", Kind::Constant, "names no column"),
        ("crane OR 1 = 1", Kind::Constant, "operand of `OR`"),
        ("qty = NULL", Kind::Constant, "NULL"),
        ("qty NOT IN (1, NULL)", Kind::Constant, "NULL"),
        ("true", Kind::Constant, "names no column"),
    ] {
        refused(text, &kind, part);
    }
}

#[test]
fn nesting_and_length_are_bounded() {
    let deep = format!("{}qty > 1{}", "(".repeat(10_000), ")".repeat(10_000));
    refused(&deep, &Kind::Syntax, "nested deeper");
    refused(&format!("{}crane", "NOT ".repeat(1_000)), &Kind::Syntax, "");
    refused(
        &format!("qty {} > 1", "+ 1 ".repeat(900)),
        &Kind::Syntax,
        "nested deeper",
    );
    refused(
        &vec!["crane"; 10_000].join(" OR "),
        &Kind::Syntax,
        "more than",
    );
}

#[test]
fn all_problems_are_reported_together() {
    let problems = condition("a = 1 AND b = now()", &columns).expect_err("two problems");
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn division_by_a_constant_is_exact() {
    let hundredth = Expr::Literal(Literal::Decimal("0.01".to_owned()));
    assert_eq!(
        taken("price / 100 > 1"),
        Expr::Arithmetic(
            Box::new(Expr::column("price")),
            Operator::Multiply,
            Box::new(hundredth)
        )
        .compare(Comparison::Greater, Expr::int(1))
    );
}
