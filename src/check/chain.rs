//! Transform chains: every step named, its arguments read, its type known. A chain starts as text;
//! where it ends as text and the field is no string, the accept set's own conversion is added.

mod formats;
mod numbers;
mod steps;

use crate::diag::code::e03xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Step, StepOp};
use crate::place::Place;
use crate::spec::Scalar;
use crate::spec::mapping::{MappedFieldSpec, Transform};
use crate::sql::expr::DateFormat;
use crate::sql::literal::{Literal, read};
use crate::sql::types::Type;

/// What one transform does to a chain. `None`: it has reported why it cannot.
type Apply = fn(&mut Chain<'_>, &Transform) -> Option<()>;

/// Every transform, sorted by name.
const TRANSFORMS: &[(&str, Apply)] = &[
    ("abs", numbers::abs),
    ("coalesce", steps::coalesce),
    ("concat", steps::concat),
    ("divide", numbers::divide),
    ("enum_map", steps::enum_map),
    ("json_path", steps::json_path),
    ("lower", steps::lower),
    ("multiply", numbers::multiply),
    ("nullif", steps::nullif),
    ("parse_date", steps::parse_date),
    ("parse_ts", steps::parse_ts),
    ("regex_extract", steps::regex_extract),
    ("round", numbers::round),
    ("split_part", steps::split_part),
    ("strip_prefix", steps::strip_prefix),
    ("strip_suffix", steps::strip_suffix),
    ("to_bool", steps::to_bool),
    ("to_decimal", numbers::to_decimal),
    ("to_int", numbers::to_int),
    ("to_string", steps::to_string),
    ("to_utc", steps::to_utc),
    ("trim", steps::trim),
    ("upper", steps::upper),
];

/// The names of all transforms, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TRANSFORMS.iter().map(|(name, _)| *name)
}

/// The steps that make the text of a path a value of `target`; it is `None` where an error has been
/// reported that leaves the field without a type.
pub(super) fn resolve(
    field: &MappedFieldSpec,
    target: Option<Type>,
    found: &mut Bag,
) -> Option<Vec<Step>> {
    let mut chain = Chain {
        found,
        ty: Type::String,
        steps: Vec::new(),
    };
    let mut transforms = field.transform.iter();
    while let Some(transform) = transforms.next() {
        if chain.apply(transform).is_none() {
            // What reaches the others is not known any more; whether there are such transforms is.
            transforms.for_each(|later| {
                chain.known(later);
            });
            return None;
        }
    }
    chain.finish(field, target?)?;
    Some(chain.steps)
}

/// Whether a non-NULL text can leave these steps as NULL without the author saying so.
pub(super) fn can_fail(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.op {
        StepOp::ToInt
        | StepOp::ToDecimal
        | StepOp::ToBool
        | StepOp::ParseTs(_)
        | StepOp::ParseDate(_)
        | StepOp::ToUtc(_)
        | StepOp::SplitPart { .. }
        | StepOp::RegexExtract { .. }
        | StepOp::Multiply(_)
        | StepOp::Divide(_)
        | StepOp::Abs
        | StepOp::JsonPath(_)
        | StepOp::ToVariant => true,
        StepOp::Trim
        | StepOp::Upper
        | StepOp::Lower
        | StepOp::ToText
        | StepOp::EnumMap(_)
        | StepOp::Coalesce(_)
        | StepOp::NullIf(_)
        | StepOp::StripPrefix(_)
        | StepOp::StripSuffix(_)
        | StepOp::Concat { .. }
        | StepOp::Round(_) => false,
    })
}

/// The steps from one type to another that nobody has to write; `None` where somebody has to.
pub(super) fn conversion(reached: Type, target: Type) -> Option<Vec<Step>> {
    let read = |op: StepOp| vec![Step { op, out: target }];
    // Through text, so that lost digits and numbers too large leave their marks.
    let reread = |op: StepOp| {
        let text = Step {
            op: StepOp::ToText,
            out: Type::String,
        };
        vec![text, Step { op, out: target }]
    };
    Some(match (reached, target) {
        (reached, target) if reached == target => Vec::new(),
        (Type::String, Type::Int) => read(StepOp::ToInt),
        (Type::String, Type::Decimal(_)) => read(StepOp::ToDecimal),
        (Type::String, Type::Bool) => read(StepOp::ToBool),
        (Type::String, Type::Date) => read(StepOp::ParseDate(DateFormat::Iso)),
        (Type::String, Type::Timestamp) => read(StepOp::ParseTs(DateFormat::Iso)),
        (Type::String, Type::Variant) => read(StepOp::ToVariant),
        (Type::Int | Type::Decimal(_), Type::Decimal(_)) => reread(StepOp::ToDecimal),
        (Type::Date, Type::Timestamp) => reread(StepOp::ParseTs(DateFormat::Iso)),
        (_, _) => return None,
    })
}

struct Chain<'a> {
    found: &'a mut Bag,
    /// The type reached so far.
    ty: Type,
    steps: Vec<Step>,
}

