//! The rules: one sorted table, one file each. Here: which rules an entity has in the end, how they
//! are named, and what happens to a row that one of them refuses.

mod charset;
mod coercible;
mod exact;
mod expression;
mod implicit;
mod in_enum;
mod in_set;
mod length;
mod normalize;
mod not_null;
pub(super) mod params;
mod pattern;
mod range;
mod referential;
mod unique;

use std::collections::BTreeMap;

use super::world::{EntityView, World, mapped_fields};
use crate::diag::code::{Code, e03xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Dedupe, Disposition, MappedField, Mapping, OrderColumn, RuleKind, Scope};
use crate::place::Place;
use crate::spec::rule::RuleSpec;
use crate::sql::regex::Refusal;
use crate::sql::types::Type;

/// One kind of rule.
pub struct Rule {
    pub name: &'static str,
    /// Its own parameters; every rule also takes `name`, `description` and its disposition.
    pub params: &'static [&'static str],
    pub build: Build,
    /// Markdown: what it judges, with an example.
    pub page: &'static str,
}

pub enum Build {
    /// On a field of a mapping.
    Field {
        fits: fn(Type) -> bool,
        takes: &'static str,
        build: FieldBuild,
    },
    /// On an entity.
    Entity(EntityBuild),
}

type FieldBuild = fn(&FieldSite<'_>, &mut Bag) -> Option<Built>;
type EntityBuild = fn(&EntitySite<'_>, &mut Bag) -> Option<Built>;

/// Every rule, sorted by name.
pub const RULES: &[Rule] = &[
    charset::RULE,
    coercible::RULE,
    exact::RULE,
    expression::RULE,
    in_enum::RULE,
    in_set::RULE,
    length::RULE,
    normalize::RULE,
    not_null::RULE,
    pattern::RULE,
    range::RULE,
    referential::RULE,
    unique::RULE,
];

/// What a rule judges, and the name it gets when its author gives none.
pub struct Built {
    kind: RuleKind,
    generated: String,
}

/// A rule where it stands, on a field.
pub struct FieldSite<'a> {
    rule: &'a RuleSpec,
    field: &'a str,
    ty: Type,
    /// `None`: its chain or its recipe has an error, which has been reported.
    mapped: Option<&'a MappedField>,
    entity: &'a EntityView<'a>,
}

/// A field of a mapping whose rules are read.
struct Ruled<'a> {
    name: &'a str,
    /// `None`: the entity gives it none, which has been reported.
    ty: Option<Type>,
    mapped: Option<&'a MappedField>,
    orders_dedupe: bool,
    mapping: usize,
}

/// A rule where it stands, on an entity.
pub struct EntitySite<'a> {
    rule: &'a RuleSpec,
    disposition: Disposition,
    entity: &'a EntityView<'a>,
    world: &'a World<'a>,
}

