//! Steps on text and times.

use super::{Chain, formats};
use crate::diag::Diagnostic;
use crate::diag::code::e03xx;
use crate::ir::{SourcePath, StepOp};
use crate::spec::mapping::{Args, Transform};
use crate::spec::path;
use crate::sql::expr::{DateFormat, Segment};
use crate::sql::regex::Regex;
use crate::sql::types::Type;

pub(super) fn trim(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    plain_text(chain, transform, StepOp::Trim)
}

pub(super) fn upper(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    plain_text(chain, transform, StepOp::Upper)
}

pub(super) fn lower(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    plain_text(chain, transform, StepOp::Lower)
}

fn plain_text(chain: &mut Chain<'_>, transform: &Transform, op: StepOp) -> Option<()> {
    let [] = chain.args(transform, &transform.name)?;
    chain.takes_text(transform)?;
    chain.push(op, Type::String);
    Some(())
}

pub(super) fn to_string(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [] = chain.args(transform, "to_string")?;
    if chain.ty != Type::String {
        chain.push(StepOp::ToText, Type::String);
    }
    Some(())
}

pub(super) fn to_bool(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [] = chain.args(transform, "to_bool")?;
    chain.takes_text(transform)?;
    chain.push(StepOp::ToBool, Type::Bool);
    Some(())
}

pub(super) fn parse_ts(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let format = format(chain, transform, formats::Target::Timestamp)?;
    chain.push(StepOp::ParseTs(format), Type::Timestamp);
    Some(())
}

pub(super) fn parse_date(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let format = format(chain, transform, formats::Target::Date)?;
    chain.push(StepOp::ParseDate(format), Type::Date);
    Some(())
}

fn format(
    chain: &mut Chain<'_>,
    transform: &Transform,
    target: formats::Target,
) -> Option<DateFormat> {
    let [format] = chain.args(transform, &format!("{{{}: ISO8601}}", transform.name))?;
    chain.takes_text(transform)?;
    match formats::parse(&format.text, target) {
        Ok(format) => Some(format),
        Err((message, help)) => {
            chain.found.push(
                Diagnostic::error(e03xx::DATE_FORMAT, transform.arg_place(0), message).help(help),
            );
            None
        }
    }
}

pub(super) fn to_utc(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [zone] = chain.args(transform, "{to_utc: Europe/Berlin}")?;
    let refuse = |chain: &mut Chain<'_>, message: String, help: &str| {
        chain
            .found
            .push(Diagnostic::error(e03xx::TIME_ZONE, transform.name_place(), message).help(help));
        None
    };
    match chain.steps.last().map(|step| &step.op) {
        Some(StepOp::ParseTs(format)) if !formats::has_offset(format) => {}
        Some(StepOp::ParseTs(_)) => {
            return refuse(
                chain,
                "`to_utc` behind a format that reads an offset".to_owned(),
                "the offset says it already; drop `to_utc` or the `%z`",
            );
        }
        Some(_) | None => {
            return refuse(
                chain,
                "`to_utc` does not stand behind `parse_ts`".to_owned(),
                "put it directly behind the `parse_ts` whose times are local",
            );
        }
    }
    if !is_zone(&zone.text) {
        return refuse(
            chain,
            format!("`{}` is not the name of a time zone", zone.text),
            "write the IANA name, as `Europe/Berlin`; offsets and short names are ambiguous",
        );
    }
    chain.push(StepOp::ToUtc(zone.text.clone()), Type::Timestamp);
    Some(())
}

/// `Area/City`, `Area/Region/City` or `UTC`. Whether it exists is the engine's to say.
fn is_zone(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let letters = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+'))
    };
    name == "UTC" || ((2..=3).contains(&parts.len()) && parts.into_iter().all(letters))
}

pub(super) fn enum_map(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let args = transform.args();
    if args.is_empty() || !args.len().is_multiple_of(2) {
        let form = "{enum_map: [from, to, from, to]}";
        return chain.wrong_args(transform, args.len(), "an even number of", form);
    }
    chain.takes_text(transform)?;
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (index, pair) in args.chunks_exact(2).enumerate() {
        let (from, to) = (&pair[0].text, &pair[1].text);
        if pairs.iter().any(|(known, _)| known == from) {
            return chain.bad_arg(
                transform.arg_place(index * 2),
                format!("`{from}` is mapped twice"),
                "keep one of them",
            );
        }
        pairs.push((from.clone(), to.clone()));
    }
    pairs.sort();
    chain.push(StepOp::EnumMap(pairs), Type::String);
    Some(())
}

