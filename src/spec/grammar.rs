//! The small grammars: names, durations, types, partitions, shares. Source paths are `path`.

use crate::ir::{Duration, DurationUnit, INGESTED_AT, LOAD_ID, SOURCE_ROW_ID};
use crate::sql::types::{DecimalType, Type};

use super::entity_model::{Partition, PartitionUnit, Percent};

/// In bytes.
pub const LONGEST_NAME: usize = 200;

/// Why a text is not what it should be, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub why: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            help: None,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// `[a-z][a-z0-9_]*`
pub fn name(text: &str) -> Result<String, Fault> {
    if text.is_empty() {
        return Err(Fault::new("empty"));
    }
    short(text)?;
    let fault = match text.chars().find(|c| !is_name_char(*c)) {
        Some(c) if c.is_ascii_uppercase() => Fault::new("names are lower case"),
        Some(c) => Fault::new(format!("{} cannot be part of a name", shown(c))),
        None if !text.starts_with(|c: char| c.is_ascii_lowercase()) => {
            Fault::new("a name starts with a letter")
        }
        None => return Ok(text.to_owned()),
    };
    Err(match plain(text) {
        Some(plain) => fault.help(format!("write `{plain}`")),
        None => fault,
    })
}

/// Windows has names that no file may have, whatever its extension.
pub fn windows_allows(name: &str) -> bool {
    let numbered = |device| {
        let number = name.strip_prefix(device).unwrap_or("");
        matches!(number.as_bytes(), [b'1'..=b'9'])
    };
    !(matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt"))
}

/// A field, or one of the columns that identify a delivery.
pub fn column(text: &str) -> Result<String, Fault> {
    match text {
        LOAD_ID | INGESTED_AT | SOURCE_ROW_ID => Ok(text.to_owned()),
        _ if text.starts_with('_') => Err(Fault::new("neither a field nor a metadata column")
            .help(format!(
                "metadata columns: `{INGESTED_AT}`, `{LOAD_ID}`, `{SOURCE_ROW_ID}`"
            ))),
        _ => name(text),
    }
}

/// `[a-z0-9_]+`
pub fn rule_name(text: &str) -> Result<String, Fault> {
    if text.is_empty() {
        return Err(Fault::new("empty"));
    }
    short(text)?;
    match text.chars().find(|c| !is_name_char(*c)) {
        None => Ok(text.to_owned()),
        Some(c) => {
            let fault = Fault::new(format!("{} cannot be part of a rule's name", shown(c)));
            Err(match plain(text) {
                Some(plain) => fault.help(format!("write `{plain}`")),
                None => fault,
            })
        }
    }
}

/// Any name of the source side.
pub fn source_name(text: &str) -> Result<String, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new("empty"));
    }
    short(text)?;
    match text.chars().find(|c| c.is_control()) {
        Some(c) => Err(Fault::new(format!("{} cannot be part of a name", shown(c)))),
        None => Ok(text.to_owned()),
    }
}

/// `[1-9][0-9]{0,4}(h|d|w)`
pub fn duration(text: &str) -> Result<Duration, Fault> {
    let unit = match text.chars().last() {
        Some('h') => DurationUnit::Hours,
        Some('d') => DurationUnit::Days,
        Some('w') => DurationUnit::Weeks,
        Some(_) | None => return Err(Fault::new("the unit is `h`, `d` or `w`")),
    };
    let digits = &text[..text.len() - 1];
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    match digits.parse() {
        Ok(count) if is_plain && digits.len() <= 5 => Ok(Duration { count, unit }),
        Ok(_) | Err(_) => Err(Fault::new("the number is whole and from 1 to 99999")),
    }
}

