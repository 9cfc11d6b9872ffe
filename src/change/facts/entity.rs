//! The facts of an entity, from what `check` made of it. Every field of the IR is taken apart here:
//! a new one is either a fact or named as none.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::sql::{date_format, duration, expression, literal, path, segments};
use super::{
    AliasFacts, EntityFacts, FieldFacts, IncrementalFacts, Judgement, Kept, Kind, MappedFacts,
    MappingFacts, Offered, QualityFacts, QuarantineFacts, RecipeFacts, RuleFacts, RuleKey,
    SourceFacts, StepFacts,
};
use crate::ir::{
    Alias, Assert, AssertKind, Bounds, Classification, Dedupe, Entity, Field, Freshness,
    INGESTED_AT, Incremental, LOAD_ID, MappedField, Mapping, Materialization, OrderColumn, Quality,
    Quarantine, Rails, Recipe, Referential, Rule, RuleKind, SOURCE_ROW_ID, Scd, Scope, Source,
    Step, StepOp,
};
use crate::sql::expr::Expr;
use crate::sql::literal::Literal;

impl EntityFacts {
    pub(super) fn of(entity: &Entity) -> Self {
        let Entity {
            name: _,
            // Where it is written says nothing.
            place: _,
            grain,
            description,
            owner,
            tier,
            grants,
            fields,
            key,
            mappings,
            scd,
            dedupe,
            materialization,
            quality,
            rails,
            asserts,
            has_unknown_member,
        } = entity;
        let roles = grants.iter().flat_map(|(privilege, roles)| {
            roles.iter().map(|role| (privilege.clone(), role.clone()))
        });
        let asserts = asserts.iter();
        Self {
            grain: grain.clone(),
            description: description.clone(),
            owner: owner.clone(),
            tier: tier.map(|tier| tier.to_string()),
            grants: roles.collect(),
            key: key.clone(),
            fields: fields.iter().map(field).collect(),
            history: match scd {
                Scd::Type1 => None,
                Scd::Type2 => Some(Kept),
            },
            unknown_member: has_unknown_member.then_some(Offered),
            dedupe: dedupe.as_ref().map(order),
            incremental: incremental(materialization),
            quality: quality.as_ref().map(|quality| facts(quality, mappings)),
            rails: rails.iter().flat_map(shares).collect(),
            mappings: mappings
                .iter()
                .map(|each| (each.source.clone(), mapping(each)))
                .collect(),
            asserts: asserts
                .map(|each| (each.name.clone(), assertion(each)))
                .collect(),
        }
    }
}

fn field(field: &Field) -> FieldFacts {
    let Field {
        name,
        place: _,
        ty,
        description,
        classification,
        // How two versions are matched, not what one is.
        renamed_from: _,
    } = field;
    let classification = classification.map(|classification| match classification {
        Classification::Public => "public",
        Classification::Internal => "internal",
        Classification::Pii => "pii",
        Classification::Secret => "secret",
    });
    FieldFacts {
        name: name.clone(),
        ty: *ty,
        description: description.clone(),
        classification: classification.map(str::to_owned),
    }
}

fn order(dedupe: &Dedupe) -> Vec<String> {
    let Dedupe { field, tie_break } = dedupe;
    let name = |column: &OrderColumn| match column {
        OrderColumn::Field(field) => field.clone(),
        OrderColumn::LoadId => LOAD_ID.to_owned(),
        OrderColumn::IngestedAt => INGESTED_AT.to_owned(),
        OrderColumn::SourceRowId => SOURCE_ROW_ID.to_owned(),
    };
    [field].into_iter().chain(tie_break).map(name).collect()
}

fn incremental(materialization: &Materialization) -> Option<IncrementalFacts> {
    match materialization {
        Materialization::Full => None,
        Materialization::Incremental(Incremental {
            arrival_lag,
            partition_by,
        }) => Some(IncrementalFacts {
            arrival_lag: arrival_lag.map(duration),
            partition_by: partition_by.clone(),
        }),
    }
}

