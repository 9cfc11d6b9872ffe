//! A file and a path in it: where something was written. Line and column are looked up only when a
//! diagnostic is printed; a `Place` is cheap to make and to compare.

/// One step into a YAML document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key(String),
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub spot: Spot,
}

impl Place {
    #[must_use]
    pub fn file(file: &str) -> Self {
        Self { file: file.to_owned(), spot: Spot::File }
    }

    #[must_use]
    pub fn root(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            spot: Spot::Path { steps: Vec::new(), focus: Focus::Value },
        }
    }

    #[must_use]
    pub fn position(file: &str, line: usize, column: usize) -> Self {
        Self { file: file.to_owned(), spot: Spot::Position { line, column } }
    }

    /// The value behind `key`, one level down.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.to_owned()))
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
            Spot::Path { steps, .. } => Spot::Path { steps: steps.clone(), focus: Focus::Key },
            other @ (Spot::File | Spot::Position { .. }) => other.clone(),
        };
        Self { file: self.file.clone(), spot }
    }

    fn step(&self, step: Step) -> Self {
        let mut steps = match &self.spot {
            Spot::Path { steps, .. } => steps.clone(),
            Spot::File | Spot::Position { .. } => Vec::new(),
        };
        steps.push(step);
        Self { file: self.file.clone(), spot: Spot::Path { steps, focus: Focus::Value } }
    }
}
