//! `reconcile`: two totals that must agree, group by group. Whatever it computes is exact, or refused
//! here.

use super::side::{self, Written};
use super::{column, entity, on_fail};
use crate::check::world::World;
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Check, CheckKind, DIGITS_OF_AVERAGE, Measure, Reconcile, Side};
use crate::place::{Place, Trail};
use crate::spec::Scalar;
use crate::spec::entity_model::ReconcileSpec;
use crate::sql::literal::{Literal, read};
use crate::sql::types::{DecimalType, Type};

/// Digits that a sum has room for beyond those of a value: a thousand million rows of the greatest.
const DIGITS_OF_ROWS: u8 = 9;
/// Digits before the point of the greatest count.
const DIGITS_OF_COUNT: u8 = 18;
const DIGITS_OF_INT: u8 = 19;

/// A side with what is known of its types.
struct Typed {
    side: Side,
    number: DecimalType,
    by: Vec<Type>,
    place: Place,
}

pub(super) fn resolve(spec: &ReconcileSpec, world: &World<'_>, found: &mut Bag) -> Option<Check> {
    let ReconcileSpec {
        name,
        at,
        left,
        right,
        tolerance,
        on_fail: word,
        description,
    } = spec;
    let on_fail = on_fail(word, at, found);
    let tolerance = match tolerance {
        Some(scalar) => self::tolerance(scalar, at, found),
        None => Some("0".to_owned()),
    };
    let left = typed(left, at.key("left"), world, found);
    let right = typed(right, at.key("right"), world, found);
    let (left, right, tolerance) = (left?, right?, tolerance?);
    let right = aligned(&left, right, found)?;
    let scale = exact(&left, &right, &tolerance, found)?;
    Some(Check {
        name: name.clone(),
        place: at.place(),
        description: description.clone(),
        on_fail: on_fail?,
        kind: CheckKind::Reconcile(Reconcile {
            left: left.side,
            right: right.side,
            tolerance,
            scale,
        }),
    })
}

/// Without needless zeros behind the point.
fn tolerance(scalar: &Scalar, at: &Trail, found: &mut Bag) -> Option<String> {
    let Scalar { text, quoted } = scalar;
    let refuse = |message: String, label: &str, help: String| {
        Diagnostic::error(e04xx::TOLERANCE, at.key("tolerance"), message)
            .label(label)
            .help(help)
    };
    let any = DecimalType {
        precision: 38,
        scale: 0,
    };
    let number = match read::read(Type::Decimal(any), text) {
        Ok(Literal::Decimal(number)) => number,
        Ok(_) | Err(_) => {
            found.push(refuse(
                format!("`{text}` is no tolerance"),
                "an exact decimal of at most 38 digits",
                "write digits in quotes, as `\"0.5\"`".to_owned(),
            ));
            return None;
        }
    };
    if !quoted {
        found.push(refuse(
            format!("the tolerance {text} is not quoted"),
            "YAML may read a bare number as a float",
            format!("write `\"{text}\"`"),
        ));
        return None;
    }
    if number.starts_with('-') {
        found.push(refuse(
            format!("the tolerance {text} is negative"),
            "no two totals differ by less than nothing",
            "write how far apart they may be, in either direction".to_owned(),
        ));
        return None;
    }
    Some(match number.contains('.') {
        true => number
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => number,
    })
}

fn typed(text: &str, place: Place, world: &World<'_>, found: &mut Bag) -> Option<Typed> {
    let Written {
        measure,
        entity: name,
        column: of,
        by,
    } = match side::parse(text) {
        Ok(written) => written,
        Err(why) => {
            found.push(
                Diagnostic::error(
                    e04xx::RECONCILE_SIDE,
                    place,
                    format!("`{text}` is no side of `reconcile`"),
                )
                .label(why)
                .help("write `sum(entity.field) by field, field`, `sum(entity.field)` or `entity.field`"),
            );
            return None;
        }
    };
    let entity = entity(name, &place, world, found)?;
    let ty = column(entity, of, &place, found);
    let by: Vec<String> = match measure {
        Measure::Value => entity
            .spec
            .key
            .iter()
            .map(|key| key.value.clone())
            .collect(),
        Measure::Sum | Measure::Count | Measure::Avg | Measure::Min | Measure::Max => {
            by.into_iter().map(str::to_owned).collect()
        }
    };
    let mut types = Vec::new();
    for (index, name) in by.iter().enumerate() {
        if by[..index].contains(name) {
            found.push(
                Diagnostic::error(
                    e04xx::RECONCILE_GROUPS,
                    place.clone(),
                    format!("`{name}` stands behind `by` twice"),
                )
                .help("name each field of the groups once"),
            );
            return None;
        }
        types.push(column(entity, name, &place, found));
    }
    let number = number(measure, of, ty?, &place, found);
    let by_types: Option<Vec<Type>> = types.into_iter().collect();
    let by_types = by_types?;
    let variant = by
        .iter()
        .zip(&by_types)
        .find(|(_, ty)| **ty == Type::Variant);
    if let Some((name, _)) = variant {
        found.push(
            Diagnostic::error(
                e04xx::RECONCILE_TYPE,
                place,
                format!("groups by `{name}`, which is a `variant`"),
            )
            .label("two spellings of one JSON value are not equal")
            .help("map the part of it that tells one group from another"),
        );
        return None;
    }
    Some(Typed {
        side: Side {
            entity: name.to_owned(),
            measure,
            column: of.to_owned(),
            by,
        },
        number: number?,
        by: by_types,
        place,
    })
}