pub(super) fn coalesce(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [value] = chain.args(transform, "{coalesce: value}")?;
    let literal = chain.literal(transform, value)?;
    chain.push(StepOp::Coalesce(literal), chain.ty);
    Some(())
}

pub(super) fn nullif(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [value] = chain.args(transform, "{nullif: value}")?;
    let literal = chain.literal(transform, value)?;
    chain.push(StepOp::NullIf(literal), chain.ty);
    Some(())
}

pub(super) fn split_part(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [delimiter, index] = chain.args(transform, "{split_part: [\"-\", 1]}")?;
    chain.takes_text(transform)?;
    if delimiter.text.is_empty() {
        return chain.bad_arg(
            transform.arg_place(0),
            "an empty delimiter".to_owned(),
            "name the text between two parts",
        );
    }
    let index = chain.natural(transform, 1, index, "the number of the part", 1..=10_000)?;
    let delimiter = delimiter.text.clone();
    chain.push(StepOp::SplitPart { delimiter, index }, Type::String);
    Some(())
}

pub(super) fn regex_extract(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [pattern, group] = chain.args(transform, "{regex_extract: [\"no-([0-9]+)\", 1]}")?;
    chain.takes_text(transform)?;
    let regex = match Regex::parse_capturing(&pattern.text) {
        Ok(regex) => regex,
        Err(refusal) => {
            chain.found.push(crate::check::rules::refused_regex(
                &pattern.text,
                &refusal,
                transform.arg_place(0),
            ));
            return None;
        }
    };
    let most = u32::from(regex.groups());
    let group = chain.natural(transform, 1, group, "the number of the group", 0..=most)?;
    let group = u8::try_from(group).unwrap_or(0);
    chain.push(StepOp::RegexExtract { regex, group }, Type::String);
    Some(())
}

pub(super) fn strip_prefix(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let affix = affix(chain, transform)?;
    chain.push(StepOp::StripPrefix(affix), Type::String);
    Some(())
}

pub(super) fn strip_suffix(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let affix = affix(chain, transform)?;
    chain.push(StepOp::StripSuffix(affix), Type::String);
    Some(())
}

fn affix(chain: &mut Chain<'_>, transform: &Transform) -> Option<String> {
    let [affix] = chain.args(transform, &format!("{{{}: \"text\"}}", transform.name))?;
    chain.takes_text(transform)?;
    if affix.text.is_empty() {
        return chain.bad_arg(
            transform.arg_place(0),
            format!("`{}` of an empty text", transform.name),
            "name the text, or leave the step out",
        );
    }
    Some(affix.text.clone())
}

/// One text goes behind the value, two go around it.
pub(super) fn concat(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    chain.takes_text(transform)?;
    let (before, after) = match transform.args().as_slice() {
        [after] => (String::new(), after.text.clone()),
        [before, after] => match transform.args {
            Args::Pairs(_) => (String::new(), String::new()),
            Args::None | Args::One(_) | Args::List(_) => (before.text.clone(), after.text.clone()),
        },
        other => {
            let form = "{concat: [before, after]}";
            return chain.wrong_args(transform, other.len(), "1 or 2", form);
        }
    };
    if before.is_empty() && after.is_empty() {
        return chain.bad_arg(
            transform.name_place(),
            "`concat` of nothing".to_owned(),
            "write `{concat: [before, after]}`",
        );
    }
    chain.push(StepOp::Concat { before, after }, Type::String);
    Some(())
}

pub(super) fn json_path(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [path_text] = chain.args(transform, "{json_path: \"$.items[0].sku\"}")?;
    chain.takes_text(transform)?;
    match path::parse(&path_text.text) {
        Ok(SourcePath { column, mut inner }) => {
            inner.insert(0, Segment::Key(column));
            chain.push(StepOp::JsonPath(inner), Type::String);
            Some(())
        }
        Err(fault) => chain.bad_arg(
            transform.arg_place(0),
            format!("`{}` is not a path: {}", path_text.text, fault.why),
            fault
                .help
                .as_deref()
                .unwrap_or("write `$.name`, `$[\"any name\"]` or `$.list[0]`"),
        ),
    }
}
