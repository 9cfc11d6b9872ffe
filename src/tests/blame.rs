//! Every generated line leads to a spec, every rule and field to a generated line, and a line that a
//! change of a spec changes leads to what was changed.

use similar::{ChangeTag, TextDiff};

use super::checking::{checked, settings};
use super::golden::{folder, names_in};
use crate::blame::{Kind, blame, entity_of};
use crate::ir::{Project, Rule, RuleKind, Source};
use crate::lower::lower;
use crate::place::Place;
use crate::render::render;
use crate::settings::{Dialect, Settings, Target};
use crate::sql::expr::Expr;
use crate::sql::literal::Literal;
use crate::tree::{Ownership, Tree};

fn each_project(mut with: impl FnMut(&str, &Project, &Settings)) {
    let projects = folder("fixtures/projects");
    for name in names_in(&projects) {
        let project = checked(&projects.join(&name)).expect("a project that is right");
        for target in Target::ALL {
            for dialect in Dialect::ALL {
                let settings = Settings {
                    target,
                    dialect,
                    ..settings()
                };
                let name = format!("{name} {} {}", target.name(), dialect.name());
                with(&name, &project, &settings);
            }
        }
    }
}

fn generated(project: &Project, settings: &Settings) -> Tree {
    let mut tree = render(&lower(project), settings);
    tree.files
        .retain(|_, file| file.ownership == Ownership::Generated);
    tree
}

#[test]
fn every_line_of_an_entity_comes_from_somewhere() {
    each_project(|name, project, settings| {
        for (path, file) in generated(project, settings).files {
            let origins = blame(project, &path, &file.text);
            assert_eq!(origins.len(), file.text.lines().count(), "{name}: {path}");
            let Some(entity) = entity_of(&path, project) else {
                continue;
            };
            for (line, origins) in file.text.lines().zip(&origins) {
                assert!(
                    line.trim().is_empty() || !origins.is_empty(),
                    "{name}: {path}: {line}"
                );
                assert!(
                    origins.iter().all(|origin| origin.entity == entity.name),
                    "{name}: {path}: {line}: {origins:?}"
                );
            }
        }
    });
}

/// What a reader may ask about, each with the places that answer.
fn expected(project: &Project) -> Vec<(Kind, String, Place)> {
    let mut all = Vec::new();
    if let Some(calendar) = &project.calendar {
        let place = calendar.place.clone();
        all.push((Kind::Calendar, calendar.name.clone(), place));
    }
    for check in &project.checks {
        let [entity, _] = check.reads();
        let name = format!("{entity}.{}", check.name);
        all.push((Kind::Check, name, check.place.clone()));
    }
    for entity in &project.entities {
        let mut add = |kind, name: &str, place| {
            all.push((kind, format!("{}.{name}", entity.name), place));
        };
        for field in &entity.fields {
            add(Kind::Field, &field.name, field.place.clone());
        }
        for mapping in &entity.mappings {
            for mapped in &mapping.fields {
                add(Kind::MappedField, &mapped.field, mapped.place.clone());
                if let Source::Recipe(recipe) = &mapped.from {
                    add(Kind::Recipe, &recipe.name, recipe.place.clone());
                }
            }
            if mapping.freshness.is_some() {
                let place = mapping.place.key("freshness").at_key();
                add(Kind::Freshness, &mapping.source, place);
            }
        }
        for assert in &entity.asserts {
            let field = entity.place.key("fields").key(&assert.field);
            add(Kind::Assert, &assert.name, field.key("assert").at_key());
        }
        if entity.dedupe.is_some() {
            let place = entity.place.key("dedupe").at_key();
            add(Kind::Dedupe, &entity.name, place);
        }
        for rule in entity.quality.iter().flat_map(|quality| &quality.rules) {
            add(Kind::Rule, &rule.name, rule.place.clone());
        }
        let quality = entity.quality.as_ref();
        let quarantine = quality.and_then(|quality| quality.quarantine.as_ref());
        for path in quarantine.iter().flat_map(|quarantine| &quarantine.redact) {
            let place = entity.place.key("quarantine").key("redact").at_key();
            add(Kind::Redaction, &path.column, place);
        }
    }
    all
}

#[test]
fn every_rule_and_field_is_reached() {
    each_project(|name, project, settings| {
        let tree = generated(project, settings);
        let found: Vec<_> = tree
            .files
            .iter()
            .flat_map(|(path, file)| blame(project, path, &file.text))
            .flatten()
            .collect();
        for (kind, what, place) in expected(project) {
            let is_found = found
                .iter()
                .any(|origin| origin.kind == kind && origin.place == place);
            assert!(
                is_found,
                "{name}: no line comes from {} `{what}`",
                kind.word()
            );
        }
    });
}