fn shares(rails: &Rails) -> impl Iterator<Item = (String, String)> {
    let Rails {
        lost,
        null_share,
        deleted,
    } = *rails;
    let named = [
        ("lost", lost),
        ("null_share", null_share),
        ("deleted", deleted),
    ];
    let shares = named.into_iter();
    shares.filter_map(|(name, share)| Some((name.to_owned(), share?.to_string())))
}

fn mapping(mapping: &Mapping) -> MappingFacts {
    let Mapping {
        source: _,
        place: _,
        fields,
        columns,
        freshness,
    } = mapping;
    let (warn_after, error_after) = match freshness {
        Some(Freshness {
            warn_after,
            error_after,
        }) => (*warn_after, *error_after),
        None => (None, None),
    };
    MappingFacts {
        columns: columns.iter().cloned().collect(),
        warn_after: warn_after.map(duration),
        error_after: error_after.map(duration),
        fields: fields
            .iter()
            .map(|each| (each.field.clone(), mapped(each)))
            .collect(),
    }
}

fn mapped(mapped: &MappedField) -> MappedFacts {
    let MappedField {
        field: _,
        ty,
        from,
        steps,
        place: _,
    } = mapped;
    match from {
        Source::Path(from) => MappedFacts {
            ty: *ty,
            from: SourceFacts::Path(path(from)),
            steps: steps.iter().map(step).collect(),
        },
        // The steps follow from the types.
        Source::Recipe(recipe) => MappedFacts {
            ty: *ty,
            from: SourceFacts::Recipe(self::recipe(recipe)),
            steps: Vec::new(),
        },
    }
}

fn recipe(recipe: &Recipe) -> RecipeFacts {
    let Recipe {
        // It makes the same under any name, wherever it stands.
        name: _,
        place: _,
        aliases,
        value,
        // They follow from the aliases and the field.
        made: _,
        ty: _,
    } = recipe;
    let read = RefCell::new(Vec::new());
    let note = |part: &Expr| {
        if let Expr::Column(column) = part
            && !read.borrow().contains(&column.name)
        {
            read.borrow_mut().push(column.name.clone());
        }
        None
    };
    _ = value.replace(&note);
    let read = read.into_inner();
    let number = |name: &String| read.iter().position(|known| known == name);
    let mut aliases: Vec<&Alias> = aliases.iter().collect();
    aliases.sort_by_key(|alias| (number(&alias.name).unwrap_or(read.len()), &alias.name));
    let numbered = |part: &Expr| {
        let Expr::Column(column) = part else {
            return None;
        };
        let index = number(&column.name)?;
        Some(Expr::column(&(index + 1).to_string()))
    };
    RecipeFacts {
        value: expression(&value.replace(&numbered)),
        aliases: aliases.into_iter().map(alias).collect(),
    }
}

fn alias(alias: &Alias) -> AliasFacts {
    let Alias {
        name,
        ty,
        from,
        // They follow from the type.
        steps: _,
    } = alias;
    AliasFacts {
        name: name.clone(),
        ty: *ty,
        from: path(from),
    }
}

