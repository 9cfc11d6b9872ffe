//! The relation of all days: a model that depends on nothing.

use super::names::{in_parentheses, text};
use super::properties::{AS_IT_STANDS, described};
use super::{Model, sql_file};
use crate::ir::Calendar;
use crate::lower::Plan;
use crate::render::marker;
use crate::render::sql::{self, Writer};
use crate::settings::Settings;
use crate::sql::print::indent;
use crate::tree::Tree;

pub fn files(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let Some(calendar) = plan.calendar else {
        return;
    };
    let model = Model {
        marker: marker(&calendar.place.file),
        properties: properties(calendar, settings, writer.spelling.name),
        before: None,
        body: sql::calendar(calendar, writer),
        after: None,
    };
    let path = format!("models/{}/gold/{}.sql", settings.folder, calendar.name);
    tree.generated(path, sql_file(&model, settings));
}

fn properties(calendar: &Calendar, settings: &Settings, dialect: &str) -> Vec<String> {
    let [key, ..] = &sql::CALENDAR;
    let about = sql::CALENDAR.map(|column| format!("\"{}\" = {}", column.name, text(column.about)));
    let about = indent(&in_parentheses(&about), 2);
    vec![
        format!("name {}.\"{}\"", settings.schemas.gold, calendar.name),
        "kind FULL".to_owned(),
        format!("dialect {dialect}"),
        described(&sql::calendar_description(calendar)),
        format!("column_descriptions {about}"),
        format!("grain \"{}\"", key.name),
        AS_IT_STANDS.to_owned(),
    ]
}