/// Room for every value of the measure.
fn number(
    measure: Measure,
    name: &str,
    ty: Type,
    place: &Place,
    found: &mut Bag,
) -> Option<DecimalType> {
    let own = match ty {
        _ if measure == Measure::Count => DecimalType {
            precision: DIGITS_OF_COUNT,
            scale: 0,
        },
        Type::Int => DecimalType {
            precision: DIGITS_OF_INT,
            scale: 0,
        },
        Type::Decimal(decimal) => decimal,
        Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            let what = match measure.name() {
                Some(function) => format!("`{function}` of `{name}`"),
                None => format!("the value of `{name}`"),
            };
            found.push(
                Diagnostic::error(
                    e04xx::RECONCILE_TYPE,
                    place.clone(),
                    format!("{what}, which is of type `{ty}`"),
                )
                .label("only numbers differ by a number")
                .help("compare an `int` or a decimal, or `count` the rows that have a value"),
            );
            return None;
        }
    };
    Some(match measure {
        Measure::Value | Measure::Count | Measure::Min | Measure::Max => own,
        Measure::Sum | Measure::Avg => DecimalType {
            precision: own.precision.saturating_add(DIGITS_OF_ROWS),
            scale: own.scale,
        },
    })
}

/// The right side with its groups in the order of the left: by name where both have the same names,
/// else by position.
fn aligned(left: &Typed, right: Typed, found: &mut Bag) -> Option<Typed> {
    let (one, other) = (&left.side.by, &right.side.by);
    let refuse = |message: String, label: String| {
        Diagnostic::error(e04xx::RECONCILE_GROUPS, right.place.clone(), message)
            .label(label)
            .also(left.place.clone(), "the other side")
            .help("group both sides by as many fields of the same types, in one order")
    };
    let listed = |names: &[String]| match names {
        [] => "nothing".to_owned(),
        _ => format!("`{}`", names.join(", ")),
    };
    if one.len() != other.len() {
        let message = format!("groups by {} and by {}", listed(one), listed(other));
        let label = format!("{} against {}", one.len(), other.len());
        found.push(refuse(message, label));
        return None;
    }
    let mut order: Vec<usize> = (0..other.len()).collect();
    if one.iter().all(|name| other.contains(name)) {
        order = one
            .iter()
            .filter_map(|name| other.iter().position(|there| there == name))
            .collect();
    } else if let Some(name) = one.iter().zip(other).find_map(|(here, there)| {
        (here != there && (other.contains(here) || one.contains(there))).then_some(here)
    }) {
        let message = format!("groups by {} and by {}", listed(one), listed(other));
        found.push(refuse(
            message,
            format!("the place of `{name}` says one thing, its name another"),
        ));
        return None;
    }
    let Typed {
        side,
        number,
        by,
        place,
    } = &right;
    for (here, index) in order.iter().enumerate() {
        let (left_ty, right_ty) = (left.by[here], by[*index]);
        if left_ty != right_ty {
            let message = format!(
                "`{}.{}` is of type `{left_ty}`, `{}.{}` of type `{right_ty}`",
                left.side.entity, one[here], side.entity, other[*index]
            );
            found.push(refuse(
                message,
                "engines disagree about comparing them".to_owned(),
            ));
            return None;
        }
    }
    Some(Typed {
        side: Side {
            by: order.iter().map(|index| side.by[*index].clone()).collect(),
            ..side.clone()
        },
        number: *number,
        by: order.iter().map(|index| by[*index]).collect(),
        place: place.clone(),
    })
}

/// The digits behind the point that everything is compared with, where 38 digits are enough for
/// everything that is computed.
fn exact(left: &Typed, right: &Typed, tolerance: &str, found: &mut Bag) -> Option<u8> {
    let tolerated = read::digits(tolerance)?;
    let scale = left
        .number
        .scale
        .max(right.number.scale)
        .max(tolerated.scale);
    let whole = |number: DecimalType| number.precision.saturating_sub(number.scale);
    let is_average = |side: &Typed| side.side.measure == Measure::Avg;
    let averages = [left, right].map(is_average);
    let rows = |of: bool| if of { DIGITS_OF_ROWS } else { 0 };
    let shown = if averages.contains(&true) {
        scale.saturating_add(DIGITS_OF_AVERAGE)
    } else {
        scale
    };
    let sum = |parts: &[u8]| {
        parts
            .iter()
            .fold(0_u8, |sum, part| sum.saturating_add(*part))
    };
    let mut needed = sum(&[
        whole(tolerated),
        rows(averages[0]),
        rows(averages[1]),
        scale,
    ]);
    for (side, is_average, other) in [
        (left, averages[0], averages[1]),
        (right, averages[1], averages[0]),
    ] {
        let digits = whole(side.number);
        // The difference has a digit more than either, and is multiplied by the rows of the other.
        needed = needed.max(sum(&[1, digits, shown]));
        needed = needed.max(sum(&[1, digits, rows(other), scale]));
        if is_average {
            needed = needed.max(sum(&[digits, shown, scale]));
        }
    }
    if usize::from(needed) <= read::MOST_DIGITS {
        return Some(scale);
    }
    found.push(
        Diagnostic::error(
            e04xx::RECONCILE_DIGITS,
            left.place.clone(),
            format!("the comparison needs {needed} digits"),
        )
        .label("engines compute exactly with 38")
        .also(right.place.clone(), "the other side")
        .help(
            "declare the fields with fewer digits, compare `sum` and `count` in place of `avg`, or \
             tolerate with fewer digits behind the point",
        ),
    );
    None
}
