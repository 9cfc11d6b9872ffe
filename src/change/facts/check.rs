//! The facts of a check of finished relations, and their lines in `assay.lock`.

use std::collections::BTreeMap;

use super::read::{groups, new};
use super::words::{line, split};
use super::write::lists;
use crate::ir::{Check, CheckKind, Coverage, Reconcile};

/// As words: what two versions of a project say of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckFacts {
    pub kind: String,
    pub on_fail: String,
    /// Name → values.
    pub params: BTreeMap<String, Vec<String>>,
    /// Entities; that under whose name it is counted first.
    pub reads: Vec<String>,
    /// The relation that lists what does not hold.
    pub relation: String,
    pub description: Option<String>,
}

/// The parameter that a greater value makes `reconcile` milder by.
pub const TOLERANCE: &str = "tolerance";
/// The parameter that a greater value makes `coverage` stricter by.
pub const MIN: &str = "min";
/// What the relationship of `coverage` is called.
const RELATIONSHIP: &str = "relationship";

impl CheckFacts {
    #[must_use]
    pub fn of(check: &Check) -> Self {
        let Check {
            // The name of its section.
            name: _,
            // Where it is written says nothing.
            place: _,
            description,
            on_fail,
            kind,
        } = check;
        let mut reads: Vec<String> = check.reads().map(str::to_owned).to_vec();
        reads.dedup();
        Self {
            kind: kind.name().to_owned(),
            on_fail: on_fail.name().to_owned(),
            params: params(kind),
            reads,
            relation: check.relation(),
            description: description.clone(),
        }
    }

    /// Kind and parameters that decide what is found; what a relationship is called does not, its entities and fields stand
    /// beside it.
    #[must_use]
    pub fn asks(&self) -> (&str, BTreeMap<&str, &[String]>) {
        let params = self.params.iter();
        let params = params.filter(|(name, _)| *name != RELATIONSHIP);
        let params = params.map(|(name, values)| (name.as_str(), values.as_slice()));
        (&self.kind, params.collect())
    }

    /// What is compared, in one line; beside another version of it, where the two differ.
    #[must_use]
    pub fn judgement(&self, beside: Option<&Self>) -> String {
        let is_other = |(name, values): &(&String, &Vec<String>)| {
            beside.is_none_or(|other| other.params.get(*name) != Some(values))
        };
        let params: Vec<String> = self
            .params
            .iter()
            .filter(is_other)
            .map(|(name, values)| format!("{name} {}", values.join(", ")))
            .collect();
        params.join(", ")
    }

    /// The lines of the section of a check.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self {
            kind,
            on_fail,
            params,
            reads,
            relation,
            description,
        } = self;
        let mut head = line([kind.as_str(), on_fail]);
        lists(params, &mut head);
        let mut lines = vec![head, line(["relation", relation])];
        lines.extend(reads.iter().map(|entity| line(["reads", entity])));
        lines.extend(description.iter().map(|text| line(["description", text])));
        lines
    }

    /// Takes one line in; `None` when it is not one that this tool writes.
    pub fn take(&mut self, text: &str) -> Option<()> {
        let words = split(text)?;
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_ref()).collect();
        match texts.as_slice() {
            [
                kind @ ("reconcile" | "coverage"),
                on_fail @ ("flag" | "fail"),
                ..,
            ] => {
                let is_new = self.kind.is_empty();
                self.kind = (*kind).to_owned();
                self.on_fail = (*on_fail).to_owned();
                self.params = groups(words.get(2..)?)?;
                is_new.then_some(())
            }
            ["relation", relation] => {
                let is_new = self.relation.is_empty();
                self.relation = (*relation).to_owned();
                is_new.then_some(())
            }
            ["reads", entity] => {
                self.reads.push((*entity).to_owned());
                Some(())
            }
            ["description", text] => new(self.description.replace((*text).to_owned())),
            _ => None,
        }
    }
}

fn params(kind: &CheckKind) -> BTreeMap<String, Vec<String>> {
    let params = match kind {
        CheckKind::Reconcile(Reconcile {
            left,
            right,
            tolerance,
            // Follows from the types of the fields.
            scale: _,
        }) => vec![
            ("left", vec![left.to_string()]),
            ("right", vec![right.to_string()]),
            (TOLERANCE, vec![tolerance.clone()]),
        ],
        CheckKind::Coverage(Coverage {
            relationship,
            parent,
            child,
            columns,
            min,
        }) => {
            let columns = columns.iter();
            vec![
                (RELATIONSHIP, vec![relationship.clone()]),
                ("parent", vec![parent.clone()]),
                ("child", vec![child.clone()]),
                (
                    "columns",
                    columns
                        .map(|(of_parent, of_child)| format!("{of_parent} = {of_child}"))
                        .collect(),
                ),
                (MIN, vec![min.to_string()]),
            ]
        }
    };
    params
        .into_iter()
        .map(|(name, values)| (name.to_owned(), values))
        .collect()
}
