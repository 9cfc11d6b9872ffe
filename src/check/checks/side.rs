//! A side of `reconcile` as it is written: `sum(parcel.kilos) by depot_no`, `sum(parcel.kilos)`, or
//! `depot.kilos_total`.

use crate::ir::Measure;

/// Names are not resolved yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub(super) measure: Measure,
    pub(super) entity: &'t str,
    pub(super) column: &'t str,
    /// Empty for a total of the whole entity, and for a value, which has the key of its entity.
    pub(super) by: Vec<&'t str>,
}

/// Or why it is none, as a phrase.
pub(super) fn parse(text: &str) -> Result<Written<'_>, String> {
    let text = text.trim();
    let Some((call, rest)) = text.split_once(')') else {
        let (entity, column) = reference(text)?;
        return Ok(Written {
            measure: Measure::Value,
            entity,
            column,
            by: Vec::new(),
        });
    };
    let Some((function, argument)) = call.split_once('(') else {
        return Err("a `)` that nothing opens".to_owned());
    };
    let function = function.trim();
    let measures = [
        Measure::Sum,
        Measure::Count,
        Measure::Avg,
        Measure::Min,
        Measure::Max,
    ];
    let mut measures = measures.into_iter();
    let Some(measure) = measures.find(|measure| measure.name() == Some(function)) else {
        return Err(format!(
            "`{function}` is none of `sum`, `count`, `avg`, `min`, `max`"
        ));
    };
    let (entity, column) = reference(argument.trim())?;
    Ok(Written {
        measure,
        entity,
        column,
        by: groups(rest.trim())?,
    })
}

fn groups(text: &str) -> Result<Vec<&str>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let names = text.strip_prefix("by");
    let Some(names) = names.filter(|names| names.starts_with(char::is_whitespace)) else {
        return Err("behind `)` stands `by` and the fields of the groups".to_owned());
    };
    let by: Vec<&str> = names.split(',').map(str::trim).collect();
    match by.iter().find(|name| !is_name(name)) {
        Some(wrong) => Err(format!("`{wrong}` behind `by` is not a field")),
        None => Ok(by),
    }
}

fn reference(text: &str) -> Result<(&str, &str), String> {
    match text.split_once('.') {
        Some((entity, column)) if is_name(entity) && is_name(column) => Ok((entity, column)),
        Some(_) | None => Err(format!("`{text}` is not `entity.field`")),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::{Written, parse};
    use crate::ir::Measure;

    #[test]
    fn every_form_is_read() {
        let check = |text, measure, entity, column, by: &[&'static str]| {
            let by = by.to_vec();
            let expected = Written {
                measure,
                entity,
                column,
                by,
            };
            assert_eq!(parse(text), Ok(expected), "{text}");
        };
        check("a.b", Measure::Value, "a", "b", &[]);
        check("sum(a.b)", Measure::Sum, "a", "b", &[]);
        check("sum(a.b) by c", Measure::Sum, "a", "b", &["c"]);
        check(
            " avg ( a.b )  by c ,d ",
            Measure::Avg,
            "a",
            "b",
            &["c", "d"],
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "a",
            "a.b.c",
            "a.b by c",
            "sum(a.b) c",
            "sum(a.b) byc",
            "sum(a.b) by",
            "sum(a.b) by c,",
            "sum(a.b) by c d",
            "median(a.b) by c",
            "sum(a) by c",
            "sum a.b) by c",
            "sum(a.b)) by c",
            "sum(A.b) by c",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
