//! What differs between two date dimensions.

use super::{Difference, Differences, Subject};
use crate::change::facts::CalendarFacts;
use crate::change::kinds::Change;

pub fn compare(old: Option<&CalendarFacts>, new: Option<&CalendarFacts>) -> Vec<Difference> {
    let mut found = Differences::of_project();
    let subject = |of: &CalendarFacts| Subject::Calendar(of.name.clone());
    match (old, new) {
        (Some(before), Some(after)) if before.name == after.name => {
            years(before, after, &subject(after), &mut found);
        }
        (before, after) => {
            if let Some(before) = before {
                let text = before.to_string();
                found.push(Change::CalendarRemoved, subject(before), Some(&text), None);
            }
            if let Some(after) = after {
                let text = after.to_string();
                found.push(Change::CalendarAdded, subject(after), None, Some(&text));
            }
        }
    }
    found.found
}

fn years(old: &CalendarFacts, new: &CalendarFacts, subject: &Subject, found: &mut Differences) {
    let (Some((first, last)), Some((new_first, new_last))) = (old.years, new.years) else {
        return;
    };
    let (before, after) = (old.to_string(), new.to_string());
    let mut push = |change| found.push(change, subject.clone(), Some(&before), Some(&after));
    if new_first > first || new_last < last {
        push(Change::CalendarShortened);
    }
    if new_first < first || new_last > last {
        push(Change::CalendarExtended);
    }
}
