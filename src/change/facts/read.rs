//! Lines of `assay.lock` back to facts. What `write` would not have written is refused.

use std::collections::BTreeMap;

use super::words::{Word, split};
use super::{
    AliasFacts, EntityFacts, FieldFacts, IncrementalFacts, Judgement, Kept, Kind, MappedFacts,
    MappingFacts, Offered, ProjectFacts, QualityFacts, QuarantineFacts, RecipeFacts, RuleFacts,
    RuleKey, SourceFacts, StepFacts, disposition_name,
};
use crate::ir::Disposition;
use crate::sql::types::{DecimalType, Type};

impl ProjectFacts {
    /// Takes one line in; `None` when it is not one that this tool writes.
    pub fn take(&mut self, line: &str) -> Option<()> {
        let words = split(line)?;
        let [name, value] = words.as_slice() else {
            return None;
        };
        let (name, value) = (name.text.as_ref(), value.text.as_ref());
        let slot = match name {
            "generator" => &mut self.generator,
            "target" => &mut self.target,
            "dialect" => &mut self.dialect,
            "folder" => &mut self.folder,
            "layout" => &mut self.layout,
            "bronze" => &mut self.bronze,
            "silver" => &mut self.silver,
            "gold" => &mut self.gold,
            _ => return None,
        };
        let is_new = slot.is_empty() && !value.is_empty();
        value.clone_into(slot);
        is_new.then_some(())
    }
}

