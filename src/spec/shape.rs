//! What may be written where, as tables: the reader refuses what is not in them, and the JSON
//! Schemas are printed from them, so the two cannot differ.

/// A map with named keys.
#[derive(Debug)]
pub struct Shape {
    /// With an article: `an entity`.
    pub what: &'static str,
    pub keys: &'static [Key],
    pub others: Others,
}

/// What happens to a key that is not in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Refused,
    /// Top of a document: `x-…` may hold anchors.
    AnchorsOnly,
    /// Which parameters a rule takes depends on the rule, so `check` refuses them.
    Parameters,
}

#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub presence: Presence,
    pub form: Form,
    /// One phrase.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
}

/// What a value is made of.
#[derive(Debug)]
pub enum Form {
    /// The integer 1.
    Version,
    /// One short text.
    Text,
    /// A sentence or several.
    Prose,
    /// A condition or a regex.
    Code,
    /// Any scalar, as written.
    Literal,
    Flag,
    Whole {
        min: u64,
        max: u64,
    },
    /// One of these.
    Word(&'static [&'static str]),
    /// One of these; `check` refuses the others, because it knows why.
    Disposition(&'static [&'static str]),
    /// `[a-z][a-z0-9_]*`.
    Name,
    /// A name that becomes a file name.
    EntityName,
    /// A field or a metadata column.
    Column,
    /// `[a-z0-9_]+`.
    RuleName,
    /// Any name of the source side.
    SourceName,
    Duration,
    Type,
    Partition,
    Path,
    Percent,
    Bytes,
    Currency,
    Folder,
    SchemaName,
    /// A step of a chain.
    Transform,
    /// A path, or (with a recipe) alias → path.
    Input,
    /// A list of aliases, or alias → type.
    Aliases,
    /// A parameter of a rule, which `check` reads; the form is for the schema.
    Param(&'static Form),
    List(&'static Form, Least),
    /// A list of which no item may stand twice.
    Set(&'static Form, Least),
    Map {
        key: &'static Form,
        value: &'static Form,
        least: Least,
    },
    Table(&'static Shape),
    /// Structure that nothing reads yet.
    Anything,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    None,
    One,
}

pub const fn required(name: &'static str, form: Form, about: &'static str) -> Key {
    Key {
        name,
        presence: Presence::Required,
        form,
        about,
    }
}

pub const fn optional(name: &'static str, form: Form, about: &'static str) -> Key {
    Key {
        name,
        presence: Presence::Optional,
        form,
        about,
    }
}

impl Shape {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }
}
