//! Old facts in new names, so that a field that only got another name differs in nothing else.

use std::collections::BTreeMap;

use crate::change::facts::{CheckFacts, EntityFacts, Facts, Judgement, RuleKey};
use crate::ir::Project;
use crate::sql::print;

/// Entity → (old name, new name) of its fields.
pub type Renames = BTreeMap<String, Vec<(String, String)>>;

/// The renames that this change makes: a `renamed_from` that was applied before names nothing.
pub fn renames(project: &Project, old: &Facts, new: &Facts) -> Renames {
    let mut renames = Renames::new();
    for entity in &project.entities {
        let (Some(before), Some(after)) = (
            old.entities.get(&entity.name),
            new.entities.get(&entity.name),
        ) else {
            continue;
        };
        for field in &entity.fields {
            let Some(earlier) = &field.renamed_from else {
                continue;
            };
            let is_gone = before.field(earlier).is_some() && after.field(earlier).is_none();
            if is_gone && before.field(&field.name).is_none() {
                renames
                    .entry(entity.name.clone())
                    .or_default()
                    .push((earlier.clone(), field.name.clone()));
            }
        }
    }
    renames
}

pub fn apply(old: &Facts, new: &Facts, renames: &Renames) -> Facts {
    let mut facts = old.clone();
    for (owner, pairs) in renames {
        for (from, to) in pairs {
            for (name, entity) in &mut facts.entities {
                let after = new.entities.get(name);
                if name == owner {
                    rename_own(entity, after, from, to);
                }
                rename_looked_up(entity, owner, from, to);
            }
            for check in facts.checks.values_mut() {
                rename_checked(check, owner, from, to);
            }
        }
    }
    facts
}

fn rename_own(entity: &mut EntityFacts, after: Option<&EntityFacts>, from: &str, to: &str) {
    let EntityFacts {
        grain: _,
        description: _,
        owner: _,
        tier: _,
        grants: _,
        key,
        fields,
        history: _,
        unknown_member: _,
        dedupe,
        incremental,
        quality,
        rails: _,
        mappings,
        asserts,
    } = entity;
    for partition in incremental
        .iter_mut()
        .flat_map(|facts| &mut facts.partition_by)
    {
        if partition == from {
            to.clone_into(partition);
        }
        *partition = partition.replace(&format!("({from})"), &format!("({to})"));
    }
    let names = key.iter_mut().chain(dedupe.iter_mut().flatten());
    for name in names.chain(fields.iter_mut().map(|field| &mut field.name)) {
        if name == from {
            to.clone_into(name);
        }
    }
    for mapping in mappings.values_mut() {
        if let Some(mapped) = mapping.fields.remove(from) {
            mapping.fields.insert(to.to_owned(), mapped);
        }
    }
    let renamed = asserts.iter().map(|(name, judgement)| {
        let mut judgement = judgement.clone();
        let is_own = judgement.field.as_deref() == Some(from);
        judge(&mut judgement, from, to);
        let name = match is_own {
            true => with_prefix(name, from, to).unwrap_or_else(|| name.clone()),
            false => name.clone(),
        };
        (name, judgement)
    });
    *asserts = renamed.collect();
    let Some(quality) = quality else { return };
    let exists = |key: &RuleKey| {
        let rules = after.into_iter().flat_map(EntityFacts::rules);
        rules.into_iter().any(|(known, _)| known == key)
    };
    let renamed = quality.rules.iter().map(|(key, rule)| {
        let mut rule = rule.clone();
        let name = with_prefix(&key.name, from, to).unwrap_or_else(|| key.name.clone());
        let source = key.source.clone();
        let new = RuleKey { name, source };
        // A name that its author wrote stays.
        let is_generated = rule.judgement.field.as_deref() == Some(from) && exists(&new);
        judge(&mut rule.judgement, from, to);
        (if is_generated { new } else { key.clone() }, rule)
    });
    quality.rules = renamed.collect();
}

/// `amount_min` of `amount`.
fn with_prefix(name: &str, from: &str, to: &str) -> Option<String> {
    let rest = name.strip_prefix(from)?;
    rest.starts_with('_').then(|| format!("{to}{rest}"))
}

fn judge(judgement: &mut Judgement, from: &str, to: &str) {
    let Judgement {
        kind: _,
        field,
        params,
    } = judgement;
    if let Some(field) = field
        && field == from
    {
        to.clone_into(field);
    }
    for (name, values) in params {
        match name.as_str() {
            "expr" | "where" => {
                for value in values {
                    *value = in_expression(value, from, to);
                }
            }
            "columns" => rename_column(values, Side::Here, from, to),
            _ => {}
        }
    }
}

