//! `assay.lock`: how the past is known. One fact a line, so that two branches rarely conflict in it;
//! no time stamp and no fingerprint of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use memchr::{memchr_iter, memmem};
use sha2::{Digest as _, Sha256};

use crate::change::facts::{CalendarFacts, CheckFacts, EntityFacts, Facts};
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
        if is_conflicted(text) {
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
        let mut section = Section::None;
        for (line, number) in lines {
            let line = line.trim_end();
            let head = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            let taken = match head {
                Some(name) => {
                    let next = lock.open(name).ok_or(Unreadable::Newer)?;
                    lock.close(std::mem::replace(&mut section, next));
                    (!lock.has(&section)).then_some(())
                }
                None => lock.fact(&mut section, line),
            };
            taken.ok_or(Unreadable::Corrupt { line: number })?;
        }
        lock.close(section);
        Ok(lock)
    }

    /// `None` for a section that this version does not know.
    fn open<'l>(&self, section: &'l str) -> Option<Section<'l>> {
        Some(match (section, &self.facts) {
            ("project", _) => Section::Project,
            ("files", _) => Section::Files,
            ("scaffold", _) => Section::Scaffold,
            (other, Some(_)) => match other.split_once(' ')? {
                ("entity", name) => Section::Entity(name, Box::default()),
                ("check", name) => Section::Check(name, Box::default()),
                ("calendar", name) => Section::Calendar(CalendarFacts {
                    name: name.to_owned(),
                    years: None,
                }),
                _ => return None,
            },
            (_, None) => return None,
        })
    }

    /// Keeps what was read of a section.
    fn close(&mut self, section: Section<'_>) {
        match (section, &mut self.facts) {
            (Section::Entity(name, entity), Some(facts)) => {
                facts.entities.insert(name.to_owned(), *entity);
            }
            (Section::Check(name, check), Some(facts)) => {
                facts.checks.insert(name.to_owned(), *check);
            }
            (Section::Calendar(calendar), Some(facts)) => facts.calendar = Some(calendar),
            (Section::Entity(..) | Section::Check(..) | Section::Calendar(_), None)
            | (Section::None | Section::Project | Section::Files | Section::Scaffold, _) => {}
        }
    }

    /// It was there before and is closed.
    fn has(&self, section: &Section<'_>) -> bool {
        match (section, &self.facts) {
            (Section::Entity(name, _), Some(facts)) => facts.entities.contains_key(*name),
            (Section::Check(name, _), Some(facts)) => facts.checks.contains_key(*name),
            // There is one at most, whatever it is called.
            (Section::Calendar(_), Some(facts)) => facts.calendar.is_some(),
            (Section::Entity(..) | Section::Check(..) | Section::Calendar(_), None)
            | (Section::None | Section::Project | Section::Files | Section::Scaffold, _) => false,
        }
    }

    /// Takes one line in; `None` when it is not one that this tool writes.
    fn fact(&mut self, section: &mut Section<'_>, line: &str) -> Option<()> {
        let is_new = match section {
            Section::None => return None,
            Section::Project => {
                match (line, &mut self.facts) {
                    ("host own", _) => self.host = Host::Own,
                    ("host existing", _) => self.host = Host::Existing,
                    (_, Some(facts)) => facts.project.take(line)?,
                    (_, None) => return None,
                }
                true
            }
            Section::Files => {
                let (digest, path) = line.split_once("  ")?;
                // What the lock names may be deleted, so it may only name what is inside.
                if !is_portable(path) || path == PATH {
                    return None;
                }
                self.files
                    .insert(path.to_owned(), Digest::read(digest)?)
                    .is_none()
            }
            Section::Scaffold => is_portable(line) && self.scaffold.insert(line.to_owned()),
            Section::Entity(_, entity) => return entity.take(line),
            Section::Check(_, check) => return check.take(line),
            Section::Calendar(calendar) => return calendar.take(line),
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
            calendar,
        }) = facts
        {
            for line in project.lines() {
                f.write_str(&line)?;
                f.write_char('\n')?;
            }
            for (name, entity) in entities {
                writeln!(f, "\n[entity {name}]")?;
                for line in entity.lines() {
                    f.write_str(&line)?;
                    f.write_char('\n')?;
                }
            }
            for (name, check) in checks {
                writeln!(f, "\n[check {name}]")?;
                for line in check.lines() {
                    f.write_str(&line)?;
                    f.write_char('\n')?;
                }
            }
            if let Some(calendar) = calendar {
                writeln!(f, "\n[calendar {}]", calendar.name)?;
                for line in calendar.lines() {
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

/// Where in a lock its reader is.
enum Section<'l> {
    None,
    Project,
    Files,
    Scaffold,
    Entity(&'l str, Box<EntityFacts>),
    Check(&'l str, Box<CheckFacts>),
    Calendar(CalendarFacts),
}

fn is_conflicted(text: &str) -> bool {
    let marks = ["<<<<<<<", "=======", ">>>>>>>"];
    let is_there = |mark: &&str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    let is_marker = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
    marks.iter().any(is_there) && text.lines().any(is_marker)
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
        let text = text.trim_end_matches(BLANK);
        let mut digest = Sha256::new();
        // A text that is normal already, as ours are, is digested in one go.
        let (mut done, mut line) = (0, 0);
        for end in memchr_iter(b'\n', text.as_bytes()) {
            let normal_end = line + text[line..end].trim_end_matches(BLANK).len();
            if normal_end < end {
                digest.update(&text[done..normal_end]);
                done = end;
            }
            line = end + 1;
        }
        digest.update(&text[done..]);
        digest.update("\n");
        Self(digest.finalize().into())
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
        const DIGITS: [char; 16] = [
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
        ];
        let nibbles = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex: String = nibbles.map(|nibble| DIGITS[usize::from(nibble)]).collect();
        f.write_str(&hex)
    }
}

/// Whether two texts have one digest.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || normal_lines(one).eq(normal_lines(other))
}

/// What does not count at the end of a line.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

fn normal_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_end_matches(BLANK);
    text.split('\n').map(|line| line.trim_end_matches(BLANK))
}
