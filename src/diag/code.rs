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

/// A code's entry, however its letter is written.
#[must_use]
pub fn find(code: &str) -> Option<Entry> {
    all()
        .into_iter()
        .find(|entry| entry.code.0.eq_ignore_ascii_case(code.trim()))
}

/// The page of one code, as `assay explain` prints it.
#[must_use]
pub fn explain(code: &str) -> Option<String> {
    find(code).map(page_of)
}

/// Every page, for the error catalogue of the documentation.
#[must_use]
pub fn all_pages() -> String {
    let mut pages = String::from("# Errors\n");
    for entry in all() {
        pages += &format!("\n#{}", page_of(entry));
    }
    pages
}

fn page_of(entry: Entry) -> String {
    let Entry { code, name, page } = entry;
    format!("# {}: {}\n\n{page}", code.0, name.replace('-', " "))
}
