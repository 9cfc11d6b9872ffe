//! A file and a path in it: where something was written. Line and column are looked up only when a
//! diagnostic is printed; a `Place` is cheap to make and to compare.

use std::sync::Arc;

/// One step into a YAML document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key(Arc<str>),
    Index(usize),
}

/// Which part of the node at the end of the path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Focus {
    /// The key itself (`kilos` in `kilos: {…}`).
    Key,
    /// What stands behind the key, or the list item.
    Value,
}

/// Where in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// The file as a whole.
    File,
    /// A node, found again when the diagnostic is printed.
    Path { steps: Vec<Step>, focus: Focus },
    /// A position the YAML parser reported: 1-based line and column.
    Position { line: usize, column: usize },
}

/// A file of the spec tree (its path relative to the tree, `/` on every platform) and a spot in it.
/// Its texts are those of the trail it comes from: a project holds dozens of places for each entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: Arc<str>,
    pub spot: Spot,
}

impl Place {
    #[must_use]
    pub fn file(file: &str) -> Self {
        Self {
            file: file.into(),
            spot: Spot::File,
        }
    }

    #[must_use]
    pub fn root(file: &str) -> Self {
        Self {
            file: file.into(),
            spot: Spot::Path {
                steps: Vec::new(),
                focus: Focus::Value,
            },
        }
    }

    #[must_use]
    pub fn position(file: &str, line: usize, column: usize) -> Self {
        Self {
            file: file.into(),
            spot: Spot::Position { line, column },
        }
    }

    /// The value behind `key`, one level down.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// The `index`-th item (0-based), one level down.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The same node, pointing at its key instead of its value.
    #[must_use]
    pub fn at_key(&self) -> Self {
        let spot = match &self.spot {
            Spot::Path { steps, .. } => Spot::Path {
                steps: steps.clone(),
                focus: Focus::Key,
            },
            other @ (Spot::File | Spot::Position { .. }) => other.clone(),
        };
        Self {
            file: self.file.clone(),
            spot,
        }
    }

    fn step(&self, step: Step) -> Self {
        let above: &[Step] = match &self.spot {
            Spot::Path { steps, .. } => steps,
            Spot::File | Spot::Position { .. } => &[],
        };
        let mut steps = Vec::with_capacity(above.len() + 1);
        steps.extend_from_slice(above);
        steps.push(step);
        Self {
            file: self.file.clone(),
            spot: Spot::Path {
                steps,
                focus: Focus::Value,
            },
        }
    }
}

/// A path that children share with their parents, so that a spec of many thousand nodes can know
/// where each of them stands; it becomes a `Place` when a diagnostic needs one.
#[derive(Debug, Clone)]
pub struct Trail(Arc<Link>);

#[derive(Debug)]
enum Link {
    Root { file: Arc<str> },
    Down { parent: Trail, step: Step },
}

impl Trail {
    /// The document itself.
    #[must_use]
    pub fn root(file: &str) -> Self {
        Self(Arc::new(Link::Root { file: file.into() }))
    }

    /// One level down, by key.
    #[must_use]
    pub fn down(&self, key: &str) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// One level down, by 0-based position.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    #[must_use]
    pub fn file(&self) -> &Arc<str> {
        match self.0.as_ref() {
            Link::Root { file } => file,
            Link::Down { parent, step: _ } => parent.file(),
        }
    }

    /// The value here.
    #[must_use]
    pub fn place(&self) -> Place {
        self.placed(None, Focus::Value)
    }

    /// The key that the value here stands behind.
    #[must_use]
    pub fn at_key(&self) -> Place {
        self.placed(None, Focus::Key)
    }

    /// The value behind `key`, one level down.
    #[must_use]
    pub fn key(&self, key: &str) -> Place {
        self.placed(Some(Step::Key(key.into())), Focus::Value)
    }

    /// The `index`-th item (0-based), one level down.
    #[must_use]
    pub fn index(&self, index: usize) -> Place {
        self.placed(Some(Step::Index(index)), Focus::Value)
    }

    fn placed(&self, last: Option<Step>, focus: Focus) -> Place {
        let mut steps: Vec<Step> = self.steps_up().cloned().collect();
        steps.reverse();
        steps.extend(last);
        Place {
            file: self.file().clone(),
            spot: Spot::Path { steps, focus },
        }
    }

    /// The steps to here, the last one first.
    fn steps_up(&self) -> impl Iterator<Item = &Step> {
        let mut at = self;
        std::iter::from_fn(move || match at.0.as_ref() {
            Link::Root { .. } => None,
            Link::Down { parent, step } => {
                at = parent;
                Some(step)
            }
        })
    }

    fn step(&self, step: Step) -> Self {
        Self(Arc::new(Link::Down {
            parent: self.clone(),
            step,
        }))
    }
}

/// Two trails are equal when they lead to the same place.
impl PartialEq for Trail {
    fn eq(&self, other: &Self) -> bool {
        match (self.0.as_ref(), other.0.as_ref()) {
            (Link::Root { file: a }, Link::Root { file: b }) => a == b,
            (Link::Down { parent: a, step: x }, Link::Down { parent: b, step: y }) => {
                x == y && a == b
            }
            (Link::Root { .. }, Link::Down { .. }) | (Link::Down { .. }, Link::Root { .. }) => {
                false
            }
        }
    }
}

impl Eq for Trail {}

/// `entities.parcel.key[0]`; keys that are not plain are quoted.
#[must_use]
pub fn path_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        text += &match step {
            Step::Index(index) => format!("[{index}]"),
            Step::Key(key) if key.is_empty() || !key.chars().all(is_plain) => format!("[{key:?}]"),
            Step::Key(key) if text.is_empty() => key.to_string(),
            Step::Key(key) => format!(".{key}"),
        };
    }
    text
}

/// The path of a place; nothing for a file as a whole.
#[must_use]
pub fn path_text_of(place: &Place) -> String {
    match &place.spot {
        Spot::Path { steps, focus: _ } => path_text(steps),
        Spot::File | Spot::Position { .. } => String::new(),
    }
}