/// Every rule of an entity in the quality system, sorted by name and mapping.
pub(super) fn resolve(
    entity: &EntityView<'_>,
    mappings: &[Mapping],
    dedupe: Option<&Dedupe>,
    world: &World<'_>,
    found: &mut Bag,
) -> Vec<crate::ir::Rule> {
    let mut named = Named {
        rules: Vec::new(),
        taken: BTreeMap::new(),
    };
    for rule in entity.spec.quality.iter().flatten() {
        entity_rule(rule, entity, world, &mut named, found);
    }
    let of_entity = named.taken.clone();
    for (index, (spec, mapping)) in entity.mappings.iter().zip(mappings).enumerate() {
        named.taken.clone_from(&of_entity);
        for field in &mapping.fields {
            // What is delivered beside a recipe has the rules that nobody has to write.
            let written = mapped_fields(spec).find(|written| written.name == field.field);
            let rules = written.and_then(|written| written.quality.as_deref());
            let rules = rules.unwrap_or_default();
            let orders = orders_dedupe(dedupe, &field.field);
            for rule in implicit::rules(field, rules, entity, orders, Scope::Mapping(index)) {
                named.push(rule, None, found);
            }
            let ruled = Ruled {
                name: &field.field,
                ty: Some(field.ty),
                mapped: Some(field),
                orders_dedupe: orders,
                mapping: index,
            };
            for rule in rules {
                field_rule(rule, &ruled, entity, &mut named, found);
            }
            if let Some(written) = written.filter(|written| written.direct().is_some()) {
                let scope = Scope::Mapping(index);
                named.push(implicit::agrees(written, scope), None, found);
            }
        }
        let is_known = |name: &str| mapping.fields.iter().any(|field| field.field == name);
        for written in mapped_fields(spec).filter(|written| !is_known(&written.name)) {
            let ruled = Ruled {
                name: &written.name,
                ty: entity.type_of(&written.name),
                mapped: None,
                orders_dedupe: orders_dedupe(dedupe, &written.name),
                mapping: index,
            };
            for rule in written.quality.iter().flatten() {
                field_rule(rule, &ruled, entity, &mut named, found);
            }
        }
    }
    let mut rules = named.rules;
    rules.sort_by(|a, b| (&a.name, a.scope).cmp(&(&b.name, b.scope)));
    rules
}

fn orders_dedupe(dedupe: Option<&Dedupe>, field: &str) -> bool {
    let is_field = |column: &OrderColumn| match column {
        OrderColumn::Field(name) => name == field,
        OrderColumn::LoadId | OrderColumn::IngestedAt | OrderColumn::SourceRowId => false,
    };
    dedupe.is_some_and(|dedupe| is_field(&dedupe.field) || dedupe.tie_break.iter().any(is_field))
}

fn entity_rule(
    spec: &RuleSpec,
    entity: &EntityView<'_>,
    world: &World<'_>,
    named: &mut Named,
    found: &mut Bag,
) {
    let Some(rule) = known(spec, found) else {
        return;
    };
    let build = match &rule.build {
        Build::Entity(build) => build,
        Build::Field { .. } => {
            let help = "write it under `quality:` of the field, in the mapping";
            return wrong_level(spec, "a field, not an entity", help, found);
        }
    };
    params::check_known(spec, rule.params, found);
    let Some(disposition) = disposition(spec, rule, found) else {
        return;
    };
    let site = EntitySite {
        rule: spec,
        disposition,
        entity,
        world,
    };
    if let Some(built) = build(&site, found) {
        named.push(
            finished(spec, built, disposition, Scope::Entity),
            spec.name.as_deref(),
            found,
        );
    }
}

fn field_rule(
    spec: &RuleSpec,
    field: &Ruled<'_>,
    entity: &EntityView<'_>,
    named: &mut Named,
    found: &mut Bag,
) {
    let Some(rule) = known(spec, found) else {
        return;
    };
    let Build::Field { fits, takes, build } = &rule.build else {
        let help = "write it under `quality:` of the entity";
        return wrong_level(spec, "an entity, not a field", help, found);
    };
    params::check_known(spec, rule.params, found);
    let disposition = disposition(spec, rule, found);
    let Some(ty) = field.ty else {
        return;
    };
    if !fits(ty) {
        found.push(
            Diagnostic::error(
                e04xx::RULE_TYPE,
                spec.at.key("rule"),
                format!("`{}` on a field of type `{ty}`", rule.name),
            )
            .label(format!("it judges {takes}"))
            .help("use another rule, or change the type of the field"),
        );
        return;
    }
    let built = build(
        &FieldSite {
            rule: spec,
            field: field.name,
            ty,
            mapped: field.mapped,
            entity,
        },
        found,
    );
    let (Some(disposition), Some(built)) = (disposition, built) else {
        return;
    };
    let is_weak = match disposition {
        Disposition::Fail => false,
        Disposition::Quarantine | Disposition::Flag | Disposition::UnknownMember => true,
    };
    if is_weak && field.orders_dedupe && rule.name == coercible::RULE.name {
        found.push(
            Diagnostic::error(
                e04xx::DEDUPE_DISPOSITION,
                spec.at.key("on_fail"),
                format!("`coercible` on `{}` is weaker than `fail`", field.name),
            )
            .label("`dedupe` orders by this field; without its value the winner is undefined")
            .help("write `on_fail: fail`, or order by another column"),
        );
    }
    let scope = Scope::Mapping(field.mapping);
    named.push(
        finished(spec, built, disposition, scope),
        spec.name.as_deref(),
        found,
    );
}

