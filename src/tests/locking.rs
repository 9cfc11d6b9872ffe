//! `assay.lock`: what it says, and which locks are refused.

use super::checking::{checked, settings};
use super::golden::{folder, names_in};
use crate::change::facts::Facts;
use crate::change::lock::{Digest, Lock, Unreadable, is_same};
use crate::ir::Project;
use crate::settings::Host;
use crate::tree::Tree;

const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn tree() -> Tree {
    let mut tree = Tree::default();
    tree.generated("models/shop/b.sql", "select 2\n".to_owned());
    tree.generated("models/shop/a.sql", "select 1\n".to_owned());
    tree.scaffold("dbt_project.yml", "name: shop\n".to_owned());
    tree
}

/// Of a project without entities.
fn facts() -> Facts {
    let project = Project {
        entities: Vec::new(),
        checks: Vec::new(),
        calendar: None,
    };
    let mut facts = Facts::of(&project, &settings());
    facts.project.generator = "0.0.1".to_owned();
    facts
}

fn lock_of(tree: &Tree, host: Host, earlier: Option<&Lock>) -> Lock {
    Lock::of(tree, host, facts(), earlier)
}

#[test]
fn the_facts_of_a_project_read_back_as_they_were_written() {
    for name in names_in(&folder("fixtures/projects")) {
        let project = checked(&folder("fixtures/projects").join(&name)).expect("a right project");
        let facts = Facts::of(&project, &settings());
        let lock = Lock::of(&tree(), Host::Own, facts.clone(), None);
        let text = lock.to_string();
        assert_eq!(Lock::read(&text), Ok(lock), "{name}\n{text}");
    }
}

#[test]
fn a_lock_reads_back_as_it_was_written() {
    let lock = lock_of(&tree(), Host::Existing, None);
    let text = lock.to_string();
    assert_eq!(Lock::read(&text), Ok(lock.clone()));
    assert_eq!(Lock::read(&text.replace('\n', "\r\n")), Ok(lock));
}

#[test]
fn a_lock_is_sorted_text_with_one_fact_a_line() {
    let one = Digest::of("select 1\n");
    let two = Digest::of("select 2\n");
    let expected = format!(
        "assay-lock 2\n\n[project]\nhost own\ngenerator 0.0.1\ntarget dbt\ndialect duckdb\n\
         folder assay\nlayout package\nbronze bronze\nsilver silver\ngold gold\n\n[files]\n{one}  models/shop/a.sql\n\
         {two}  models/shop/b.sql\n\n[scaffold]\ndbt_project.yml\n"
    );
    assert_eq!(lock_of(&tree(), Host::Own, None).to_string(), expected);
}

#[test]
fn a_scaffolded_file_is_remembered_when_it_is_no_longer_rendered() {
    let earlier = lock_of(&tree(), Host::Own, None);
    let later = lock_of(&Tree::default(), Host::Own, Some(&earlier));
    assert!(later.scaffold.contains("dbt_project.yml"));
}

fn refused(body: &str, why: Unreadable) {
    assert_eq!(Lock::read(body), Err(why), "{body}");
}

#[test]
fn a_lock_with_merge_markers_is_refused() {
    let ours = lock_of(&tree(), Host::Own, None).to_string();
    refused(&format!("<<<<<<< HEAD\n{ours}"), Unreadable::Conflicted);
    refused(&format!("{ours}=======\n"), Unreadable::Conflicted);
    refused(&format!("{ours}>>>>>>> main\n"), Unreadable::Conflicted);
}

#[test]
fn a_lock_of_a_newer_version_is_refused() {
    refused("assay-lock 3\n", Unreadable::Newer);
    refused("assay-lock 2\n[nodes]\n", Unreadable::Newer);
    refused("assay-lock 1\n[nodes]\n", Unreadable::Newer);
}

