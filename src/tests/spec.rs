//! What the reader makes of documents, and that the schemas say the same.

use std::collections::BTreeMap;

use super::golden::{Golden, folder, names_in};
use crate::diag::render::{Colour, Format, render};
use crate::ir::{Duration, DurationUnit};
use crate::spec::mapping::{Args, Input};
use crate::spec::rule::ParamValue;
use crate::spec::schema::{SchemaKind, schema};
use crate::spec::{self, Spec};
use crate::yaml::Sources;

fn load(files: &[(&str, &str)]) -> Spec {
    let files = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let sources = Sources {
        files: files.collect(),
        shown_under: String::new(),
    };
    let (spec, bag) = spec::load(&sources);
    assert!(
        bag.all.is_empty(),
        "{}",
        render(&bag, &sources, Format::Text, Colour::Never)
    );
    spec
}

const MAPPING: &str = "\
mapping_version: 1
source: gate__scans
target: parcel
x-money: &money {transform: [{to_decimal: [12, 2]}], quality: [{rule: range, min: 0, on_fail: quarantine}]}
key:
  parcel_no: {from: '$.no', transform: [trim, {split_part: ['-', 1]}, {enum_map: {NO: Norway, 'on': 1.10}}]}
fields:
  price: {<<: *money, from: '$.p'}
  tax: {<<: *money, from: '$[\"t x\"][0]', quality: [{rule: range, min: 0, on_fail: flag}]}
  country: {from: '$.c', quality: [{rule: in_set, values: [SE, NO, 007, Y, on, 1.10], on_fail: quarantine}]}
  total: {recipe: by_lines, from: {line: '$.l'}, direct: '$.total'}
";

#[test]
fn merged_rules_keep_what_overrides_them() {
    let spec = load(&[("m.yaml", MAPPING)]);
    let mapping = &spec.mappings[0];
    let rules: Vec<_> = mapping.fields[..2]
        .iter()
        .map(|field| field.quality.as_ref().expect("rules")[0].on_fail.as_deref())
        .collect();
    assert_eq!(rules, [Some("quarantine"), Some("flag")]);
    assert_eq!(mapping.fields[0].transform[0].name, "to_decimal");
    assert_eq!(mapping.fields[1].transform[0].args().len(), 2);
}

#[test]
fn literals_are_text_as_written() {
    let spec = load(&[("m.yaml", MAPPING)]);
    let mapping = &spec.mappings[0];
    let rule = &mapping.fields[2].quality.as_ref().expect("rules")[0];
    let Some(ParamValue::List(values)) = rule.param("values") else {
        panic!("{rule:?}")
    };
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    assert_eq!(texts, ["SE", "NO", "007", "Y", "on", "1.10"]);
    let Args::Pairs(pairs) = &mapping.key[0].transform[2].args else {
        panic!()
    };
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(a, b)| (a.text.as_str(), b.text.as_str()))
        .collect();
    assert_eq!(pairs, [("NO", "Norway"), ("on", "1.10")]);
    let Some(Input::Recipe(recipe)) = &mapping.fields[3].input else {
        panic!()
    };
    assert_eq!((recipe.recipe.as_str(), recipe.from.len()), ("by_lines", 1));
}

const MODEL: &str = "\
spec_version: 1
entities:
  parcel:
    grain: one row per parcel
    key: [parcel_no]
    quarantine: {retention: 60d, redact: ['$.iban']}
    fields: {kilos: {type: 'decimal(9, 3)', assert: {max: 900}}, parcel_no: {type: string, required: true}}
";

#[test]
fn an_entity_is_read_in_authored_order() {
    let spec = load(&[("m.yaml", MODEL)]);
    let entity = &spec.entities[0];
    let fields: Vec<&str> = entity
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(fields, ["kilos", "parcel_no"]);
    let quarantine = entity.quarantine.as_ref().expect("quarantine");
    assert_eq!(
        quarantine.retention,
        Some(Duration {
            count: 60,
            unit: DurationUnit::Days
        })
    );
    assert_eq!(entity.quality, None);
    let place = entity.fields[1].at.key("type");
    assert_eq!(
        crate::place::path_text_of(&place),
        "entities.parcel.fields.parcel_no.type"
    );
}

#[test]
fn windows_lines_and_a_bom_change_nothing() {
    let windows = |text: &str| format!("\u{feff}{}\r\n", text.replace('\n', "\r\n"));
    let (model, mapping) = (windows(MODEL), windows(MAPPING));
    let one = load(&[("a.yaml", MODEL), ("b.yaml", MAPPING)]);
    assert_eq!(load(&[("a.yaml", &model), ("b.yaml", &mapping)]), one);
}

#[test]
fn the_corpus_can_be_read() {
    let mut golden = Golden::default();
    let root = folder("fixtures/corpus");
    for name in names_in(&root) {
        let files = crate::io::specs::read(&root.join(&name)).expect("a spec tree");
        let sources = Sources {
            files,
            shown_under: name,
        };
        let (_, bag) = spec::load(&sources);
        if !bag.all.is_empty() {
            golden.note(render(&bag, &sources, Format::Text, Colour::Never));
        }
    }
    golden.finish();
}

#[test]
fn schemas_are_printed_from_what_is_read() {
    let mut golden = Golden::default();
    for kind in SchemaKind::ALL {
        golden.check(
            &format!("schemas/{}.json", kind.name()),
            &format!("{:#}\n", schema(kind)),
        );
    }
    golden.finish();
}

/// Whatever the schema names, the reader knows, and the other way round.
#[test]
fn schema_and_reader_know_the_same_keys() {
    for kind in SchemaKind::ALL {
        let mut document = BTreeMap::new();
        let schema = schema(kind);
        let properties = schema["properties"].as_object().expect("properties");
        for key in properties.keys() {
            document.insert(key.clone(), "~");
        }
        let text: String = document
            .iter()
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        let unknown = |text: &str| {
            let bag = if kind == SchemaKind::Config {
                spec::config::read(text, "assay.yml").1
            } else {
                let files = BTreeMap::from([("a.yaml".to_owned(), text.to_owned())]);
                spec::load(&Sources {
                    files,
                    shown_under: String::new(),
                })
                .1
            };
            bag.all
                .iter()
                .filter(|found| found.message.starts_with("unknown key"))
                .count()
        };
        assert_eq!(unknown(&text), 0, "{}", kind.name());
        assert_eq!(unknown(&format!("{text}nobody: 1\n")), 1, "{}", kind.name());
    }
}
