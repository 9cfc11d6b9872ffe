//! What the replay script knows of an entity, as Python literals.

use askama::Template;

use crate::lower::EntityPlan;
use crate::lower::judged::Judged;
use crate::render::marker;
use crate::render::sql::{self, Words, Writer};
use crate::settings::Settings;
use crate::sql::print::{Style, name};

#[derive(Template)]
#[template(path = "sqlmesh/replay.py", config = "templates/askama.toml")]
pub struct ReplayScript<'a> {
    marker: String,
    folder: &'a str,
    dialect: &'a str,
    bronze: &'a str,
    has_history: bool,
    at: Words,
    entities: Vec<Replayable>,
}

/// By what becomes of its refused rows.
pub enum Replayable {
    /// They are judged again, and put into the table.
    Stored(Replayed),
    /// They are delivered to bronze again.
    History(Redelivered),
}

/// What the script has to know of a history, as Python.
pub struct Redelivered {
    name: String,
    redeliveries: Vec<RedeliveredSource>,
}

struct RedeliveredSource {
    source: String,
    bronze: String,
    columns: Vec<(String, String)>,
}

/// What the script has to know of an entity, as Python.
pub struct Replayed {
    name: String,
    columns: String,
    identity: String,
    key: String,
    replaced: String,
    is_ledger: &'static str,
    /// Source and the SELECT of what is held of it.
    held: Vec<(String, String)>,
    /// The CTE of a rule that compares rows, and the SELECT of the stored ones.
    compared: Vec<(String, String)>,
    contest: String,
}

pub fn script<'a>(
    replayed: Vec<Replayable>,
    settings: &'a Settings,
    writer: &Writer<'_>,
) -> ReplayScript<'a> {
    ReplayScript {
        marker: marker("every spec"),
        folder: &settings.folder,
        dialect: writer.spelling.name,
        bronze: &settings.schemas.bronze,
        has_history: replayed
            .iter()
            .any(|entity| matches!(entity, Replayable::History(_))),
        at: Words::new(|name| format!("{{{name}}}")),
        entities: replayed,
    }
}

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
        identity: list(sql::identity(plan)),
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

fn list<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<String> = names.iter().map(|each| text(each.as_ref())).collect();
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