impl Chain<'_> {
    fn apply(&mut self, transform: &Transform) -> Option<()> {
        self.known(transform)?(self, transform)
    }

    fn known(&mut self, transform: &Transform) -> Option<Apply> {
        let name = transform.name.as_str();
        if let Ok(index) = TRANSFORMS.binary_search_by_key(&name, |(known, _)| known) {
            return Some(TRANSFORMS[index].1);
        }
        let unknown = Diagnostic::error(
            e03xx::UNKNOWN_TRANSFORM,
            transform.name_place(),
            format!("unknown transform `{name}`"),
        );
        self.found.push(match name {
            "convert" => unknown
                .label("amounts are not converted between currencies")
                .help("keep the currency in a field of its own, and convert where rates are known"),
            _ => unknown.help_nearest_word(name, names()),
        });
        None
    }

    fn push(&mut self, op: StepOp, out: Type) {
        self.ty = out;
        self.steps.push(Step { op, out });
    }

    fn finish(&mut self, field: &MappedFieldSpec, target: Type) -> Option<()> {
        let reached = self.ty;
        if let Some(steps) = conversion(reached, target) {
            self.steps.extend(steps);
            return Some(());
        }
        let help = match (reached, target) {
            (_, Type::String) => "end the chain with `to_string`",
            (Type::Decimal(_), Type::Int) => "end the chain with `round: 0` and `to_int`",
            _ => "change the chain or the type of the field",
        };
        let place = match field.transform.last() {
            Some(last) => last.name_place(),
            None => field.at.at_key(),
        };
        let name = &field.name;
        self.found.push(
            Diagnostic::error(
                e03xx::CHAIN_TYPE,
                place,
                format!("the chain of `{name}` ends as `{reached}`"),
            )
            .label(format!("the field is of type `{target}`"))
            .help(help),
        );
        None
    }

    /// The step takes text only.
    fn takes_text(&mut self, transform: &Transform) -> Option<()> {
        match self.ty {
            Type::String => Some(()),
            Type::Int
            | Type::Bool
            | Type::Date
            | Type::Timestamp
            | Type::Variant
            | Type::Decimal(_) => self.wrong_type(transform, "text", "`to_string`"),
        }
    }

    fn takes_number(&mut self, transform: &Transform) -> Option<()> {
        if self.ty.is_number() {
            return Some(());
        }
        self.wrong_type(transform, "a number", "`to_int` or `to_decimal`")
    }

    fn wrong_type<T>(&mut self, transform: &Transform, takes: &str, before: &str) -> Option<T> {
        let (name, reached) = (&transform.name, self.ty);
        self.found.push(
            Diagnostic::error(
                e03xx::TRANSFORM_TYPE,
                transform.name_place(),
                format!("`{name}` takes {takes}"),
            )
            .label(format!("the chain has reached `{reached}` here"))
            .help(format!("put {before} in front of it, or leave it out")),
        );
        None
    }

    /// Exactly `N` arguments; `form` shows how they are written.
    fn args<'t, const N: usize>(
        &mut self,
        transform: &'t Transform,
        form: &str,
    ) -> Option<[&'t Scalar; N]> {
        let args = transform.args();
        match <[&Scalar; N]>::try_from(args) {
            Ok(args) => Some(args),
            Err(args) => self.wrong_args(transform, args.len(), &N.to_string(), form),
        }
    }

    fn wrong_args<T>(
        &mut self,
        transform: &Transform,
        given: usize,
        takes: &str,
        form: &str,
    ) -> Option<T> {
        let name = &transform.name;
        let plural = if takes == "1" {
            "argument"
        } else {
            "arguments"
        };
        self.found.push(
            Diagnostic::error(
                e03xx::TRANSFORM_ARGUMENTS,
                transform.name_place(),
                format!("`{name}` takes {takes} {plural}"),
            )
            .label(format!("{given} given"))
            .help(format!("write `{form}`")),
        );
        None
    }

    fn bad_arg<T>(&mut self, place: Place, message: String, help: &str) -> Option<T> {
        self.found
            .push(Diagnostic::error(e03xx::TRANSFORM_ARGUMENTS, place, message).help(help));
        None
    }

    fn natural(
        &mut self,
        transform: &Transform,
        index: usize,
        arg: &Scalar,
        what: &str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        match arg.text.parse::<u32>() {
            Ok(number) if range.contains(&number) => Some(number),
            Ok(_) | Err(_) => self.bad_arg(
                transform.arg_place(index),
                format!("{what} is `{}`", arg.text),
                &format!(
                    "write a whole number from {} to {}",
                    range.start(),
                    range.end()
                ),
            ),
        }
    }

    /// A value of the type reached so far.
    fn literal(&mut self, transform: &Transform, arg: &Scalar) -> Option<Literal> {
        match literal_of(self.ty, &arg.text) {
            Ok(literal) => Some(literal),
            Err(reason) => {
                self.found.push(
                    Diagnostic::error(e03xx::LITERAL_TYPE, transform.arg_place(0), reason)
                        .label(format!("the chain has reached `{}` here", self.ty)),
                );
                None
            }
        }
    }
}

/// A value that a column of the type can hold, digits included.
pub(super) fn literal_of(ty: Type, text: &str) -> Result<Literal, String> {
    let literal = read::read(ty, text)?;
    if let (Type::Decimal(own), Literal::Decimal(number)) = (ty, &literal)
        && let Some(needs) = read::digits(number)
    {
        let lost = number.split_once('.').is_some_and(|(_, fraction)| {
            fraction.len() > usize::from(own.scale)
                && !read::is_zero(&fraction[usize::from(own.scale)..])
        });
        if lost || needs.precision - needs.scale > own.precision - own.scale {
            return Err(format!("`{text}` does not fit `{ty}`"));
        }
    }
    Ok(literal)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_transforms_are_sorted() {
        assert!(super::names().is_sorted());
    }
}
