//! Documentation that is made from the code: the catalogue of errors.

use super::golden::Golden;
use crate::diag::code;

const HEAD: &str = "<!-- made from src/diag/code by src/tests/docs.rs; UPDATE_GOLDEN=1 cargo test docs writes it again -->\n\n";

#[test]
fn the_error_catalogue_is_the_pages() {
    let mut golden = Golden::default();
    golden.check("../docs/errors.md", &format!("{HEAD}{}", code::all_pages()));
    golden.finish();
}
