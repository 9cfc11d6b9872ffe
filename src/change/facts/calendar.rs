//! The facts of the date dimension, and their lines in `assay.lock`.

use std::fmt;

use super::words::{line, split};
use crate::ir::Calendar;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalendarFacts {
    pub name: String,
    /// The first and the last one; `None` while the lock is being read.
    pub years: Option<(u16, u16)>,
}

impl CalendarFacts {
    #[must_use]
    pub fn of(calendar: &Calendar) -> Self {
        let Calendar {
            name,
            // Where it is written says nothing.
            place: _,
            first_year,
            last_year,
        } = calendar;
        Self {
            name: name.clone(),
            years: Some((*first_year, *last_year)),
        }
    }

    /// The lines of its section.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self { name: _, years } = self;
        let years = years.iter();
        years
            .map(|(first, last)| line(["years", &first.to_string(), &last.to_string()]))
            .collect()
    }

    /// Takes one line in; `None` when it is not one that this tool writes.
    pub fn take(&mut self, line: &str) -> Option<()> {
        let words = split(line)?;
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_ref()).collect();
        let ["years", first, last] = texts.as_slice() else {
            return None;
        };
        let years = (first.parse().ok()?, last.parse().ok()?);
        self.years.replace(years).is_none().then_some(())
    }
}

impl fmt::Display for CalendarFacts {
    /// `2020 to 2030`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.years.unwrap_or_default();
        write!(f, "{first} to {last}")
    }
}
