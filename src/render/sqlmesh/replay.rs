//! What the replay script knows of an entity, as Python literals.

use super::Replayed;
use super::properties::identity;
use crate::lower::EntityPlan;
use crate::render::sql::{self, Writer};
use crate::sql::print::name;

/// `None` where nothing can be rejected.
pub fn entity(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> Option<Replayed> {
    let judged = plan.judged.as_ref().filter(|judged| judged.has_reject)?;
    let inputs = plan.coerced.inputs.iter().enumerate();
    let quoted = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .map(|part| name(std::slice::from_ref(part)))
            .collect()
    };
    Some(Replayed {
        name: text(&plan.entity.name),
        columns: list(&sql::entity_columns(plan)),
        identity: list(&identity(plan)),
        key: list(&quoted(&plan.entity.key)),
        replaced: list(&quoted(&sql::replaced_keys(plan))),
        is_ledger: match plan.entity.incremental() {
            Some(_) => "True",
            None => "False",
        },
        held: inputs
            .map(|(index, input)| {
                let rows = sql::held(plan, judged, index, ("@reject", "@stored"), writer);
                (text(&input.source), lines(&rows))
            })
            .collect(),
        compared: sql::compared(judged, "@stored", writer)
            .into_iter()
            .map(|(name, rows)| (text(&name), lines(&rows)))
            .collect(),
        contest: lines(&sql::contest(plan, judged, "@passing", "@stored", writer)),
    })
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|each| text(each)).collect();
    format!("[{}]", names.join(", "))
}

/// A JSON text is a Python text.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The inside of a text of several lines.
fn lines(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace("\"\"\"", "\\\"\\\"\\\"")
        .replace('\r', "\\r")
}