/// Other entities find the field by its name.
fn rename_looked_up(entity: &mut EntityFacts, parent: &str, from: &str, to: &str) {
    let rules = entity
        .quality
        .iter_mut()
        .flat_map(|quality| &mut quality.rules);
    for (_, rule) in rules {
        if rule.judgement.parent() == Some(parent)
            && let Some(columns) = rule.judgement.params.get_mut("columns")
        {
            rename_column(columns, Side::There, from, to);
        }
    }
}

/// A check of finished relations finds the field by its name.
fn rename_checked(check: &mut CheckFacts, owner: &str, from: &str, to: &str) {
    let is_of = |param: &str| {
        let entity = check.params.get(param).and_then(|values| values.first());
        entity.is_some_and(|entity| entity == owner)
    };
    let (of_parent, of_child) = (is_of("parent"), is_of("child"));
    let rename = |name: &mut String, is_own: bool| {
        if is_own && name == from {
            to.clone_into(name);
        }
    };
    for (param, values) in &mut check.params {
        for value in values {
            match param.as_str() {
                "left" | "right" => *value = in_side(value, owner, from, to),
                "columns" => {
                    let Some((parent, child)) = value.split_once(" = ") else {
                        continue;
                    };
                    let (mut parent, mut child) = (parent.to_owned(), child.to_owned());
                    rename(&mut parent, of_parent);
                    rename(&mut child, of_child);
                    *value = format!("{parent} = {child}");
                }
                _ => {}
            }
        }
    }
}

/// `sum(order.quantity) by customer_id`
fn in_side(side: &str, owner: &str, from: &str, to: &str) -> String {
    let (value, groups) = side.split_once(" by ").unwrap_or((side, ""));
    let read = value.rsplit('(').next().unwrap_or(value);
    let Some((entity, column)) = read.trim_end_matches(')').split_once('.') else {
        return side.to_owned();
    };
    if entity != owner {
        return side.to_owned();
    }
    let renamed = |name: &str| if name == from { to } else { name }.to_owned();
    let value = value.replace(
        &format!("{entity}.{column}"),
        &format!("{entity}.{}", renamed(column)),
    );
    let groups: Vec<String> = groups.split(", ").map(renamed).collect();
    match side.contains(" by ") {
        true => format!("{value} by {}", groups.join(", ")),
        false => value,
    }
}

/// Of a pair of columns, the one of the child or the one of its parent.
#[derive(Debug, Clone, Copy)]
enum Side {
    Here,
    There,
}

fn rename_column(columns: &mut Vec<String>, side: Side, from: &str, to: &str) {
    let first = match side {
        Side::Here => 0,
        Side::There => 1,
    };
    for name in columns.iter_mut().skip(first).step_by(2) {
        if name == from {
            to.clone_into(name);
        }
    }
    let mut pairs: Vec<Vec<String>> = columns.chunks(2).map(<[String]>::to_vec).collect();
    pairs.sort();
    *columns = pairs.concat();
}

/// A name in the SQL of an expression, outside of texts.
fn in_expression(sql: &str, from: &str, to: &str) -> String {
    let (from, to) = (
        print::name(&[from.to_owned()]),
        print::name(&[to.to_owned()]),
    );
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '"';
    let mut out = String::with_capacity(sql.len());
    let mut in_text = false;
    let mut at = 0;
    while let Some(character) = sql[at..].chars().next() {
        let rest = &sql[at..];
        let starts_name = !in_text && rest.starts_with(&from) && !out.ends_with(is_word);
        if starts_name && !rest[from.len()..].starts_with(is_word) {
            out += &to;
            at += from.len();
            continue;
        }
        in_text ^= character == '\'';
        out.push(character);
        at += character.len_utf8();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{in_expression, in_side};

    #[test]
    fn a_side_names_the_fields_of_its_own_entity() {
        for (side, expected) in [
            (
                "sum(order.net) by net, day",
                "sum(order.amount) by amount, day",
            ),
            ("order.net by order_id", "order.amount by order_id"),
            ("count(visit.net) by net", "count(visit.net) by net"),
            ("order.net_tax", "order.net_tax"),
            ("order.net", "order.amount"),
        ] {
            assert_eq!(in_side(side, "order", "net", "amount"), expected);
        }
    }

    #[test]
    fn a_name_is_replaced_outside_of_texts_only() {
        let sql = "\"net\" > 0 AND \"net_tax\" <> '\"net\"' OR LOWER(\"net\") = 'it''s \"net\"'";
        assert_eq!(
            in_expression(sql, "net", "amount"),
            "\"amount\" > 0 AND \"net_tax\" <> '\"net\"' OR LOWER(\"amount\") = 'it''s \"net\"'"
        );
    }
}
