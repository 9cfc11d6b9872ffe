//! Diagnostics as text.

/// "did you mean `kilos`?"
pub fn nearest_help<'a>(_name: &str, _known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    None
}
