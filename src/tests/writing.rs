//! A tree on a disk: reviewed against what stands there, written whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::change::facts::Facts;
use crate::change::lock::Lock;
use crate::change::review::{self, Foreign, Obstacle};
use crate::io::write::Edit;
use crate::io::{self, Error};
use crate::settings::Host;
use crate::tests::scratch::Scratch;
use crate::tree::{Standing, Tree};

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, text) in files {
        tree.generated(*path, (*text).to_owned());
    }
    tree
}

/// What a review says: `add a.sql`, `edited b.sql`, sorted by path.
fn verdicts(before: &Tree, on_disk: &[(&str, &str)], after: &Tree, foreign: Foreign) -> String {
    let lock = Lock::of(before, Host::Own, Facts::default(), None);
    let standing: BTreeMap<String, Standing> = on_disk
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Standing::Text((*text).to_owned())))
        .collect();
    let review = review::review(after, Some(&lock), &standing, foreign);
    let changes = crate::change::diff::summary(&review);
    let obstacles = review
        .obstacles
        .iter()
        .map(|(path, obstacle)| match obstacle {
            Obstacle::Edited => format!("edited {path}\n"),
            Obstacle::Conflicted => format!("conflicted {path}\n"),
            Obstacle::Foreign => format!("foreign {path}\n"),
        });
    let lines = changes
        .replace("  ", " ")
        .replace("  ", " ")
        .replace("  ", " ");
    format!("{lines}{}", obstacles.collect::<String>())
}

#[test]
fn a_review_names_what_it_would_add_change_and_remove() {
    let before = [
        ("changed", "1"),
        ("gone", "2"),
        ("same", "3"),
        ("deleted", "4"),
    ];
    let after = [
        ("changed", "5"),
        ("same", "3"),
        ("deleted", "4"),
        ("new", "6"),
    ];
    let on_disk = [("changed", "1"), ("gone", "2"), ("same", "3")];
    assert_eq!(
        verdicts(&tree(&before), &on_disk, &tree(&after), Foreign::Refuse),
        "change changed\nadd deleted\nremove gone\nadd new\n"
    );
}

#[test]
fn an_edited_file_is_refused_and_overwritten_only_when_forced() {
    let before = tree(&[("edited", "1"), ("gone", "2"), ("merged", "3")]);
    let after = tree(&[("edited", "1"), ("merged", "3"), ("theirs", "4")]);
    let on_disk = [
        ("edited", "mine"),
        ("gone", "mine"),
        ("merged", "<<<<<<< a\n3"),
        ("theirs", "mine"),
    ];
    assert_eq!(
        verdicts(&before, &on_disk, &after, Foreign::Refuse),
        "edited edited\nedited gone\nconflicted merged\nforeign theirs\n"
    );
    assert_eq!(
        verdicts(&before, &on_disk, &after, Foreign::Overwrite),
        "change edited\nremove gone\nchange merged\nchange theirs\n"
    );
}

#[test]
fn an_edit_that_is_what_would_be_written_is_no_edit() {
    let after = tree(&[("file", "2"), ("theirs", "4")]);
    let on_disk = [("file", "2\r\n"), ("theirs", "4")];
    assert_eq!(
        verdicts(&tree(&[("file", "1")]), &on_disk, &after, Foreign::Refuse),
        ""
    );
}

#[test]
fn a_scaffolded_file_is_written_once() {
    let mut tree = Tree::default();
    tree.scaffold("profile", "1".to_owned());
    let mine = [("profile", "mine")];
    assert_eq!(
        verdicts(&Tree::default(), &[], &tree, Foreign::Refuse),
        "add profile\n"
    );
    assert_eq!(
        verdicts(&Tree::default(), &mine, &tree, Foreign::Overwrite),
        ""
    );
    assert_eq!(verdicts(&tree, &[], &tree, Foreign::Refuse), "");
    assert_eq!(
        verdicts(&tree, &[], &tree, Foreign::Overwrite),
        "add profile\n"
    );
}

fn write<'a>(path: &'a str, text: &'a str) -> Edit<'a> {
    Edit::Write { path, text }
}

fn remove(path: &str) -> Edit<'_> {
    Edit::Remove { path }
}

