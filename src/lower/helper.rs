//! Names of our own helper columns. They carry a user's name, and must fit where names are short.

use sha2::{Digest as _, Sha256};

/// PostgreSQL cuts a name at 63 bytes. Some are left for what aliases add.
const LONGEST: usize = 54;
/// Hex digits that keep two long names apart.
const DIGITS: usize = 8;

/// Both together, or, where that is too long, its start and a digest.
#[must_use]
pub fn helper(prefix: &str, name: &str) -> String {
    let whole = [prefix, name].concat();
    if whole.len() <= LONGEST {
        return whole;
    }
    let digits = digest(&whole);
    let mut end = LONGEST - DIGITS - 1;
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}_{digits}", &whole[..end])
}

/// A few hex digits that tell two texts apart.
#[must_use]
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, helper};

    #[test]
    fn a_short_name_stays() {
        assert_eq!(helper("_fails__", "price_range"), "_fails__price_range");
    }

    #[test]
    fn long_names_fit_and_stay_apart() {
        let long = "é".repeat(40);
        let one = helper("_fails__", &format!("{long}_min"));
        let other = helper("_fails__", &format!("{long}_max"));
        assert_ne!(one, other);
        assert!(one.len() <= LONGEST && other.len() <= LONGEST);
    }
}
