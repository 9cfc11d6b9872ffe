//! Names that must be unique in a repository, and where two files take the same one.

use std::collections::BTreeMap;

/// What shares a name space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Whatever others read by name: a model, a seed, a snapshot.
    Model,
    Macro,
    /// A test or an audit.
    Test,
    Source,
}

impl Kind {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Macro => "macro",
            Self::Test => "test",
            Self::Source => "source",
        }
    }
}

/// Name (in lower case, as the engines fold it) → the file that takes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    taken: BTreeMap<(Kind, String), String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub kind: Kind,
    pub name: String,
    pub ours: String,
    pub theirs: String,
}

impl Names {
    pub(super) fn take(&mut self, kind: Kind, name: &str, file: &str) {
        self.taken
            .entry((kind, name.to_lowercase()))
            .or_insert_with(|| file.to_owned());
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// Names of both, sorted.
    #[must_use]
    pub fn clashes(&self, theirs: &Names) -> Vec<Clash> {
        let both = self
            .taken
            .iter()
            .filter_map(|(key, ours)| Some((key, ours, theirs.taken.get(key)?)));
        both.map(|((kind, name), ours, theirs)| Clash {
            kind: *kind,
            name: name.clone(),
            ours: ours.clone(),
            theirs: theirs.clone(),
        })
        .collect()
    }

    /// Without the kinds that have a name space of their own.
    #[must_use]
    pub fn only(mut self, kinds: &[Kind]) -> Self {
        self.taken.retain(|(kind, _), _| kinds.contains(kind));
        self
    }
}
