//! `pattern`: a text that does not match a regex of the portable subset.

use super::{Build, Built, FieldSite, Rule, params, refused_regex};
use crate::diag::Bag;
use crate::ir::RuleKind;
use crate::sql::regex::Regex;
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "pattern",
    params: &["regex"],
    build: Build::Field {
        fits: |ty| ty == Type::String,
        takes: "strings",
        build,
    },
    page: "Fires when the text does not match `regex`. The subset that every engine reads alike: \
           literals, `.`, classes, `\\d \\w \\s` and their negations outside of classes, `^ $`, \
           `* + ? {n} {n,} {n,m}`, `|`, `(?:…)`. Every top-level branch starts with `^` and ends \
           with `$`. `.` takes no newline; `\\d \\w \\s` are ASCII; write the regex once, in single \
           quotes, and no backslash twice.\n\n\
           ```yaml\nquality: [{rule: pattern, regex: '^\\d{4}-[A-Z]{2}$', on_fail: quarantine}]\n\
           ```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    params::required(
        site.rule,
        &["regex"],
        "{rule: pattern, regex: '^…$', on_fail: …}",
        found,
    );
    let pattern = &params::one(site.rule, "regex", found)?.text;
    let field = site.field.to_owned();
    match Regex::parse(pattern) {
        Ok(regex) => Some(Built {
            generated: format!("{field}_pattern"),
            kind: RuleKind::Pattern { field, regex },
        }),
        Err(refusal) => {
            found.push(refused_regex(
                pattern,
                &refusal,
                site.rule.param_place("regex"),
            ));
            None
        }
    }
}
