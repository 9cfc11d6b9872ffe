//! What the replay script knows of an entity, as Python literals.

use super::properties::identity;
use super::{Redelivered, RedeliveredSource, Replayable, Replayed};
use crate::lower::EntityPlan;
use crate::lower::judged::Judged;
use crate::render::sql::{self, Writer};
use crate::sql::print::{Style, name};

/// `None` where nothing can be rejected.
pub fn entity(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> Option<Replayable> {
    let judged = plan.judged.as_ref().filter(|judged| judged.has_reject)?;
    Some(match &plan.history {
        Some(_) => Replayable::History(history(plan, judged, writer)),
        None => Replayable::Stored(stored(plan, judged, writer)),
    })
}

/// The script sends this SQL as it stands, past SQLMesh's templates.
fn history(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> Redelivered {
    let plain = Writer {
        spelling: writer.spelling,
        style: Style::Plain,
        names: writer.names,
    };
    let redeliveries = sql::redeliveries(plan, judged, &plain).into_iter();
    let redeliveries = redeliveries.map(|redelivery| RedeliveredSource {
        source: text(redelivery.source),
        bronze: text(&writer.names.bronze(redelivery.source)),
        columns: redelivery
            .columns
            .iter()
            .map(|(column, value)| (text(column), text(value)))
            .collect(),
    });
    Redelivered {
        name: text(&plan.entity.name),
        redeliveries: redeliveries.collect(),
    }
}

fn stored(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> Replayed {
    let inputs = plan.coerced.inputs.iter().enumerate();
    let quoted = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .map(|part| name(std::slice::from_ref(part)))
            .collect()
    };
    Replayed {
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
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|each| text(each)).collect();
    format!("[{}]", names.join(", "))
}

/// A JSON text is a Python text.
pub fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The inside of a text of several lines.
fn lines(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace("\"\"\"", "\\\"\\\"\\\"")
        .replace('\r', "\\r")
}
