//! Commands over folders of their own. Where a tree is brought to, not what is in it.

mod blame;
mod commands;
mod delivery;
mod diff;
mod repositories;

use std::ffi::OsString;

use clap::Parser;

use crate::change::facts::Facts;
use crate::cli::failure::Failure;
use crate::cli::{Cli, Command, Console, Outcome, Paint, generate, project, run, settings};
use crate::ir::Project;
use crate::tests::checking;
use crate::tests::scratch::Scratch;
use crate::tree::Tree;

/// Exit code, data and messages.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    code: u8,
    out: String,
    err: String,
}

fn listen(work: impl FnOnce(&mut Console<'_>) -> u8) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = work(&mut Console::new(
        &mut out,
        Paint::Plain,
        &mut err,
        Paint::Plain,
    ));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Said {
        code,
        out: text(out),
        err: text(err),
    }
}

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn assay(scratch: &Scratch, line: &str) -> Said {
    listen(|console| run(words(line), scratch.path(), console))
}

/// `assay generate` as it goes on once the specs have become this tree.
fn deliver(scratch: &Scratch, line: &str, tree: &Tree) -> Said {
    let Command::Generate(args) = Cli::try_parse_from(words(line)).expect("flags").command else {
        panic!("not `generate`")
    };
    listen(|console| {
        let delivered = try_deliver(scratch, &args, tree, console);
        match delivered {
            Ok(Outcome::Fine) => 0,
            Ok(Outcome::Found) => 1,
            Err(failure) => {
                console.fail(&failure);
                2
            }
        }
    })
}

fn try_deliver(
    scratch: &Scratch,
    args: &generate::Args,
    tree: &Tree,
    console: &mut Console<'_>,
) -> Result<Outcome, Failure> {
    let Ok(request) = settings::read(&args.project, scratch.path())? else {
        panic!("`assay.yml` has errors")
    };
    let project = project::locate(&request)?.expect("a target");
    generate::deliver(args, &project, tree, facts(), console)
}

/// A project without entities; what it means is not looked at here.
fn facts() -> Facts {
    let project = Project {
        entities: Vec::new(),
        checks: Vec::new(),
        calendar: None,
    };
    Facts::of(&project, &checking::settings())
}

const DBT: &str = "assay generate --target dbt --out out";

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, text) in files {
        tree.generated(*path, (*text).to_owned());
    }
    tree
}

/// A model and what is needed to run it.
fn shop() -> Tree {
    let mut tree = tree(&[("models/assay/silver/order.sql", "select 1\n")]);
    tree.scaffold("dbt_project.yml", "name: shop\n".to_owned());
    tree
}
