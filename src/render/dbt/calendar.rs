//! The relation of all days: a table that depends on nothing.

use askama::Template;

use super::properties::text;
use crate::ir::Calendar;
use crate::lower::Plan;
use crate::render::sql::{self, Writer};
use crate::render::{file, marker};
use crate::settings::Settings;
use crate::tree::Tree;

#[derive(Template)]
#[template(path = "dbt/calendar.sql", config = "templates/askama.toml")]
struct CalendarModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
    body: String,
}

pub fn files(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let Some(calendar) = plan.calendar else {
        return;
    };
    let gold = format!("models/{}/gold", settings.folder);
    let model = CalendarModel {
        marker: marker(&calendar.place.file),
        gold: &settings.schemas.gold,
        folder: &settings.folder,
        body: sql::calendar(calendar, writer),
    };
    let name = &calendar.name;
    tree.generated(format!("{gold}/{name}.sql"), file(&model));
    tree.generated(format!("{gold}/_{name}.yml"), properties(calendar));
}

fn properties(calendar: &Calendar) -> String {
    let mut out = format!(
        "# {}\nmodels:\n  - name: {}\n    description: {}\n    columns:\n",
        marker(&calendar.place.file),
        calendar.name,
        text(&sql::calendar_description(calendar)),
    );
    for column in sql::CALENDAR {
        let about = text(column.about);
        let name = column.name;
        out.push_str(&format!(
            "      - name: {name}\n        description: {about}\n"
        ));
    }
    out
}