/// `3.2GB`; each unit is a thousand of the one before.
pub fn bytes(text: &str) -> Result<u64, Fault> {
    const UNITS: [(&str, u32); 6] = [
        ("kB", 3),
        ("MB", 6),
        ("GB", 9),
        ("TB", 12),
        ("PB", 15),
        ("B", 0),
    ];
    let unit = || Fault::new("the unit is `B`, `kB`, `MB`, `GB`, `TB` or `PB`");
    let shown = text.replace("KB", "kB");
    let mut units = UNITS.into_iter();
    let (digits, zeros) = units
        .find_map(|(unit, zeros)| Some((shown.strip_suffix(unit)?, zeros)))
        .ok_or_else(unit)?;
    let digits = digits.strip_suffix(' ').unwrap_or(digits);
    if digits.ends_with(|c: char| c.is_alphabetic()) {
        return Err(unit());
    }
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let is_plain = !whole.is_empty() && is_number(whole) && is_number(part);
    let has_part = digits.contains('.');
    if !is_plain || part.len() > 3 || (has_part && part.is_empty()) || whole.len() > 15 {
        return Err(Fault::new(
            "a number with at most three digits behind the point",
        ));
    }
    let zeros = zeros as usize;
    if part.len() > zeros {
        return Err(Fault::new("there is no part of a byte"));
    }
    let padding = "0".repeat(zeros - part.len());
    format!("{whole}{part}{padding}")
        .parse()
        .map_err(|_| Fault::new("more than any warehouse holds"))
}

/// `string`, `decimal(9,3)`; spaces around the digits do no harm.
pub fn ty(text: &str) -> Result<Type, Fault> {
    match text {
        "string" => return Ok(Type::String),
        "int" => return Ok(Type::Int),
        "bool" => return Ok(Type::Bool),
        "date" => return Ok(Type::Date),
        "timestamp" => return Ok(Type::Timestamp),
        "variant" => return Ok(Type::Variant),
        _ => {}
    }
    let Some(digits) = text.strip_prefix("decimal") else {
        return Err(unknown_type(text));
    };
    let inner = digits
        .trim()
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'));
    let Some((precision, scale)) = inner.and_then(|inner| inner.split_once(',')) else {
        return Err(Fault::new("a decimal names its digits").help("write `decimal(12,2)`"));
    };
    match (number(precision.trim()), number(scale.trim())) {
        (Some(precision @ 1..=38), Some(scale)) if scale <= precision => {
            Ok(Type::Decimal(DecimalType { precision, scale }))
        }
        (Some(1..=38), Some(_)) => Err(Fault::new("more digits behind the point than in all")),
        _ => Err(Fault::new("a decimal has 1 to 38 digits")),
    }
}

fn unknown_type(text: &str) -> Fault {
    let lower = text.to_lowercase();
    let base = lower.split('(').next().unwrap_or("").trim();
    let fault = Fault::new("not one of the seven types");
    let meant = match base {
        "text" | "varchar" | "char" | "str" | "string" | "uuid" => "string",
        "integer" | "bigint" | "smallint" | "long" | "int" | "int64" => "int",
        "boolean" | "bool" => "bool",
        "datetime" | "timestamptz" | "timestamp_ntz" | "timestamp" => "timestamp",
        "json" | "jsonb" | "struct" | "object" | "variant" => "variant",
        "date" => "date",
        "numeric" | "number" | "float" | "double" | "real" | "money" => "decimal(12,2)",
        _ => {
            return fault
                .help("`string`, `int`, `bool`, `date`, `timestamp`, `variant` or `decimal(p,s)`");
        }
    };
    fault.help(format!("write `{meant}`"))
}

/// `col` or `days(col)`
pub fn partition(text: &str) -> Result<Partition, Fault> {
    let Some((unit, rest)) = text.split_once('(') else {
        return Ok(Partition {
            unit: PartitionUnit::Value,
            column: name(text)?,
        });
    };
    let unit = match unit.trim() {
        "days" => PartitionUnit::Days,
        "months" => PartitionUnit::Months,
        "years" => PartitionUnit::Years,
        "hours" => PartitionUnit::Hours,
        _ => {
            return Err(Fault::new(
                "the unit is `days`, `months`, `years` or `hours`",
            ));
        }
    };
    match rest.strip_suffix(')') {
        Some(column) => match name(column.trim()) {
            Ok(column) => Ok(Partition { unit, column }),
            Err(Fault { why, help: _ }) => Err(Fault::new(why)),
        },
        None => Err(Fault::new("the bracket is not closed")),
    }
}

