//! `referential`: a row that points at a parent that is not there.

use super::{Build, Built, EntitySite, Rule, params};
use crate::check::world::EntityView;
use crate::diag::code::{e02xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Disposition, Referential, RuleKind};
use crate::place::Place;
use crate::spec::entity_model::{Cardinality, RelationshipSpec};
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "referential",
    params: &["via"],
    build: Build::Entity(build),
    page: "Fires when the columns of the relationship `via` are all filled and no admitted row of \
           the parent has these values. `on_missing: unknown_member` keeps the row, flags it and \
           points it at the parent's member `__unknown__`, so that totals by parent stay right; \
           `quarantine` holds the row until its parent is there; `flag` only says so. It never \
           stops a run: parents that come late are normal.\n\n\
           ```yaml\nquality: [{rule: referential, via: parcel_depot, on_missing: quarantine}]\n\
           ```\n",
};

fn build(site: &EntitySite<'_>, found: &mut Bag) -> Option<Built> {
    params::required(
        site.rule,
        &["via"],
        "{rule: referential, via: …, on_missing: …}",
        found,
    );
    let name = &params::one(site.rule, "via", found)?.text;
    let place = site.rule.param_place("via");
    let Some(relationship) = site.world.relationships.get(name.as_str()) else {
        let known = site.world.relationships.keys().copied();
        found.push(
            Diagnostic::error(
                e04xx::UNKNOWN_RELATIONSHIP,
                place,
                format!("unknown relationship `{name}`"),
            )
            .help_nearest(name, known),
        );
        return None;
    };
    check_direction(site, relationship, &place, found)?;
    let parent = site.world.entities.get(relationship.to.as_str())?;
    for (here, there) in &relationship.via {
        check_filled(site.entity, here, &place, found);
        check_filled(parent, there, &place, found);
    }
    match site.disposition {
        Disposition::UnknownMember => check_member(site, relationship, parent, found)?,
        Disposition::Fail | Disposition::Quarantine | Disposition::Flag => {}
    }
    if relationship.via.is_empty() {
        return None;
    }
    let mut columns = relationship.via.clone();
    columns.sort();
    Some(Built {
        generated: format!("{name}_referential"),
        kind: RuleKind::Referential(Referential {
            relationship: name.clone(),
            parent: relationship.to.clone(),
            columns,
        }),
    })
}

fn check_direction(
    site: &EntitySite<'_>,
    relationship: &RelationshipSpec,
    place: &Place,
    found: &mut Bag,
) -> Option<()> {
    let RelationshipSpec {
        name,
        from,
        to,
        cardinality,
        at,
        via: _,
        description: _,
    } = relationship;
    if from != site.entity.name() {
        found.push(
            Diagnostic::error(
                e04xx::RELATIONSHIP_DIRECTION,
                place.clone(),
                format!(
                    "`{name}` starts at `{from}`, not at `{}`",
                    site.entity.name()
                ),
            )
            .also(at.key("from"), "declared here")
            .help(format!(
                "write the rule on `{from}`, or declare the relationship the other way"
            )),
        );
        return None;
    }
    if from == to {
        found.push(
            Diagnostic::error(
                e04xx::SELF_REFERENTIAL,
                place.clone(),
                format!("`referential` from `{from}` to itself"),
            )
            .label("a row would be judged by rows that are judged at the same time")
            .also(at.key("to"), "declared here")
            .help("map the parents into an entity of their own and refer to that"),
        );
        return None;
    }
    match cardinality {
        Cardinality::ManyToOne | Cardinality::OneToOne => Some(()),
        Cardinality::OneToMany => {
            found.push(
                Diagnostic::error(
                    e04xx::RELATIONSHIP_DIRECTION,
                    place.clone(),
                    format!("`{name}` leads from one `{from}` to many `{to}`"),
                )
                .label("the many refer to the one, not the other way")
                .also(at.key("cardinality"), "declared here")
                .help(format!(
                    "declare it from `{to}` to `{from}` and write the rule there"
                )),
            );
            None
        }
    }
}

fn check_filled(entity: &EntityView<'_>, field: &str, place: &Place, found: &mut Bag) {
    let is_declared = entity
        .fields
        .get(field)
        .is_some_and(|field| field.ty.is_some());
    if is_declared && !entity.columns.contains_key(field) && !entity.mappings.is_empty() {
        found.push(
            Diagnostic::error(
                e02xx::FIELD_NOT_MAPPED,
                place.clone(),
                format!(
                    "`{field}` of `{}` is not filled by any mapping",
                    entity.name()
                ),
            )
            .help("map the field"),
        );
    }
}

/// The member's key is text, and it is the whole key.
fn check_member(
    site: &EntitySite<'_>,
    relationship: &RelationshipSpec,
    parent: &EntityView<'_>,
    found: &mut Bag,
) -> Option<()> {
    let place = site.rule.at.key("on_missing");
    for (here, _) in &relationship.via {
        match site
            .entity
            .fields
            .get(here.as_str())
            .and_then(|field| field.ty)
        {
            Some(Type::String) | None => {}
            Some(ty) => {
                found.push(
                    Diagnostic::error(
                        e04xx::UNKNOWN_MEMBER_KEY,
                        place,
                        format!("`unknown_member` on `{here}`, which is of type `{ty}`"),
                    )
                    .label("the member's key is the text `__unknown__`")
                    .help("declare the key as `string` on both sides, or use `flag`"),
                );
                return None;
            }
        }
    }
    let mut key: Vec<&str> = parent
        .spec
        .key
        .iter()
        .map(|key| key.value.as_str())
        .collect();
    let mut via: Vec<&str> = relationship
        .via
        .iter()
        .map(|(_, there)| there.as_str())
        .collect();
    key.sort_unstable();
    via.sort_unstable();
    if key == via {
        return Some(());
    }
    let parent_name = parent.name();
    found.push(
        Diagnostic::error(
            e04xx::UNKNOWN_MEMBER_PARENT,
            place,
            format!("`unknown_member` through columns that are not the key of `{parent_name}`"),
        )
        .label("the member is one row of the parent, found by its key")
        .also(parent.spec.at.key("key"), "the key is declared here")
        .help("refer to the whole key, or use `quarantine` or `flag`"),
    );
    None
}