fn finished(
    spec: &RuleSpec,
    built: Built,
    disposition: Disposition,
    scope: Scope,
) -> crate::ir::Rule {
    crate::ir::Rule {
        name: built.generated,
        scope,
        disposition,
        kind: built.kind,
        description: spec.description.clone(),
        place: spec.at.place(),
    }
}

fn known<'r>(spec: &RuleSpec, found: &mut Bag) -> Option<&'r Rule> {
    let name = spec.rule.as_str();
    if let Ok(index) = RULES.binary_search_by_key(&name, |rule| rule.name) {
        return Some(&RULES[index]);
    }
    let place = spec.at.key("rule");
    found.push(match name {
        "repair" | "drop" => no_drop_no_repair(name, place),
        _ => Diagnostic::error(e04xx::UNKNOWN_RULE, place, format!("unknown rule `{name}`"))
            .help_nearest_word(name, RULES.iter().map(|rule| rule.name)),
    });
    None
}

fn wrong_level(spec: &RuleSpec, judges: &str, help: &str, found: &mut Bag) {
    found.push(
        Diagnostic::error(
            e04xx::RULE_LEVEL,
            spec.at.key("rule"),
            format!("`{}` judges {judges}", spec.rule),
        )
        .help(help),
    );
}

pub(super) fn no_drop_no_repair(word: &str, place: Place) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        e04xx::NO_DROP_NO_REPAIR,
        place,
        format!("there is no `{word}`"),
    );
    match word {
        "repair" => diagnostic
            .label("a rule judges a value and never mends it")
            .help("mend the value in the mapping's chain, and quarantine what is left"),
        _ => diagnostic
            .label("no row is discarded without a trace")
            .help("write `quarantine`, and say with `retention` how long such rows are kept"),
    }
}

/// What happens to a row that the rule refuses; always written, never defaulted.
fn disposition(spec: &RuleSpec, rule: &Rule, found: &mut Bag) -> Option<Disposition> {
    let is_referential = rule.name == referential::RULE.name;
    let (key, other, written, stray) = if is_referential {
        ("on_missing", "on_fail", &spec.on_missing, &spec.on_fail)
    } else {
        ("on_fail", "on_missing", &spec.on_fail, &spec.on_missing)
    };
    let words: &[&str] = if is_referential {
        &["flag", "quarantine", "unknown_member"]
    } else {
        &["fail", "flag", "quarantine"]
    };
    let shown = || format!("`{}`", words.join("`, `"));
    if stray.is_some() {
        found.push(
            Diagnostic::error(
                e04xx::RULE_PARAMETER,
                spec.at.key(other).at_key(),
                format!("`{}` takes `{key}`, not `{other}`", rule.name),
            )
            .help(format!("write `{key}:` with one of {}", shown())),
        );
        if written.is_none() {
            return None;
        }
    }
    let Some(word) = written else {
        found.push(
            Diagnostic::error(
                e04xx::MISSING_DISPOSITION,
                spec.at.place(),
                format!("`{}` without `{key}`", rule.name),
            )
            .label("nothing says what happens to a row it refuses")
            .help(format!("write `{key}:` with one of {}", shown())),
        );
        return None;
    };
    match word.as_str() {
        "flag" => return Some(Disposition::Flag),
        "quarantine" => return Some(Disposition::Quarantine),
        "fail" if !is_referential => return Some(Disposition::Fail),
        "unknown_member" if is_referential => return Some(Disposition::UnknownMember),
        _ => {}
    }
    let place = spec.at.key(key);
    found.push(match word.as_str() {
        "drop" | "repair" => no_drop_no_repair(word, place),
        "fail" => Diagnostic::error(
            e04xx::UNKNOWN_DISPOSITION,
            place,
            "`referential` cannot stop the run".to_owned(),
        )
        .label("a parent that is late would block every child")
        .help(format!("write one of {}", shown())),
        "unknown_member" => Diagnostic::error(
            e04xx::UNKNOWN_DISPOSITION,
            place,
            format!("`{}` has no unknown member", rule.name),
        )
        .label("only a `referential` rule can point a row at another parent")
        .help(format!("write one of {}", shown())),
        other => Diagnostic::error(
            e04xx::UNKNOWN_DISPOSITION,
            place,
            format!("unknown disposition `{other}`"),
        )
        .help(format!("write one of {}", shown())),
    });
    None
}

