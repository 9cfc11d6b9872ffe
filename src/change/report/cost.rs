//! The estimate in words, the same in text and Markdown.

use crate::change::cost::{Check, Cost, Restatement};
use crate::settings::Volume;

/// One phrase a line; names stand in backticks.
pub(super) fn lines(cost: &Cost) -> Vec<String> {
    let Cost {
        checks,
        restatements,
        total,
        rules,
        scans,
        unknown,
    } = cost;
    let mut out = Vec::new();
    for Check {
        entity,
        rule,
        volume,
        shared_by,
    } in checks
    {
        let alone = match shared_by {
            1 => String::new(),
            many => format!(", in a scan that {many} rules share"),
        };
        out.push(format!(
            "check `{rule}` of `{entity}`: {}{alone}",
            shown(*volume)
        ));
    }
    for Restatement {
        entity,
        reads,
        volume,
    } in restatements
    {
        let times = match reads {
            1 => "its sources once".to_owned(),
            many => format!("its sources {many} times"),
        };
        out.push(format!(
            "restate `{entity}`: {}, reading {times}",
            shown(*volume)
        ));
    }
    if restatements.len() > 1 {
        out.push(format!("in all: {}", shown(*total)));
    }
    if *scans > 0 {
        out.push(format!("{} rules per scan", ratio(*rules, *scans)));
    }
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
        out.push(format!("nothing is known of {}", names.join(", ")));
    }
    out
}

/// `1,200,000 rows, 3.2 GB`
fn shown(volume: Volume) -> String {
    let rows = volume.rows.map(|rows| match rows {
        1 => "1 row".to_owned(),
        many => format!("{} rows", grouped(many)),
    });
    let parts: Vec<String> = rows.into_iter().chain(volume.bytes.map(size)).collect();
    match parts.is_empty() {
        true => "how much is not known".to_owned(),
        false => parts.join(", "),
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// One digit behind the point, rounded half up.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let tenfold = u128::from(bytes) * 10;
    let mut unit_size: u128 = 1;
    for unit in UNITS {
        unit_size *= 1000;
        let tenths = (tenfold + unit_size / 2) / unit_size;
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// Tenths; one digit behind the point.
pub(super) fn ratio(rules: usize, scans: usize) -> String {
    let tenths = (rules * 10 + scans / 2) / scans.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{grouped, ratio, size};

    #[test]
    fn numbers_are_read_at_a_glance() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (3_200_000_000, "3.2 GB"),
            (3_249_999_999, "3.2 GB"),
            (3_250_000_000, "3.3 GB"),
            (999_960_000, "1.0 GB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(ratio(18, 1), "18.0");
        assert_eq!(ratio(8, 3), "2.7");
    }
}