#[test]
fn a_lock_that_was_tampered_with_is_refused() {
    let files = |line: &str| format!("assay-lock 1\n[files]\n{line}\n");
    refused("", Unreadable::Corrupt { line: 1 });
    refused("assay\n", Unreadable::Corrupt { line: 1 });
    refused("assay-lock 1\nhost own\n", Unreadable::Corrupt { line: 2 });
    refused(
        "assay-lock 1\n[project]\nhost mine\n",
        Unreadable::Corrupt { line: 3 },
    );
    refused(&files("abc  a.sql"), Unreadable::Corrupt { line: 3 });
    refused(
        &files(&format!("{ZERO} a.sql")),
        Unreadable::Corrupt { line: 3 },
    );
    refused(
        &files(&format!("{}é  a.sql", &ZERO[2..])),
        Unreadable::Corrupt { line: 3 },
    );
    let twice = format!("{ZERO}  a.sql\n{ZERO}  a.sql");
    refused(&files(&twice), Unreadable::Corrupt { line: 4 });
}

#[test]
fn a_lock_cannot_name_what_is_outside() {
    let outside = [
        "../a",
        "/etc/passwd",
        "a/../../b",
        "C:/a",
        "a//b",
        "./a",
        "",
        "con",
        "a\\b",
        "assay.lock",
    ];
    for path in outside {
        refused(
            &format!("assay-lock 1\n[files]\n{ZERO}  {path}\n"),
            Unreadable::Corrupt { line: 3 },
        );
    }
}

#[test]
fn line_ends_and_blanks_at_an_end_are_no_edit() {
    let text = "select 1,\n    2\n";
    let same = [
        "select 1,\r\n    2\r\n",
        "select 1,\n    2",
        "select 1,  \n    2\t\n\n\n",
    ];
    for other in same {
        assert!(is_same(text, other), "{other:?}");
        assert_eq!(Digest::of(text), Digest::of(other), "{other:?}");
    }
    let different = [
        "select 1,\n  2\n",
        "\nselect 1,\n    2\n",
        "select 1,\n\n    2\n",
        "",
    ];
    for other in different {
        assert!(!is_same(text, other), "{other:?}");
        assert_ne!(Digest::of(text), Digest::of(other), "{other:?}");
    }
}

#[test]
fn facts_that_this_tool_does_not_write_are_refused() {
    let project = checked(&folder("fixtures/projects/web_shop")).expect("a right project");
    let facts = Facts::of(&project, &settings());
    let text = Lock::of(&tree(), Host::Own, facts.clone(), None).to_string();
    for (line, damaged) in [
        ("dialect duckdb", "dialect"),
        ("dialect duckdb", "dialect duckdb\ndialect duckdb"),
        ("field net decimal(12,2)", "field net decimal(12)"),
        ("field net decimal(12,2)", "field net money"),
        (
            "field net decimal(12,2)",
            "field net string\nfield net string",
        ),
        ("field net decimal(12,2)", "felid net string"),
        (
            "rule net_range_min quarantine range",
            "rule net_range_min drop range",
        ),
        (
            "rule net_range_min quarantine range",
            "rule net_range_min quarantine rang",
        ),
        ("mapping shop__orders", "mapping \"shop__orders"),
        ("mapping shop__orders", "mapping shop__order"),
        (
            "map shop__orders net",
            "step shop__orders net decimal(12,2)",
        ),
        ("unknown_member", "unknown_member yes"),
        ("unknown_member", "unknown_member\nunknown_member"),
        ("key order_id", "key order_id\nkey order_id"),
        ("[entity order]", "[entity customer]"),
    ] {
        let number = text.lines().position(|known| known.starts_with(line));
        let number = number.unwrap_or_else(|| panic!("no `{line}` in\n{text}"));
        let found = Lock::read(&text.replacen(line, damaged, 1));
        match found {
            Err(Unreadable::Corrupt { line: at }) => assert!(at > number, "{damaged}: {at}"),
            Err(Unreadable::Conflicted | Unreadable::Newer) | Ok(_) => {
                panic!("{line} → {damaged}: {found:?}")
            }
        }
    }
}

#[test]
fn the_facts_of_two_branches_merge_line_by_line() {
    let project = checked(&folder("fixtures/projects/web_shop")).expect("a right project");
    let facts = Facts::of(&project, &settings());
    let text = Lock::of(&tree(), Host::Own, facts.clone(), None).to_string();
    let mut other = facts.clone();
    let order = other.entities.get_mut("order").expect("an entity");
    order.owner = Some("somebody else".to_owned());
    let other = Lock::of(&tree(), Host::Own, other, None).to_string();
    let differ = text.lines().zip(other.lines()).filter(|(a, b)| a != b);
    assert_eq!(differ.count(), 1, "no line knows of the others");
}
