//! `assay.lock`: how the past is known. One fact a line, so that two branches rarely conflict in it;
//! no time stamp and no fingerprint of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::change::facts::{CheckFacts, EntityFacts, Facts};
use crate::settings::Host;
use crate::tree::{Ownership, Tree, is_portable};

/// Its path in the generated project.
pub const PATH: &str = "assay.lock";

const HEADER: &str = "assay-lock 2";

/// It says which files are ours and nothing about what they mean.
const WITHOUT_FACTS: &str = "assay-lock 1";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Settled by the first run: later ones find our own files there.
    pub host: Host,
    /// What the project means; `None` in a lock of the first version.
    pub facts: Option<Facts>,
    /// Path → digest of what was written.
    pub files: BTreeMap<String, Digest>,
    /// Files that were written once and are the user's since.
    pub scaffold: BTreeSet<String>,
}

impl Lock {
    /// What the lock says once `tree` has been written over a project that `earlier` describes.
    #[must_use]
    pub fn of(tree: &Tree, host: Host, facts: Facts, earlier: Option<&Lock>) -> Self {
        let mut files = BTreeMap::new();
        let mut scaffold = earlier
            .map(|lock| lock.scaffold.clone())
            .unwrap_or_default();
        for (path, file) in &tree.files {
            match file.ownership {
                Ownership::Generated => {
                    files.insert(path.clone(), Digest::of(&file.text));
                }
                Ownership::Scaffold => {
                    scaffold.insert(path.clone());
                }
            }
        }
        scaffold.retain(|path| !files.contains_key(path));
        Self {
            host,
            facts: Some(facts),
            files,
            scaffold,
        }
    }

    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let is_marker = |line: &str| {
            let marks = ["<<<<<<<", "=======", ">>>>>>>"];
            line.starts_with(['<', '=', '>']) && marks.iter().any(|mark| line.starts_with(mark))
        };
        if text.lines().any(is_marker) {
            return Err(Unreadable::Conflicted);
        }
        let mut lines = text
            .lines()
            .zip(1..)
            .filter(|(line, _)| !line.trim_end().is_empty());
        let facts = match lines.next().map(|(line, _)| line.trim_end()) {
            Some(HEADER) => Some(Facts::default()),
            Some(WITHOUT_FACTS) => None,
            Some(other) if other.starts_with("assay-lock ") => return Err(Unreadable::Newer),
            Some(_) | None => return Err(Unreadable::Corrupt { line: 1 }),
        };
        let mut lock = Self {
            host: Host::Own,
            facts,
            files: BTreeMap::new(),
            scaffold: BTreeSet::new(),
        };
        let mut section = "";
        for (line, number) in lines {
            let line = line.trim_end();
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                section = name;
                match lock.open(name) {
                    Opened::Yes => {}
                    Opened::Unknown => return Err(Unreadable::Newer),
                    Opened::Again => return Err(Unreadable::Corrupt { line: number }),
                }
            } else if lock.fact(section, line).is_none() {
                return Err(Unreadable::Corrupt { line: number });
            }
        }
        Ok(lock)
    }

    fn open(&mut self, section: &str) -> Opened {
        if ["project", "files", "scaffold"].contains(&section) {
            return Opened::Yes;
        }
        let (Some((kind, name)), Some(facts)) = (section.split_once(' '), &mut self.facts) else {
            return Opened::Unknown;
        };
        let name = name.to_owned();
        let is_new = match kind {
            "entity" => facts
                .entities
                .insert(name, EntityFacts::default())
                .is_none(),
            "check" => facts.checks.insert(name, CheckFacts::default()).is_none(),
            _ => return Opened::Unknown,
        };
        match is_new {
            true => Opened::Yes,
            false => Opened::Again,
        }
    }

    /// Takes one line in; `None` when it is not one that this tool writes.
    fn fact(&mut self, section: &str, line: &str) -> Option<()> {
        let is_new = match section {
            "project" => {
                match (line, &mut self.facts) {
                    ("host own", _) => self.host = Host::Own,
                    ("host existing", _) => self.host = Host::Existing,
                    (_, Some(facts)) => facts.project.take(line)?,
                    (_, None) => return None,
                }
                true
            }
            "files" => {
                let (digest, path) = line.split_once("  ")?;
                // What the lock names may be deleted, so it may only name what is inside.
                if !is_portable(path) || path == PATH {
                    return None;
                }
                self.files
                    .insert(path.to_owned(), Digest::read(digest)?)
                    .is_none()
            }
            "scaffold" => is_portable(line) && self.scaffold.insert(line.to_owned()),
            _ => {
                let facts = self.facts.as_mut()?;
                return match section.split_once(' ')? {
                    ("entity", name) => facts.entities.get_mut(name)?.take(line),
                    ("check", name) => facts.checks.get_mut(name)?.take(line),
                    _ => None,
                };
            }
        };
        is_new.then_some(())
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            host,
            facts,
            files,
            scaffold,
        } = self;
        let header = match facts {
            Some(_) => HEADER,
            None => WITHOUT_FACTS,
        };
        let host = match host {
            Host::Own => "own",
            Host::Existing => "existing",
        };
        writeln!(f, "{header}\n\n[project]\nhost {host}")?;
        if let Some(Facts {
            project,
            entities,
            checks,
        }) = facts
        {
            for line in project.lines() {
                writeln!(f, "{line}")?;
            }
            for (name, entity) in entities {
                writeln!(f, "\n[entity {name}]")?;
                for line in entity.lines() {
                    writeln!(f, "{line}")?;
                }
            }
            for (name, check) in checks {
                writeln!(f, "\n[check {name}]")?;
                for line in check.lines() {
                    writeln!(f, "{line}")?;
                }
            }
        }
        writeln!(f, "\n[files]")?;
        for (path, digest) in files {
            writeln!(f, "{digest}  {path}")?;
        }
        if !scaffold.is_empty() {
            writeln!(f, "\n[scaffold]")?;
            for path in scaffold {
                writeln!(f, "{path}")?;
            }
        }
        Ok(())
    }
}

/// What became of the head of a section.
enum Opened {
    Yes,
    Unknown,
    Again,
}

/// Why a lock cannot be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// A merge left its markers.
    Conflicted,
    /// Written by a newer version of this tool.
    Newer,
    /// Not what this tool writes.
    Corrupt { line: usize },
}

/// What a text is, blind to line ends, blanks at the end of a line and blank lines at the end: none
/// of them is an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut normal = String::with_capacity(text.len());
        for line in normal_lines(text) {
            normal.push_str(line);
            normal.push('\n');
        }
        Self(Sha256::digest(normal.as_bytes()).into())
    }

    fn read(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if hex.len() != 64 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Whether two texts have one digest.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || normal_lines(one).eq(normal_lines(other))
}

fn normal_lines(text: &str) -> impl Iterator<Item = &str> {
    let blank = [' ', '\t', '\r', '\n'];
    let text = text.trim_end_matches(blank);
    text.split('\n')
        .map(move |line| line.trim_end_matches(blank))
}