fn step(step: &Step) -> StepFacts {
    let Step { op, out } = step;
    let (name, arguments): (&str, Vec<String>) = match op {
        StepOp::Trim => ("trim", Vec::new()),
        StepOp::Upper => ("upper", Vec::new()),
        StepOp::Lower => ("lower", Vec::new()),
        StepOp::ToText => ("to_string", Vec::new()),
        StepOp::ToInt => ("to_int", Vec::new()),
        StepOp::ToDecimal => ("to_decimal", Vec::new()),
        StepOp::ToBool => ("to_bool", Vec::new()),
        StepOp::ParseTs(format) => ("parse_ts", vec![date_format(format)]),
        StepOp::ParseDate(format) => ("parse_date", vec![date_format(format)]),
        StepOp::ToUtc(zone) => ("to_utc", vec![zone.clone()]),
        StepOp::EnumMap(pairs) => {
            let words = pairs.iter().flat_map(|(from, to)| [from, to]);
            ("enum_map", words.cloned().collect())
        }
        StepOp::Coalesce(value) => ("coalesce", vec![literal(value)]),
        StepOp::NullIf(value) => ("nullif", vec![literal(value)]),
        StepOp::SplitPart { delimiter, index } => {
            ("split_part", vec![delimiter.clone(), index.to_string()])
        }
        StepOp::RegexExtract { regex, group } => {
            ("regex_extract", vec![regex.re2(), group.to_string()])
        }
        StepOp::StripPrefix(affix) => ("strip_prefix", vec![affix.clone()]),
        StepOp::StripSuffix(affix) => ("strip_suffix", vec![affix.clone()]),
        StepOp::Concat { before, after } => ("concat", vec![before.clone(), after.clone()]),
        StepOp::Multiply(number) => ("multiply", vec![literal(number)]),
        StepOp::Divide(number) => ("divide", vec![literal(number)]),
        StepOp::Round(digits) => ("round", vec![digits.to_string()]),
        StepOp::Abs => ("abs", Vec::new()),
        StepOp::JsonPath(path) => ("json_path", vec![format!("${}", segments(path))]),
        StepOp::ToVariant => ("to_variant", Vec::new()),
    };
    StepFacts {
        words: [name.to_owned()].into_iter().chain(arguments).collect(),
        out: *out,
    }
}

fn facts(quality: &Quality, mappings: &[Mapping]) -> QualityFacts {
    let Quality { rules, quarantine } = quality;
    let quarantine = quarantine.as_ref().map(|quarantine| {
        let Quarantine {
            retention,
            redact,
            ceiling,
        } = quarantine;
        QuarantineFacts {
            retention: duration(*retention),
            redact: redact.iter().map(path).collect(),
            ceiling: ceiling.map(|share| share.to_string()),
        }
    });
    QualityFacts {
        quarantine,
        rules: rules.iter().map(|each| rule(each, mappings)).collect(),
    }
}

fn rule(rule: &Rule, mappings: &[Mapping]) -> (RuleKey, RuleFacts) {
    let Rule {
        name,
        scope,
        disposition,
        kind,
        description,
        place: _,
    } = rule;
    let mapping = match scope {
        Scope::Mapping(index) => mappings.get(*index),
        Scope::Entity => None,
    };
    let key = RuleKey {
        name: name.clone(),
        source: mapping.map(|mapping| mapping.source.clone()),
    };
    let facts = RuleFacts {
        disposition: *disposition,
        judgement: judgement(kind, mapping),
        description: description.clone(),
    };
    (key, facts)
}

fn judgement(kind: &RuleKind, mapping: Option<&Mapping>) -> Judgement {
    let of = |kind: Kind, field: &str, params: Params| Judgement {
        kind,
        field: Some(field.to_owned()),
        params,
    };
    match kind {
        RuleKind::Coercible { field } => of(Kind::Coercible, field, Params::new()),
        RuleKind::Exact { field } => of(Kind::Exact, field, Params::new()),
        RuleKind::NotNull { field } => of(Kind::NotNull, field, Params::new()),
        RuleKind::Range { field, bounds } => of(Kind::Range, field, limits(bounds, literal)),
        RuleKind::Length { field, bounds } => {
            of(Kind::Length, field, limits(bounds, u32::to_string))
        }
        RuleKind::Pattern { field, regex } => {
            of(Kind::Pattern, field, one("regex", vec![regex.re2()]))
        }
        RuleKind::InEnum { field } => of(Kind::InEnum, field, one("values", known(field, mapping))),
        RuleKind::InSet { field, values } => of(Kind::InSet, field, set(values)),
        RuleKind::Unique { field, filter } => {
            let filter = filter.as_ref().map(expression);
            let params = filter.map_or_else(Params::new, |filter| one("where", vec![filter]));
            of(Kind::Unique, field, params)
        }
        RuleKind::NormalizeNfc { field } => {
            of(Kind::Normalize, field, one("form", vec!["nfc".to_owned()]))
        }
        RuleKind::Charset {
            field,
            ranges,
            allow,
        } => {
            let name = if *allow { "allow" } else { "forbid" };
            let range = |(first, last): &(u32, u32)| format!("U+{first:04X}-U+{last:04X}");
            of(
                Kind::Charset,
                field,
                one(name, ranges.iter().map(range).collect()),
            )
        }
        RuleKind::Expression { holds } => Judgement {
            kind: Kind::Expression,
            field: None,
            params: one("expr", vec![expression(holds)]),
        },
        RuleKind::Referential(referential) => {
            let Referential {
                relationship,
                parent,
                columns,
            } = referential;
            let pairs = columns.iter().flat_map(|(here, there)| [here, there]);
            Judgement {
                kind: Kind::Referential,
                field: None,
                params: Params::from([
                    ("via".to_owned(), vec![relationship.clone()]),
                    ("parent".to_owned(), vec![parent.clone()]),
                    ("columns".to_owned(), pairs.cloned().collect()),
                ]),
            }
        }
    }
}