#[test]
fn edits_add_replace_and_remove_and_leave_no_trace() {
    let scratch = Scratch::with(&[
        ("models/a.sql", "1"),
        ("old/deep/b.sql", "2"),
        ("mine", "3"),
    ]);
    let edits = [
        write("models/a.sql", "4"),
        write("models/new/c.sql", "5"),
        write("macros/x/d.sql", "6"),
        write("macros/e.sql", "7"),
        remove("old/deep/b.sql"),
        remove("never/there.sql"),
    ];
    io::write::apply(scratch.path(), &edits).expect("written");
    let expected = [
        ("macros", ""),
        ("macros/e.sql", "7"),
        ("macros/x", ""),
        ("macros/x/d.sql", "6"),
        ("mine", "3"),
        ("models", ""),
        ("models/a.sql", "4"),
        ("models/new", ""),
        ("models/new/c.sql", "5"),
    ];
    let all = scratch.all();
    let all: Vec<(&str, &str)> = all.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    assert_eq!(all, expected);
}

/// Whatever makes the edits fail, the tree is as it was.
fn fails_whole(scratch: &Scratch, root: &Path, edits: &[Edit<'_>]) -> Error {
    let before = scratch.all();
    let error = io::write::apply(root, edits).expect_err("refused");
    assert_eq!(scratch.all(), before, "{error}");
    error
}

#[test]
fn a_failure_half_way_leaves_the_tree_as_it_was() {
    let scratch = Scratch::with(&[
        ("models/a.sql", "1"),
        ("models/gone.sql", "2"),
        ("in/the/way/file", "3"),
        ("file", "4"),
    ]);
    let before_the_obstacle = [
        write("models/a.sql", "5"),
        write("fresh/folder/b.sql", "6"),
        write("models/c.sql", "7"),
        remove("models/gone.sql"),
    ];
    for obstacle in [
        write("in/the/way", "8"),
        write("file/below", "9"),
        remove("in/the/way"),
    ] {
        let edits = [
            &before_the_obstacle[..],
            &[obstacle],
            &[write("last", "10")],
        ]
        .concat();
        fails_whole(&scratch, scratch.path(), &edits);
    }
}

#[test]
fn a_failure_in_a_new_project_leaves_no_folder_behind() {
    let scratch = Scratch::new();
    let root = scratch.path().join("new/project");
    let long = "x".repeat(255);
    // Each name fits, but no file system holds a path of this length.
    let too_long = vec![long; 20].join("/");
    fails_whole(
        &scratch,
        &root,
        &[write("a.sql", "1"), write(&too_long, "2")],
    );
}

#[test]
fn nothing_is_written_or_removed_through_a_link() {
    let scratch = Scratch::with(&[("outside/file", "1"), ("project/below/mine", "2")]);
    let root = scratch.path().join("project");
    symlink(scratch.path().join("outside"), root.join("linked")).expect("a link");
    for link in ["file", "below/file"] {
        symlink(scratch.path().join("outside/file"), root.join(link)).expect("a link");
    }
    for edit in [
        write("linked/file", "3"),
        remove("linked/file"),
        write("file", "4"),
        remove("file"),
        write("below/file", "6"),
        remove("below/file"),
    ] {
        let error = fails_whole(&scratch, &root, &[write("first", "5"), edit]);
        assert!(matches!(error, Error::Symlink(_)), "{error}");
    }
    for path in ["linked/file", "file", "below/file"] {
        let error = io::project::read(&root, &BTreeSet::from([path])).expect_err("refused");
        assert!(matches!(error, Error::Symlink(_)), "{error}");
        assert!(!io::project::Holding::below(&root).is(path, "1"), "{path}");
    }
    assert!(io::project::Holding::below(&root).is("below/mine", "2"));
}

#[test]
fn nothing_is_written_outside() {
    let scratch = Scratch::with(&[("victim", "1"), ("project/mine", "2")]);
    let root = scratch.path().join("project");
    let absolute = scratch.path().join("victim");
    let absolute = absolute.to_str().expect("UTF-8");
    for path in [
        "../victim",
        absolute,
        "a/../../victim",
        "",
        ".",
        "CON",
        "C:evil",
    ] {
        for edit in [write(path, "3"), remove(path)] {
            let error = fails_whole(&scratch, &root, &[write("first", "4"), edit]);
            assert!(matches!(error, Error::NotPortable(_)), "{error}");
        }
    }
}

#[test]
fn what_a_killed_run_left_is_cleared() {
    let scratch = Scratch::with(&[(".assay-staging/old/0", "1"), (".assay-staging/lock", "")]);
    io::write::apply(scratch.path(), &[write("a", "2")]).expect("written");
    assert_eq!(scratch.all().into_keys().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn a_second_run_at_the_same_time_is_refused() {
    let scratch = Scratch::with(&[(".assay-staging/lock", "")]);
    let held = fs::File::open(scratch.path().join(".assay-staging/lock")).expect("a file");
    held.lock().expect("held");
    let error = fails_whole(&scratch, scratch.path(), &[write("a", "1")]);
    assert!(matches!(error, Error::Busy(_)), "{error}");
}

#[test]
fn no_edits_touch_nothing() {
    let scratch = Scratch::new();
    io::write::apply(&scratch.path().join("absent"), &[]).expect("nothing to do");
    assert!(scratch.all().is_empty());
}

#[test]
fn what_stands_is_read_for_many_files() {
    let scratch = Scratch::new();
    let names: Vec<String> = (0..1000).map(|n| format!("models/{n}.sql")).collect();
    let edits: Vec<Edit<'_>> = names.iter().map(|name| write(name, name)).collect();
    io::write::apply(scratch.path(), &edits).expect("written");
    fs::write(scratch.path().join("binary"), [0xff, 0xfe]).expect("a file");
    let mut wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    wanted.extend(["absent", "binary", "models/0.sql/below"]);
    let found = io::project::read(scratch.path(), &wanted).expect("read");
    for name in &names {
        assert_eq!(found[name], Standing::Text(name.clone()));
    }
    assert_eq!(found["absent"], Standing::Nothing);
    assert_eq!(found["models/0.sql/below"], Standing::Nothing);
    assert_eq!(found["binary"], Standing::Binary);
    let wanted = BTreeMap::from([
        ("models/0.sql", Some("models/0.sql")),
        ("models/1.sql", Some("")),
    ]);
    let found = io::project::compare(scratch.path(), &wanted).expect("read");
    assert_eq!(found["models/0.sql"], Standing::Expected);
    assert_eq!(
        found["models/1.sql"],
        Standing::Text("models/1.sql".to_owned())
    );
    let error = io::project::read(scratch.path(), &BTreeSet::from(["models"])).expect_err("folder");
    assert!(matches!(error, Error::NotAFile(_)), "{error}");
}

#[test]
fn a_spec_tree_is_every_visible_document() {
    let scratch = Scratch::with(&[
        ("b.yaml", "1"),
        ("a/c.yml", "2"),
        ("a/readme.md", "no"),
        (".hidden/d.yaml", "no"),
        (".hidden.yaml", "no"),
    ]);
    symlink(scratch.path().join("a"), scratch.path().join("linked")).expect("a link");
    symlink(
        scratch.path().join("b.yaml"),
        scratch.path().join("linked.yaml"),
    )
    .expect("a link");
    let texts = io::specs::read(scratch.path()).expect("read");
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    assert_eq!(texts, [("a/c.yml", "2"), ("b.yaml", "1")]);
}

#[test]
fn every_document_that_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    fs::write(scratch.path().join("one.yaml"), [b'a', 0xff]).expect("a file");
    fs::write(scratch.path().join("two.yaml"), [0xff]).expect("a file");
    let errors = io::specs::read(scratch.path()).expect_err("not UTF-8");
    let errors: Vec<String> = errors.iter().map(Error::to_string).collect();
    assert_eq!(errors.len(), 2);
    assert!(
        errors[0].ends_with("one.yaml` is not UTF-8 text (byte 1)"),
        "{errors:?}"
    );

    let missing = io::specs::read(&scratch.path().join("absent")).expect_err("missing");
    assert!(matches!(missing[..], [Error::Missing(_)]));
    let file = io::specs::read(&scratch.path().join("one.yaml")).expect_err("a file");
    assert!(matches!(file[..], [Error::NotAFolder(_)]));
}
