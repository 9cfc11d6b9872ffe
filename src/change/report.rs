//! All there is to say about a change, for whoever reads it. Rendering is in the files below.

mod cost;
mod github;
mod json;
mod markdown;
mod sarif;
mod text;

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::change::compare::Difference;
use crate::change::cost::Cost;
use crate::change::kinds::Class;
use crate::change::meaning::{class_of, meaning};
use crate::change::review::Review;
use crate::change::scopes::Scopes;
use crate::diag::render::Colour;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<'a> {
    /// What it was compared with, as the user named it.
    pub against: String,
    /// The worst first; those of one entity stand together.
    pub findings: Vec<Finding>,
    pub scopes: Scopes,
    /// Where something is known of the warehouse.
    pub cost: Option<Cost>,
    pub commands: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
    pub files: &'a Review<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub difference: Difference,
    pub class: Class,
    /// Of the change itself: the same change has the same one on every machine.
    pub fingerprint: String,
    pub at: Option<At>,
    /// Why it was approved, from `allow` in `assay.yml`.
    pub allowed: Option<String>,
}

/// Where it stands, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    pub file: String,
    pub line: usize,
    pub column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Markdown,
    Json,
    Sarif,
    Github,
}

#[must_use]
pub fn render(report: &Report<'_>, format: Format, colour: Colour) -> String {
    match format {
        Format::Text => text::render(report, colour),
        Format::Markdown => markdown::render(report),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
    }
}

impl Finding {
    #[must_use]
    pub fn new(difference: Difference, at: Option<At>, allow: &BTreeMap<String, String>) -> Self {
        let fingerprint = fingerprint(&difference);
        Self {
            class: class_of(&difference.change),
            allowed: allow.get(&fingerprint).cloned(),
            fingerprint,
            at,
            difference,
        }
    }

    /// ``rule refuses more `net_min`: min 0 → min 10``
    fn title(&self) -> String {
        let Difference {
            change,
            subject,
            old,
            new,
            ..
        } = &self.difference;
        let mut title = meaning(*change).what.to_owned();
        if let Some(name) = subject.name() {
            title += &format!(" `{}`", plain(&name, WIDEST));
        }
        match (old, new) {
            (Some(old), Some(new)) => {
                let (old, new) = apart(old, new);
                title += &format!(": {old} → {new}");
            }
            (Some(value), None) | (None, Some(value)) => {
                title += &format!(": {}", plain(value, 2 * WIDEST));
            }
            (None, None) => {}
        }
        title
    }

    fn owner(&self) -> &str {
        self.difference.entity.as_deref().unwrap_or("the project")
    }
}

impl Report<'_> {
    /// `None`: nothing differs.
    #[must_use]
    pub fn worst(&self) -> Option<Class> {
        self.findings.iter().map(|finding| finding.class).max()
    }

    /// The worst of what nobody has approved.
    #[must_use]
    pub fn worst_unapproved(&self) -> Option<Class> {
        let open = self.findings.iter().filter(|each| each.allowed.is_none());
        open.map(|finding| finding.class).max()
    }

    /// `2 changes against `main`: 1 restating, 1 cosmetic`
    fn summary(&self) -> String {
        let against = &self.against;
        match self.findings.len() {
            0 => format!("no changes against {against}"),
            1 => format!("1 change against {against}: {}", counts(&self.findings)),
            many => {
                format!(
                    "{many} changes against {against}: {}",
                    counts(&self.findings)
                )
            }
        }
    }

    /// Findings by entity, in the order of the findings.
    fn by_owner(&self) -> Vec<(&str, &[Finding])> {
        let groups = self.findings.chunk_by(|a, b| a.owner() == b.owner());
        groups.map(|group| (group[0].owner(), group)).collect()
    }
}

/// The project, then the entities with the worst changes, the worst changes first.
pub fn sort(findings: &mut [Finding]) {
    let mut worst: BTreeMap<Option<String>, Class> = BTreeMap::new();
    for finding in findings.iter() {
        let owner = finding.difference.entity.clone();
        let class = worst.entry(owner).or_insert(finding.class);
        *class = finding.class.max(*class);
    }
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            let owner = finding.difference.entity.clone();
            let class = worst.get(&owner).copied();
            (owner.is_some(), std::cmp::Reverse(class), owner)
        };
        key(a).cmp(&key(b)).then(b.class.cmp(&a.class))
    });
}

fn counts(findings: &[Finding]) -> String {
    let count = |class: Class| findings.iter().filter(|each| each.class == class).count();
    let classes = Class::ALL.into_iter().filter(|class| count(*class) > 0);
    let counts: Vec<String> = classes
        .map(|class| format!("{} {}", count(class), class.name()))
        .collect();
    counts.join(", ")
}

fn fingerprint(difference: &Difference) -> String {
    let Difference {
        entity,
        change,
        subject,
        old,
        new,
        reason: _,
        moves: _,
    } = difference;
    let mut hash = Sha256::new();
    let name = subject.name();
    let parts = [
        entity.as_deref(),
        Some(meaning(*change).name),
        name.as_deref(),
        old.as_deref(),
        new.as_deref(),
    ];
    for part in parts {
        // Parts with their lengths, so that no two lists of them look alike.
        match part {
            Some(text) => hash.update(format!("{}:{text}", text.len())),
            None => hash.update("-"),
        }
    }
    let bytes = hash.finalize();
    bytes[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Characters of a value that are shown.
const WIDEST: usize = 60;
/// How many of them stand before the first that differs.
const BEFORE: usize = 20;

/// Two values, cut so that the difference is seen.
fn apart(old: &str, new: &str) -> (String, String) {
    let same = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let cut = |value: &str| {
        let length = value.chars().count();
        let skipped = match length > WIDEST {
            true => same.saturating_sub(BEFORE).min(length - WIDEST),
            false => 0,
        };
        let rest: String = value.chars().skip(skipped).collect();
        let start = if skipped > 0 { "…" } else { "" };
        format!("{start}{}", plain(&rest, WIDEST))
    };
    (cut(old), cut(new))
}

/// On one line, without what would move a cursor or turn the text.
fn plain(text: &str, widest: usize) -> String {
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == widest {
            out.push('…');
            break;
        }
        match c {
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.extend(c.escape_default());
            }
            c if c.is_control() => out.extend(c.escape_default()),
            // Ours say what a name is.
            '`' => out.push('\''),
            c => out.push(c),
        }
    }
    match out.is_empty() {
        true => "(empty)".to_owned(),
        false => out,
    }
}