impl EntityFacts {
    /// Takes one line in; `None` when it is not one that this tool writes.
    pub fn take(&mut self, line: &str) -> Option<()> {
        let words = split(line)?;
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_ref()).collect();
        match texts.as_slice() {
            ["grain", text] => {
                let is_new = self.grain.is_empty();
                self.grain = (*text).to_owned();
                is_new.then_some(())
            }
            ["description", text] => put(&mut self.description, text),
            ["owner", text] => put(&mut self.owner, text),
            ["tier", text] => put(&mut self.tier, text),
            ["grant", privilege, role] => self
                .grants
                .insert(((*privilege).to_owned(), (*role).to_owned()))
                .then_some(()),
            ["key", key @ ..] => {
                let is_new = self.key.is_empty();
                self.key = key.iter().map(|name| (*name).to_owned()).collect();
                is_new.then_some(())
            }
            ["field", name, ty] => {
                let is_new = self.field(name).is_none();
                self.fields.push(FieldFacts {
                    name: (*name).to_owned(),
                    ty: type_of(ty)?,
                    description: None,
                    classification: None,
                });
                is_new.then_some(())
            }
            ["field.description", name, text] => put(&mut self.known(name)?.description, text),
            ["field.classification", name, text] => {
                put(&mut self.known(name)?.classification, text)
            }
            ["scd", "type2"] => new(self.history.replace(Kept)),
            ["unknown_member"] => new(self.unknown_member.replace(Offered)),
            ["dedupe", order @ ..] => {
                let order = order.iter().map(|name| (*name).to_owned()).collect();
                new(self.dedupe.replace(order))
            }
            ["incremental", partitions @ ..] => {
                let incremental = IncrementalFacts {
                    arrival_lag: None,
                    partition_by: partitions.iter().map(|name| (*name).to_owned()).collect(),
                };
                new(self.incremental.replace(incremental))
            }
            ["arrival_lag", lag] => put(&mut self.incremental.as_mut()?.arrival_lag, lag),
            ["quality"] => new(self.quality.replace(QualityFacts::default())),
            ["quarantine", retention] => {
                let quarantine = QuarantineFacts {
                    retention: (*retention).to_owned(),
                    redact: Default::default(),
                    ceiling: None,
                };
                new(self.quality.as_mut()?.quarantine.replace(quarantine))
            }
            ["redact", path] => {
                let quarantine = self.quality.as_mut()?.quarantine.as_mut()?;
                quarantine.redact.insert((*path).to_owned()).then_some(())
            }
            ["ceiling", share] => {
                let quarantine = self.quality.as_mut()?.quarantine.as_mut()?;
                put(&mut quarantine.ceiling, share)
            }
            ["rail", name, share] => {
                let (name, share) = ((*name).to_owned(), (*share).to_owned());
                new(self.rails.insert(name, share))
            }
            ["rule", ..] => self.rule(&words),
            ["rule.description", ..] => self.rule_description(&words),
            ["assert", name, kind, ..] => {
                let (source, judgement) = judgement(kind, words.get(3..)?)?;
                let earlier = self.asserts.insert((*name).to_owned(), judgement);
                (source.is_none() && earlier.is_none()).then_some(())
            }
            ["mapping", source] => {
                let mapping = MappingFacts::default();
                new(self.mappings.insert((*source).to_owned(), mapping))
            }
            ["warn_after", source, after] => {
                put(&mut self.mappings.get_mut(*source)?.warn_after, after)
            }
            ["error_after", source, after] => {
                put(&mut self.mappings.get_mut(*source)?.error_after, after)
            }
            ["column", source, name] => self
                .mappings
                .get_mut(*source)?
                .columns
                .insert((*name).to_owned())
                .then_some(()),
            ["map", source, field, ty, from] => {
                let from = SourceFacts::Path((*from).to_owned());
                self.map(source, field, ty, from)
            }
            ["recipe", source, field, ty, value] => {
                let recipe = RecipeFacts {
                    value: (*value).to_owned(),
                    aliases: Vec::new(),
                };
                self.map(source, field, ty, SourceFacts::Recipe(recipe))
            }
            ["alias", source, field, name, ty, from] => {
                let mapped = self.mappings.get_mut(*source)?.fields.get_mut(*field)?;
                let SourceFacts::Recipe(recipe) = &mut mapped.from else {
                    return None;
                };
                recipe.aliases.push(AliasFacts {
                    name: (*name).to_owned(),
                    ty: type_of(ty)?,
                    from: (*from).to_owned(),
                });
                Some(())
            }
            ["step", source, field, out, op @ ..] if !op.is_empty() => {
                let mapped = self.mappings.get_mut(*source)?.fields.get_mut(*field)?;
                mapped.steps.push(StepFacts {
                    words: op.iter().map(|word| (*word).to_owned()).collect(),
                    out: type_of(out)?,
                });
                Some(())
            }
            _ => None,
        }
    }

    fn map(&mut self, source: &str, field: &str, ty: &str, from: SourceFacts) -> Option<()> {
        let mapped = MappedFacts {
            ty: type_of(ty)?,
            from,
            steps: Vec::new(),
        };
        let fields = &mut self.mappings.get_mut(source)?.fields;
        new(fields.insert(field.to_owned(), mapped))
    }

    fn known(&mut self, name: &str) -> Option<&mut FieldFacts> {
        self.fields.iter_mut().find(|field| field.name == name)
    }

    fn rule(&mut self, words: &[Word<'_>]) -> Option<()> {
        let [_, name, disposition, kind, params @ ..] = words else {
            return None;
        };
        let (source, judgement) = judgement(&kind.text, params)?;
        let rule = RuleFacts {
            disposition: disposition_of(&disposition.text)?,
            judgement,
            description: None,
        };
        let name = name.text.clone().into_owned();
        new(self
            .quality
            .as_mut()?
            .rules
            .insert(RuleKey { name, source }, rule))
    }

    fn rule_description(&mut self, words: &[Word<'_>]) -> Option<()> {
        let [_, name, params @ ..] = words else {
            return None;
        };
        let mut params = groups(params)?;
        let text = single(params.remove("text")?)?;
        let source = match params.remove("mapping") {
            Some(values) => Some(single(values)?),
            None => None,
        };
        let name = name.text.clone().into_owned();
        let rules = &mut self.quality.as_mut()?.rules;
        let rule = rules.get_mut(&RuleKey { name, source })?;
        new(rule.description.replace(text))
    }
}

/// What was there before was nothing.
pub(super) fn new<T>(earlier: Option<T>) -> Option<()> {
    earlier.is_none().then_some(())
}

fn put(slot: &mut Option<String>, text: &str) -> Option<()> {
    new(slot.replace(text.to_owned()))
}

fn judgement(kind: &str, params: &[Word<'_>]) -> Option<(Option<String>, Judgement)> {
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind)?;
    let mut params = groups(params)?;
    let mut place = |name: &str| match params.remove(name) {
        Some(values) => single(values).map(Some),
        None => Some(None),
    };
    let (source, field) = (place("mapping")?, place("field")?);
    // A map keeps the room it had, which is half of what such a rule takes in memory.
    if params.is_empty() {
        params = BTreeMap::new();
    }
    let judgement = Judgement {
        kind,
        field,
        params,
    };
    Some((source, judgement))
}

/// `min: 0 max: 5` by name.
pub(super) fn groups(words: &[Word<'_>]) -> Option<BTreeMap<String, Vec<String>>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open: Option<String> = None;
    for Word { text, is_quoted } in words {
        match text.strip_suffix(':') {
            Some(name) if !is_quoted => {
                new(groups.insert(name.to_owned(), Vec::new()))?;
                open = Some(name.to_owned());
            }
            Some(_) | None => groups
                .get_mut(open.as_ref()?)?
                .push(text.clone().into_owned()),
        }
    }
    Some(groups)
}

fn single(mut values: Vec<String>) -> Option<String> {
    let value = values.pop()?;
    values.is_empty().then_some(value)
}

fn disposition_of(text: &str) -> Option<Disposition> {
    [
        Disposition::Fail,
        Disposition::Quarantine,
        Disposition::Flag,
        Disposition::UnknownMember,
    ]
    .into_iter()
    .find(|known| disposition_name(*known) == text)
}

fn type_of(text: &str) -> Option<Type> {
    let plain = match text {
        "string" => Some(Type::String),
        "int" => Some(Type::Int),
        "bool" => Some(Type::Bool),
        "date" => Some(Type::Date),
        "timestamp" => Some(Type::Timestamp),
        "variant" => Some(Type::Variant),
        _ => None,
    };
    if plain.is_some() {
        return plain;
    }
    let digits = text.strip_prefix("decimal(")?.strip_suffix(')')?;
    let (precision, scale) = digits.split_once(',')?;
    Some(Type::Decimal(DecimalType {
        precision: precision.parse().ok()?,
        scale: scale.parse().ok()?,
    }))
}
