//! "did you mean": which of the known names was meant.

/// Lists of more names than this, which somebody else made up, are not shown.
const FEW: usize = 8;
/// A shorter name says little by being the start of another.
const TELLING: usize = 4;

/// "did you mean `kilos`?" when a known name is near, else all of them when they are few.
pub fn nearest_help<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest_or_listed(name, known, FEW)
}

/// The same of words of the language, all of which are shown when none is near.
pub fn nearest_word<'a>(name: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest_or_listed(name, words, usize::MAX)
}

fn nearest_or_listed<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Option<String> {
    let mut known: Vec<&str> = known.into_iter().filter(|known| *known != name).collect();
    known.sort_unstable();
    known.dedup();
    let wanted = folded(name);
    // A third of the name may differ: `kilo` is near `kilos`, `id` is near nothing but itself.
    let allowed = (wanted.len().max(3) / 3).min(4);
    let near = known
        .iter()
        .map(|known| (distance(&wanted, &folded(known)), *known))
        .filter(|(distance, _)| *distance <= allowed)
        .min();
    let near = near.map(|(_, near)| near);
    match near.or_else(|| only_one_that_starts_alike(&wanted, &known)) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() || known.len() > most => None,
        None => Some(format!("known here: {}", listed(&known))),
    }
}

/// `to_integer` begins with `to_int`; `strip` could be several.
fn only_one_that_starts_alike<'a>(wanted: &[char], known: &[&'a str]) -> Option<&'a str> {
    let mut alike = known.iter().filter(|known| {
        let known = folded(known);
        let shorter = wanted.len().min(known.len());
        shorter >= TELLING && wanted[..shorter] == known[..shorter]
    });
    match (alike.next(), alike.next()) {
        (Some(only), None) => Some(only),
        (_, _) => None,
    }
}

fn listed(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Case and the choice of `-`, `_`, ` ` make no difference between two names.
fn folded(name: &str) -> Vec<char> {
    let name = name.chars().take(100).flat_map(char::to_lowercase);
    name.map(|c| if matches!(c, '-' | ' ' | '.') { '_' } else { c })
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that make one of the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
