//! For a comment on a pull request: a table, the scopes, the commands, and the files folded.

use std::fmt::Write as _;

use super::{At, Finding, Report};
use crate::change::diff;
use crate::change::kinds::Class;

/// Code hosts refuse comments of more than 65,536 characters; the files come last and are cut.
const MOST: usize = 60_000;

pub(super) fn render(report: &Report<'_>) -> String {
    let mut out = format!("### assay: {}\n", cell(&report.summary()));
    if !report.findings.is_empty() {
        out += "\n| class | entity | change | why | where |\n|---|---|---|---|---|\n";
        for finding in &report.findings {
            row(&mut out, finding);
        }
    }
    let scopes = &report.scopes;
    let mut lists = String::new();
    for (what, entities) in [
        ("Published rows change", &scopes.backfill),
        ("Refused rows may come back", &scopes.replay),
        ("Filled no longer", &scopes.abandoned),
    ] {
        if !entities.is_empty() {
            let names: Vec<String> = entities.iter().map(|name| format!("`{name}`")).collect();
            _ = writeln!(lists, "- {what}: {}", names.join(", "));
        }
    }
    for note in &report.notes {
        _ = writeln!(lists, "- {}", cell(note));
    }
    if !lists.is_empty() {
        _ = write!(out, "\n{lists}");
    }
    if let Some(cost) = &report.cost {
        out += "\nEstimated to read:\n\n";
        for line in super::cost::lines(cost) {
            _ = writeln!(out, "- {}", cell(&line));
        }
    }
    if !report.commands.is_empty() {
        _ = write!(out, "\n```sh\n{}\n```\n", report.commands.join("\n"));
    }
    files(&mut out, report);
    out
}

fn row(out: &mut String, finding: &Finding) {
    let class = match finding.class {
        Class::Breaking | Class::Restating => format!("**{}**", finding.class.name()),
        Class::Rename | Class::Widening | Class::Additive | Class::Cosmetic => {
            finding.class.name().to_owned()
        }
    };
    let place = match &finding.at {
        Some(At { file, line, .. }) => format!("`{}:{line}`", file.replace('`', "'")),
        None => String::new(),
    };
    let mut why = finding.difference.reason.clone();
    match (&finding.allowed, finding.class) {
        (Some(reason), _) => {
            why += &format!(" (approved: {})", super::plain(reason, super::WIDEST));
        }
        (None, Class::Breaking | Class::Restating) => {
            why += &format!(" (`{}`)", finding.fingerprint);
        }
        (None, Class::Rename | Class::Widening | Class::Additive | Class::Cosmetic) => {}
    }
    let (owner, title, why) = (cell(finding.owner()), cell(&finding.title()), cell(&why));
    _ = writeln!(out, "| {class} | {owner} | {title} | {why} | {place} |");
}

/// Text of users in a cell: it neither ends it nor becomes markup. What stands in backticks is code.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut tags = ["<code>", "</code>"].into_iter().cycle();
    for c in text.chars() {
        match c {
            '`' => out.push_str(tags.next().unwrap_or_default()),
            '\n' | '\r' => out.push(' '),
            c if c.is_ascii_punctuation() && !".,:;()/-".contains(c) => {
                _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn files(out: &mut String, report: &Report<'_>) {
    let count = report.files.changes.len();
    if count == 0 {
        return;
    }
    let noun = if count == 1 { "file" } else { "files" };
    _ = writeln!(
        out,
        "\n<details><summary>{count} generated {noun}</summary>\n"
    );
    for (path, text) in diff::by_file(report.files) {
        let fence = fence(&text);
        let block = format!(
            "<details><summary><code>{}</code></summary>\n\n{fence}diff\n{text}{fence}\n\n\
             </details>\n",
            path.replace('&', "&amp;").replace('<', "&lt;")
        );
        if out.len() + block.len() > MOST {
            out.push_str("\n… and more; `assay generate --check --diff` prints all of them\n");
            break;
        }
        out.push_str(&block);
    }
    out.push_str("\n</details>\n");
}

/// Longer than any in the text.
fn fence(text: &str) -> String {
    let mut longest = 2;
    for line in text.lines() {
        let run = line
            .trim_start_matches(['+', '-', ' '])
            .chars()
            .take_while(|c| *c == '`')
            .count();
        longest = run.max(longest);
    }
    "`".repeat(longest + 1)
}