/// `99.5%`, from 0 to 100.
pub fn percent(text: &str) -> Result<Percent, Fault> {
    let Some(digits) = text.strip_suffix('%') else {
        let fault = Fault::new("a share ends with `%`");
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        return Err(if is_number {
            fault.help(format!("write `\"{text}%\"`"))
        } else {
            fault
        });
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.len() > 3 {
        return Err(Fault::new("a share is a number such as `2%` or `99.5%`"));
    }
    if fraction.len() > 6 {
        return Err(Fault::new(
            "a share has at most six digits behind the point",
        ));
    }
    match whole.parse::<u16>() {
        Ok(..100) => Ok(Percent(digits.to_owned())),
        Ok(100) if fraction.bytes().all(|b| b == b'0') => Ok(Percent(digits.to_owned())),
        Ok(_) | Err(_) => Err(Fault::new("a share is at most 100%")),
    }
}

/// `[A-Z]{3}`
pub fn currency(text: &str) -> Result<String, Fault> {
    if text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase()) {
        return Ok(text.to_owned());
    }
    let fault = Fault::new("a currency is three capital letters");
    let is_lower = text.len() == 3 && text.bytes().all(|b| b.is_ascii_alphabetic());
    Err(if is_lower {
        fault.help(format!("write `{}`", text.to_uppercase()))
    } else {
        fault
    })
}

/// One plain folder name.
pub fn folder(text: &str) -> Result<String, Fault> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_device = !windows_allows(&text.to_ascii_lowercase());
    match text {
        "" => Err(Fault::new("empty")),
        _ if text.len() > LONGEST_NAME => Err(Fault::new("more than 200 bytes")),
        _ if text.starts_with('-') || !text.chars().all(is_part) => Err(Fault::new(
            "a folder's name is letters, digits, `_` and `-`",
        )),
        _ if is_device => Err(Fault::new("Windows cannot create it")),
        _ => Ok(text.to_owned()),
    }
}

/// A schema's name that needs no quotes.
pub fn schema_name(text: &str) -> Result<String, Fault> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text {
        "" => Err(Fault::new("empty")),
        _ if text.len() > LONGEST_NAME => Err(Fault::new("more than 200 bytes")),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) || !text.chars().all(is_part) => {
            Err(Fault::new("a schema's name is letters, digits and `_`"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// A whole number without sign or leading zeros.
pub fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let is_plain = text == "0" || !text.starts_with('0');
    let is_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if is_plain && is_digits {
        text.parse().ok()
    } else {
        None
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

fn short(text: &str) -> Result<(), Fault> {
    if text.len() > LONGEST_NAME {
        return Err(Fault::new(format!(
            "{} bytes; at most {LONGEST_NAME}",
            text.len()
        )));
    }
    Ok(())
}

/// The nearest name that is allowed, where it would still say the same.
fn plain(text: &str) -> Option<String> {
    let is_lossy = |c: char| c.is_control() || (!c.is_ascii() && c.is_alphanumeric());
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.chars().any(is_lossy) {
        return None;
    }
    let mut plain = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            c if is_name_char(c) => plain.push(c),
            _ if plain.ends_with('_') => {}
            _ => plain.push('_'),
        }
    }
    let plain = plain
        .trim_matches('_')
        .trim_start_matches(|c: char| !c.is_ascii_lowercase());
    (!plain.is_empty() && windows_allows(plain)).then(|| plain.to_owned())
}

fn shown(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '`' => "a back-quote".to_owned(),
        c if c.is_control() => format!("U+{:04X}", u32::from(c)),
        c => format!("`{c}`"),
    }
}
