//! From a spec tree to the project it describes: the stages in their order, and what they found.

use std::path::Path;

use crate::change::facts::Facts;
use crate::cli::console::{Console, Paint};
use crate::cli::failure::Failure;
use crate::diag::Bag;
use crate::diag::render::{Colour, Format, render};
use crate::ir::Project;
use crate::settings::Settings;
use crate::tree::Tree;
use crate::yaml::Sources;
use crate::{check, io, lower, render as project, spec};

/// How diagnostics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FormatFlag {
    /// With the source lines, for people.
    Text,
    /// One line each, for grep and editors.
    Short,
    Json,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
}

/// Where diagnostics are printed when they are read by people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// They are what was asked for.
    Data,
    /// They come with something else.
    Messages,
}

pub(super) fn read(specs: &Path) -> Result<Sources, Failure> {
    let files = io::specs::read(specs)?;
    // Nothing to generate would mean everything to remove.
    if files.is_empty() {
        return Err(Failure::request(
            format!("`{}` holds no specs", specs.display()),
            "a spec is a file that ends with `.yaml` or `.yml`; `assay init` writes one",
        ));
    }
    let shown_under = specs.to_string_lossy().replace('\\', "/");
    let shown_under = shown_under.trim_start_matches("./").to_owned();
    Ok(Sources { files, shown_under })
}

/// What the specs say, as files and as facts.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) project: Project,
    pub(super) facts: Facts,
    pub(super) tree: Tree,
}

/// `None` when the specs have errors.
pub(super) fn compile(sources: &Sources, settings: &Settings) -> (Option<Compiled>, Bag) {
    let mut tree = Tree::default();
    let (meant, bag) = compile_in_parts(sources, settings, &mut |part| tree.add(part));
    let compiled = meant.map(|(project, facts)| Compiled {
        project,
        facts,
        tree,
    });
    (compiled, bag)
}

/// The same; the files are handed on as they are made.
pub(super) fn compile_in_parts(
    sources: &Sources,
    settings: &Settings,
    take: &mut dyn FnMut(Tree),
) -> (Option<(Project, Facts)>, Bag) {
    let (spec, mut bag) = spec::load(sources);
    let (ir, found) = check::check(&spec, settings);
    // Its memory serves what comes next.
    drop(spec);
    bag.extend(if bag.has_errors() {
        check::certain(found)
    } else {
        found
    });
    match (ir, bag.has_errors()) {
        (Some(ir), false) => {
            let facts = Facts::of(&ir, settings);
            project::render_in_parts(&lower::lower(&ir), settings, take);
            (Some((ir, facts)), bag)
        }
        (Some(_), true) | (None, _) => (None, bag),
    }
}

/// The process ends behind a command; giving thousands of small pieces back one by one before that
/// would be a tenth of the run.
pub(super) fn leave<T>(everything: T) {
    std::mem::forget(everything);
}

pub(super) fn print(
    console: &mut Console<'_>,
    bag: &Bag,
    sources: &Sources,
    format: FormatFlag,
    readers: Readers,
) -> Result<(), Failure> {
    let colour = |paint| match paint {
        Paint::Plain => Colour::Never,
        Paint::Colour => Colour::Always,
    };
    let people = match format {
        FormatFlag::Text => Format::Text,
        FormatFlag::Short => Format::Short,
        FormatFlag::Json => {
            return console.print(&render(bag, sources, Format::Json, Colour::Never));
        }
        FormatFlag::Sarif => {
            return console.print(&render(bag, sources, Format::Sarif, Colour::Never));
        }
    };
    match readers {
        Readers::Data => {
            let colour = colour(console.paint_out());
            console.print(&render(bag, sources, people, colour))
        }
        Readers::Messages => {
            let colour = colour(console.paint_err());
            console.say(&render(bag, sources, people, colour));
            Ok(())
        }
    }
}
