//! `assay schema`.

use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::cli::failure::Failure;
use crate::cli::flags::ProjectFlags;
use crate::cli::paths::{below, plain};
use crate::cli::{Console, Outcome, settings};
use crate::io;
use crate::io::write::Edit;
use crate::spec::schema::{self, SchemaKind};

/// Print the JSON Schema of a kind of document, for editors.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Kind of document; without it the kinds are listed.
    kind: Option<SchemaKind>,
    /// Write the schemas of all kinds to a folder, and print the lines that make an editor use them.
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    write: Option<PathBuf>,
}

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    match (args.kind, &args.write) {
        (Some(kind), _) => console.print(&text(kind))?,
        (None, None) => {
            for kind in SchemaKind::ALL {
                console.print(&format!("{}\n", kind.name()))?;
            }
        }
        (None, Some(folder)) => write(folder, here, console)?,
    }
    Ok(Outcome::Fine)
}

fn text(kind: SchemaKind) -> String {
    format!("{:#}\n", schema::schema(kind))
}

fn write(folder: &Path, here: &Path, console: &mut Console<'_>) -> Result<(), Failure> {
    let folder = below(here, folder);
    let files = SchemaKind::ALL.map(|kind| (format!("{}.schema.json", kind.name()), text(kind)));
    let edits: Vec<Edit<'_>> = files
        .iter()
        .map(|(path, text)| Edit::Write { path, text })
        .collect();
    io::write::apply(&folder, &edits)?;
    let specs = match settings::read(&ProjectFlags::default(), here)? {
        Ok(request) => request.specs,
        Err(_) => below(here, Path::new("specs")),
    };
    console.say("first line of a document, by its kind:\n");
    for (kind, (file, _)) in SchemaKind::ALL.into_iter().zip(&files) {
        // An editor reads the path from the document's own folder.
        let from = match kind {
            SchemaKind::Config => here,
            SchemaKind::Catalog | SchemaKind::EntityModel | SchemaKind::Mapping => &specs,
        };
        let path = relative(from, &folder.join(file));
        console.print(&format!("# yaml-language-server: $schema={path}\n"))?;
    }
    Ok(())
}

/// How `to` is written in a file that stands directly in `from`.
fn relative(from: &Path, to: &Path) -> String {
    let (from, down): (Vec<_>, Vec<_>) = (plain(from).collect(), plain(to).collect());
    let is_told = from
        .iter()
        .chain(&down)
        .all(|part| matches!(part, Component::Normal(_)));
    let shared = from.iter().zip(&down).take_while(|(a, b)| a == b).count();
    if !is_told && shared == 0 {
        let to = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
        return to.display().to_string();
    }
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let down = down[shared..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

impl ValueEnum for SchemaKind {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
