//! JSON on PostgreSQL. Documents are read as JSON, not JSONB, which keeps numbers as delivered;
//! JSONB is what they are tested as, for it alone refuses an escape that no text can hold.

use super::{InputTest, by_code_point};
use crate::sql::expr::Segment;
use crate::sql::text::Sql;

/// A function takes 100 arguments, a key and a value for each member.
const MEMBERS: usize = 50;

pub(super) fn parse<T: InputTest>(text: Sql) -> Sql {
    Sql::when(T::is_valid(text.clone(), "jsonb"), text.cast("JSON"))
}

pub(super) fn text<T: InputTest>(document: Sql, path: &[Segment]) -> Sql {
    leaf(parse::<T>(document), path)
}

pub(super) fn document<T: InputTest>(text: Sql, _: &[Vec<Segment>]) -> Sql {
    parse::<T>(text)
}

pub(super) fn member(document: Sql, _: &[Vec<Segment>], path: &[Segment]) -> Sql {
    leaf(document, path)
}

pub(super) fn object(pairs: Vec<(Sql, Sql)>) -> Sql {
    let mut objects: Vec<Sql> = pairs
        .chunks(MEMBERS)
        .map(|members| {
            let arguments = members.iter().cloned();
            let arguments = arguments.flat_map(|(key, value)| [key, value]).collect();
            Sql::Call("JSONB_BUILD_OBJECT", arguments)
        })
        .collect();
    match objects.len() {
        0 => Sql::text("{}").cast("JSONB"),
        1 => objects.remove(0),
        _ => Sql::concat(objects),
    }
}

pub(super) fn redacted<T: InputTest>(document: Sql, paths: &[Vec<Segment>]) -> Sql {
    let whole = document.clone().cast("JSONB");
    let type_of = |path: &[Segment]| {
        let value = match path {
            [] => whole.clone(),
            _ => Sql::Arrows(
                Box::new(whole.clone()),
                path.iter()
                    .map(|segment| ("->", operand(segment)))
                    .collect(),
            ),
        };
        Sql::Call("JSONB_TYPEOF", vec![value])
    };
    let mut holders: Vec<&[Segment]> = paths
        .iter()
        .flat_map(|path| (0..path.len()).map(|depth| &path[..depth]))
        .collect();
    holders.sort();
    holders.dedup();
    // What is to go may be in any member of a list, so a list goes as a whole.
    let through_list = Sql::In {
        value: Box::new(Sql::text("array")),
        list: holders.into_iter().map(type_of).collect(),
        negated: false,
    };
    let removals = paths.iter().map(|path| {
        let names = path.iter().map(|segment| match segment {
            Segment::Key(key) => Sql::text(key),
            Segment::Index(index) => Sql::Text(index.to_string()),
        });
        ("#-", Sql::Array("ARRAY", names.collect()))
    });
    let less = Sql::Arrows(Box::new(whole.clone()), removals.collect());
    let is_object = type_of(&[]).compare("=", Sql::text("object"));
    let redacted = Sql::Case {
        arms: vec![(through_list, Sql::word("NULL")), (is_object, less)],
        otherwise: Some(Box::new(whole)),
    };
    Sql::when(T::is_valid(document, "jsonb"), redacted)
}

/// `document -> 'items' -> 0 ->> 'sku'`: a key is looked for in objects only, a number in lists.
fn leaf(document: Sql, path: &[Segment]) -> Sql {
    let last = path.len().saturating_sub(1);
    let steps = path
        .iter()
        .enumerate()
        .map(|(at, segment)| {
            let operator = if at == last { "->>" } else { "->" };
            (operator, operand(segment))
        })
        .collect();
    by_code_point(Sql::Arrows(Box::new(document), steps))
}

fn operand(segment: &Segment) -> Sql {
    match segment {
        Segment::Key(key) => Sql::text(key),
        Segment::Index(index) => Sql::word(index.to_string()),
    }
}
