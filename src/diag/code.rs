//! The catalogue of codes: one sorted table, one file a range. What a code means is its page.

pub mod e01xx;
pub mod e02xx;
pub mod e03xx;
pub mod e04xx;
pub mod e05xx;
pub mod e06xx;

/// `E0101`-style; never reused, never generic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// What `assay explain` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub code: Code,
    /// A few lower-case words with dashes; also the folder's name in `fixtures/rules/`.
    pub name: &'static str,
    /// Markdown: what is wrong, why it matters, an example, what to do.
    pub page: &'static str,
}

/// Every code, sorted. Each file's own table is sorted and the ranges follow one another.
#[must_use]
pub fn all() -> Vec<Entry> {
    [
        e01xx::ENTRIES,
        e02xx::ENTRIES,
        e03xx::ENTRIES,
        e04xx::ENTRIES,
        e05xx::ENTRIES,
        e06xx::ENTRIES,
    ]
    .concat()
}
