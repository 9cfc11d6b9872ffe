//! For code hosts: SARIF 2.1.0, one result a change, on the spec line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{At, Finding, Report};
use crate::change::kinds::{Change, Class};
use crate::change::meaning::meaning;
use crate::diag::render::uri;

pub(super) fn render(report: &Report<'_>) -> String {
    let mut rules: BTreeMap<&str, Change> = BTreeMap::new();
    for finding in &report.findings {
        let change = finding.difference.change;
        rules.insert(meaning(change).name, change);
    }
    let results = report.findings.iter().map(|finding| {
        let name = meaning(finding.difference.change).name;
        result(finding, rules.keys().position(|rule| *rule == name))
    });
    let described = rules.iter().map(|(name, change)| {
        let meaning = meaning(*change);
        json!({
            "id": name,
            "shortDescription": {"text": meaning.what},
            "properties": {"class": meaning.class.name()},
        })
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "assay diff",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": described.collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    });
    format!("{document:#}\n")
}

fn result(finding: &Finding, index: Option<usize>) -> Value {
    let difference = &finding.difference;
    let text = format!(
        "{}: {}: {}\n{}",
        finding.owner(),
        finding.class.name(),
        finding.title(),
        difference.reason
    );
    let mut result = json!({
        "ruleId": meaning(difference.change).name,
        "ruleIndex": index,
        "level": level(finding.class),
        "message": {"text": text},
        "partialFingerprints": {"assay/v1": finding.fingerprint},
    });
    if let Some(At { file, line, column }) = &finding.at {
        result["locations"] = json!([{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(file)},
                "region": {"startLine": line, "startColumn": column},
            },
        }]);
    }
    if let Some(reason) = &finding.allowed {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

fn level(class: Class) -> &'static str {
    match class {
        Class::Breaking => "error",
        Class::Restating => "warning",
        Class::Rename | Class::Widening | Class::Additive | Class::Cosmetic => "note",
    }
}
