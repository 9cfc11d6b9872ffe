//! The YAML beside the models: descriptions, columns, tests, sources.

use super::names::{jinja, source_group, source_name};
use crate::ir::{Duration, DurationUnit, Field, Freshness, Mapping, Project};
use crate::lower::EntityPlan;
use crate::render::doc::{classification_name, quoted, scalar};
use crate::render::{marker, sql};
use crate::settings::Settings;
use crate::sql::dialect::spelling;

/// A YAML text that dbt renders back to `text`.
pub fn text(text: &str) -> String {
    let safe = jinja(text);
    if safe == text {
        scalar(text)
    } else {
        quoted(&safe)
    }
}

pub fn entity(plan: &EntityPlan<'_>, settings: &Settings) -> String {
    let entity = plan.entity;
    let mut out = format!(
        "# {}\n{}:\n  - name: {}\n",
        marker(&entity.place.file),
        kind(plan),
        entity.name
    );
    let description = entity.description.as_deref().unwrap_or(&entity.grain);
    out.push_str(&format!("    description: {}\n", text(description)));
    meta(plan, &mut out);
    out.push_str("    columns:\n");
    for field in &entity.fields {
        column(field, settings, &mut out);
    }
    let Some(judged) = &plan.judged else {
        return out;
    };
    out.push('\n');
    if plan.history.is_some() {
        out.push_str("models:\n");
    }
    out.push_str(&format!(
        "  - name: {name}__judged\n    description: One row per delivery of the run, where it \
         goes and which rules it violates.\n    data_tests:\n      - assay_gates:\n          name: \
         {name}__gates\n",
        name = entity.name
    ));
    if judged.has_reject {
        out.push_str(&format!(
            "\n  - name: {}__reject\n    description: Quarantined source rows with their reasons, \
             until they come back.\n",
            entity.name
        ));
    }
    out
}

/// What dbt calls the relation that readers use.
fn kind(plan: &EntityPlan<'_>) -> &'static str {
    match plan.history {
        Some(_) => "snapshots",
        None => "models",
    }
}

fn meta(plan: &EntityPlan<'_>, out: &mut String) {
    let entity = plan.entity;
    let mut meta: Vec<String> = Vec::new();
    if let Some(owner) = &entity.owner {
        meta.push(format!("owner: {}", text(owner)));
    }
    if let Some(tier) = entity.tier {
        meta.push(format!("tier: {tier}"));
    }
    if !entity.grants.is_empty() {
        // The DuckDB adapter warns about `grants`; the roles stay readable here.
        meta.push("grants:".to_owned());
        for (privilege, roles) in &entity.grants {
            let roles: Vec<String> = roles.iter().map(|role| text(role)).collect();
            meta.push(format!("  {}: [{}]", text(privilege), roles.join(", ")));
        }
    }
    if !meta.is_empty() {
        out.push_str(&format!(
            "    config:\n      meta:\n        {}\n",
            meta.join("\n        ")
        ));
    }
}

fn column(field: &Field, settings: &Settings, out: &mut String) {
    let ty = (spelling(settings.dialect).type_name)(field.ty).to_lowercase();
    out.push_str(&format!("      - name: {}\n", scalar(&field.name)));
    out.push_str("        quote: true\n");
    out.push_str(&format!("        data_type: {}\n", scalar(&ty)));
    if let Some(description) = &field.description {
        out.push_str(&format!("        description: {}\n", text(description)));
    }
    if let Some(classification) = field.classification {
        let word = classification_name(classification);
        out.push_str(&format!(
            "        config:\n          meta:\n            classification: {word}\n"
        ));
    }
}

pub fn gold(is_counted: bool) -> String {
    let summed = [sql::MART, sql::QUALITY_SUMMARY];
    let told = [sql::QUALITY_RUNS]
        .into_iter()
        .chain(if is_counted { &summed[..] } else { &[] }.iter().copied());
    let models = told.map(|(name, description)| {
        format!("  - name: {name}\n    description: {}\n", text(description))
    });
    let models: Vec<String> = models.collect();
    format!("# {}\nmodels:\n{}", marker("every spec"), models.join("\n"))
}

pub fn sources(project: &Project, settings: &Settings, arrival: &str) -> String {
    let entities = project.entities.iter();
    let mut mappings: Vec<&Mapping> = entities.flat_map(|entity| &entity.mappings).collect();
    mappings.sort_by(|left, right| left.source.cmp(&right.source));
    let mut out = format!(
        "# {}\nsources:\n  - name: {}\n    schema: {}\n    tables:\n",
        marker("every mapping"),
        scalar(&source_group(settings)),
        scalar(&settings.schemas.bronze)
    );
    let mut done: Option<&str> = None;
    for mapping in mappings {
        if done == Some(mapping.source.as_str()) {
            continue;
        }
        done = Some(&mapping.source);
        table(mapping, arrival, &mut out);
    }
    out
}

fn table(mapping: &Mapping, arrival: &str, out: &mut String) {
    let name = source_name(&mapping.source);
    out.push_str(&format!("      - name: {}\n", scalar(&name)));
    if name != mapping.source {
        // dbt puts its quotes around the identifier and leaves those inside alone.
        let identifier = mapping.source.replace('"', "\"\"");
        out.push_str(&format!("        identifier: {}\n", text(&identifier)));
    }
    if let Some(freshness) = &mapping.freshness {
        config(freshness, arrival, out);
    }
}

fn config(freshness: &Freshness, arrival: &str, out: &mut String) {
    let Freshness {
        warn_after,
        error_after,
    } = freshness;
    out.push_str("        config:\n");
    let arrival: Vec<&str> = arrival.split_whitespace().collect();
    // What claims to come later would hide that nothing comes.
    out.push_str(&format!(
        "          loaded_at_query: {}\n",
        quoted(&format!(
            "SELECT MAX(arrived_at) FROM (SELECT {} AS arrived_at FROM {{{{ this }}}}) AS deliveries \
             WHERE arrived_at <= CURRENT_TIMESTAMP AT TIME ZONE 'UTC'",
            arrival.join(" ")
        ))
    ));
    out.push_str("          freshness:\n");
    for (name, after) in [("warn_after", warn_after), ("error_after", error_after)] {
        let Some(Duration { count, unit }) = *after else {
            continue;
        };
        let (count, period) = match unit {
            DurationUnit::Hours => (count, "hour"),
            DurationUnit::Days => (count, "day"),
            // dbt has no weeks.
            DurationUnit::Weeks => (count * 7, "day"),
        };
        out.push_str(&format!(
            "            {name}: {{count: {count}, period: {period}}}\n"
        ));
    }
}