type Params = BTreeMap<String, Vec<String>>;

fn one(name: &str, values: Vec<String>) -> Params {
    Params::from([(name.to_owned(), values)])
}

fn limits<T>(bounds: &Bounds<T>, text: impl Fn(&T) -> String) -> Params {
    let named = |name: &str, value: &T| (name.to_owned(), vec![text(value)]);
    match bounds {
        Bounds::Min(min) => Params::from([named("min", min)]),
        Bounds::Max(max) => Params::from([named("max", max)]),
        Bounds::Both(min, max) => Params::from([named("min", min), named("max", max)]),
    }
}

/// The texts that the field's last `enum_map` knows.
fn known(field: &str, mapping: Option<&Mapping>) -> Vec<String> {
    let fields = mapping.into_iter().flat_map(|mapping| &mapping.fields);
    let steps = fields
        .filter(|mapped| mapped.field == field)
        .flat_map(|mapped| &mapped.steps);
    let mut maps = steps.rev().filter_map(|step| match &step.op {
        StepOp::EnumMap(pairs) => Some(pairs),
        StepOp::Trim
        | StepOp::Upper
        | StepOp::Lower
        | StepOp::ToText
        | StepOp::ToInt
        | StepOp::ToDecimal
        | StepOp::ToBool
        | StepOp::ParseTs(_)
        | StepOp::ParseDate(_)
        | StepOp::ToUtc(_)
        | StepOp::Coalesce(_)
        | StepOp::NullIf(_)
        | StepOp::SplitPart { .. }
        | StepOp::RegexExtract { .. }
        | StepOp::StripPrefix(_)
        | StepOp::StripSuffix(_)
        | StepOp::Concat { .. }
        | StepOp::Multiply(_)
        | StepOp::Divide(_)
        | StepOp::Round(_)
        | StepOp::Abs
        | StepOp::JsonPath(_)
        | StepOp::ToVariant => None,
    });
    let last = maps.next().into_iter().flatten();
    last.map(|(from, _)| from.clone()).collect()
}

fn set(values: &[Literal]) -> Params {
    one("values", values.iter().map(literal).collect())
}

fn assertion(assert: &Assert) -> Judgement {
    let Assert {
        name: _,
        field,
        kind,
    } = assert;
    let (kind, params) = match kind {
        AssertKind::Min(min) => (Kind::Range, one("min", vec![literal(min)])),
        AssertKind::Max(max) => (Kind::Range, one("max", vec![literal(max)])),
        AssertKind::NotNull => (Kind::NotNull, Params::new()),
        AssertKind::Enum(values) => (Kind::InSet, set(values)),
        AssertKind::Regex(regex) => (Kind::Pattern, one("regex", vec![regex.re2()])),
    };
    Judgement {
        kind,
        field: Some(field.clone()),
        params,
    }
}