/// Lines of `before` that are not in `after` each come from the place.
fn check_changed(
    name: &str,
    project: &Project,
    settings: &Settings,
    after: &Project,
    place: &Place,
) -> usize {
    let (old, new) = (generated(project, settings), generated(after, settings));
    let mut count = 0;
    for (path, file) in &old.files {
        let Some(now) = new.files.get(path) else {
            continue;
        };
        // Parents stand before their children there.
        if now == file || path.ends_with("/replay.sql") || path.ends_with("/replay.py") {
            continue;
        }
        let origins = blame(project, path, &file.text);
        let lines: Vec<&str> = file.text.lines().collect();
        for change in TextDiff::from_lines(&file.text, &now.text).iter_all_changes() {
            let (ChangeTag::Delete, Some(at)) = (change.tag(), change.old_index()) else {
                continue;
            };
            count += 1;
            // Whether it can be undecided is a matter of its kind, not of its parameters.
            // A digest of all there is comes from nothing in particular.
            let is_digest =
                lines[at].ends_with("AS _generation") || lines[at].contains("generation='");
            // What a replay reads beside the rejects depends on all lookups together.
            let of = lines[..at]
                .iter()
                .rev()
                .find(|line| line.starts_with("{% macro"));
            let is_digest = is_digest || of.is_some_and(|line| line.contains("__held("));
            // The version of the rules is that of all of them.
            let word = lines[at].trim_matches([' ', ',', '\'']);
            let is_digest =
                is_digest || (word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let is_digest = is_digest || lines[at].contains("assay_ask(");
            // Whether any rule compares rows shows in what the macro is handed.
            let is_digest = is_digest || lines[at].contains("stored=none");
            if lines[at].ends_with("AS _undecided") || is_digest {
                continue;
            }
            assert!(
                origins[at].iter().any(|origin| origin.place == *place),
                "{name}: {path}:{}: {}\n{:?}\nmisses {place:?}",
                at + 1,
                lines[at],
                origins[at]
            );
        }
    }
    count
}

fn rules(project: &mut Project) -> impl Iterator<Item = &mut Rule> {
    let qualities = project
        .entities
        .iter_mut()
        .filter_map(|entity| entity.quality.as_mut());
    qualities.flat_map(|quality| &mut quality.rules)
}

/// The whole expression of a rule is the rule's, its probes included.
#[test]
fn lines_that_another_condition_changes_come_from_the_rule() {
    each_project(|name, project, settings| {
        let count = rules(&mut project.clone()).count();
        for index in 0..count {
            let mut after = project.clone();
            let Some(rule) = rules(&mut after).nth(index) else {
                continue;
            };
            // A probe that is shared by two rules, and never looked at, stays.
            let always = Expr::Literal(Literal::Bool(true));
            rule.kind = RuleKind::Expression { holds: always };
            let (place, rule) = (rule.place.clone(), rule.name.clone());
            let name = format!("{name}: {rule}");
            let changed = check_changed(&name, project, settings, &after, &place);
            assert!(changed > 0, "{name}");
        }
    });
}

#[test]
fn lines_that_another_path_changes_come_from_the_mapped_field() {
    each_project(|name, project, settings| {
        for (at, entity) in project.entities.iter().enumerate() {
            for (by, mapping) in entity.mappings.iter().enumerate() {
                for (index, mapped) in mapping.fields.iter().enumerate() {
                    let mut after = project.clone();
                    let from = &mut after.entities[at].mappings[by].fields[index].from;
                    let from = match from {
                        Source::Path(path) => path,
                        Source::Recipe(recipe) => &mut recipe.aliases[0].from,
                    };
                    if !from.inner.is_empty() {
                        continue;
                    }
                    from.column = "elsewhere".to_owned();
                    let name = format!("{name}: {}", mapped.field);
                    let changed = check_changed(&name, project, settings, &after, &mapped.place);
                    assert!(changed > 0, "{name}");
                }
            }
        }
    });
}

#[test]
fn lines_that_another_description_changes_come_from_the_field() {
    each_project(|name, project, settings| {
        for (at, entity) in project.entities.iter().enumerate() {
            for (index, field) in entity.fields.iter().enumerate() {
                if field.description.is_none() {
                    continue;
                }
                let mut after = project.clone();
                after.entities[at].fields[index].description = Some("another".to_owned());
                let field_place = &field.place;
                let place = match settings.target {
                    Target::Dbt => field_place.key("description").at_key(),
                    Target::Sqlmesh => field_place.at_key(),
                };
                check_changed(name, project, settings, &after, &place);
            }
        }
    });
}