/// Rules with their final names.
struct Named {
    rules: Vec<crate::ir::Rule>,
    taken: BTreeMap<String, Place>,
}

impl Named {
    fn push(&mut self, mut rule: crate::ir::Rule, authored: Option<&str>, found: &mut Bag) {
        match authored {
            Some(name) => rule.name = name.to_owned(),
            None => rule.name = self.numbered(&rule.name),
        }
        if let Some(first) = self.taken.get(&rule.name) {
            found.push(
                Diagnostic::error(
                    e04xx::RULE_NAME_TWICE,
                    rule.place.clone(),
                    format!("two rules are called `{}`", rule.name),
                )
                .label("counts and flags could not tell them apart")
                .also(first.clone(), "the other one")
                .help("give one of them another `name:`"),
            );
            return;
        }
        self.taken.insert(rule.name.clone(), rule.place.clone());
        self.rules.push(rule);
    }

    /// The second rule of one kind on one column is `…_2`.
    fn numbered(&self, generated: &str) -> String {
        let mut number = 1;
        loop {
            let name = match number {
                1 => generated.to_owned(),
                number => format!("{generated}_{number}"),
            };
            if !self.taken.contains_key(&name) {
                return name;
            }
            number += 1;
        }
    }
}

/// A pattern outside of the portable subset, as a diagnostic.
pub(super) fn refused_regex(pattern: &str, refusal: &Refusal, place: Place) -> Diagnostic {
    let Refusal {
        construct,
        offset,
        help,
    } = refusal;
    let anchoring = construct.contains("without `");
    let code: Code = if anchoring {
        e03xx::REGEX_ANCHORS
    } else {
        e03xx::REGEX_CONSTRUCT
    };
    let rest: String = pattern.chars().skip(*offset).take(12).collect();
    let message = if anchoring {
        construct.clone()
    } else {
        format!("not portable in a pattern: {construct}")
    };
    let at = if rest.is_empty() {
        "at the end".to_owned()
    } else {
        format!("character {}, at `{rest}`", offset + 1)
    };
    Diagnostic::error(code, place, message)
        .label(at)
        .help(help.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::RULES;

    #[test]
    fn every_rule_has_its_file_and_its_line() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name), "rules are sorted");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check/rules");
        let mut files: Vec<String> = fs::read_dir(folder)
            .expect("the folder of the rules")
            .map(|file| {
                file.expect("a file")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|file| !["implicit.rs", "params.rs"].contains(&file.as_str()))
            .collect();
        files.sort();
        let expected: Vec<String> = RULES
            .iter()
            .map(|rule| format!("{}.rs", rule.name))
            .collect();
        assert_eq!(files, expected);
        for rule in RULES {
            assert!(
                rule.page.contains(&format!("rule: {}", rule.name)),
                "{}",
                rule.name
            );
        }
    }
}
