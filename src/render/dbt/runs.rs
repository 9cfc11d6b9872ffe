//! The accounting in gold: the gates and their record, the counts, and both in one row a run.

use askama::Template;

use super::{properties, texts};
use crate::lower::{Plan, is_judged};
use crate::render::sql;
use crate::render::{file, marker};
use crate::settings::Settings;
use crate::tree::Tree;

#[derive(Template)]
#[template(path = "dbt/gates.sql", config = "templates/askama.toml")]
struct GateMacros<'a> {
    marker: String,
    folder: &'a str,
    gates: String,
    verdicts: String,
    gates_of_judged: String,
    has_judged: bool,
    has_ledger: bool,
    has_limits: bool,
}

#[derive(Template)]
#[template(path = "dbt/quality_runs.sql", config = "templates/askama.toml")]
struct RunsModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "dbt/mart_data_quality.sql", config = "templates/askama.toml")]
struct MartModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "dbt/quality_summary.sql", config = "templates/askama.toml")]
struct SummaryModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
    body: String,
}

pub fn files(plan: &Plan<'_>, settings: &Settings, has_limits: bool, tree: &mut Tree) {
    let folder = settings.folder.as_str();
    let gold = settings.schemas.gold.as_str();
    let entities = &plan.project.entities;
    let lost = "COUNT(*) {{ '<' if is_ledger else '<>' }} MAX(_delivered)";
    let gates = GateMacros {
        marker: marker("every spec"),
        folder,
        gates: sql::gates("{{ judged }}", lost),
        verdicts: sql::verdicts("('{{ gates | join(\"'), ('\") }}')", "{{ facts }}"),
        gates_of_judged: texts(&sql::GATES_OF_JUDGED),
        has_judged: entities.iter().any(is_judged),
        has_ledger: entities.iter().any(|entity| entity.incremental().is_some()),
        has_limits,
    };
    tree.generated(format!("macros/{folder}/gates.sql"), file(&gates));
    let mut model = |name: &str, text: String| {
        tree.generated(format!("models/{folder}/gold/{name}.sql"), text);
    };
    let marker = marker("every spec");
    let runs = RunsModel {
        marker: marker.clone(),
        gold,
        folder,
    };
    model("quality_runs", file(&runs));
    let is_counted = sql::is_counted(plan);
    if is_counted {
        let mart = MartModel {
            marker: marker.clone(),
            gold,
            folder,
        };
        model("mart_data_quality", file(&mart));
        let summary = SummaryModel {
            marker,
            gold,
            folder,
            body: sql::quality_summary(
                "{{ ref('quality_runs') }}",
                "{{ ref('mart_data_quality') }}",
            ),
        };
        model("quality_summary", file(&summary));
    }
    tree.generated(
        format!("models/{folder}/gold/_quality.yml"),
        properties::gold(is_counted),
    );
}
