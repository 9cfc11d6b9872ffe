//! Facts as lines of `assay.lock`, in one order.

use std::collections::BTreeMap;

use super::words::{line, push};
use super::{
    AliasFacts, EntityFacts, FieldFacts, IncrementalFacts, Judgement, MappedFacts, MappingFacts,
    ProjectFacts, QualityFacts, QuarantineFacts, RecipeFacts, RuleFacts, RuleKey, SourceFacts,
    StepFacts, disposition_name,
};

impl ProjectFacts {
    /// The lines of the section `[project]` that are facts.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self {
            generator,
            target,
            dialect,
            folder,
            layout,
            bronze,
            silver,
            gold,
        } = self;
        vec![
            line(["generator", generator]),
            line(["target", target]),
            line(["dialect", dialect]),
            line(["folder", folder]),
            line(["layout", layout]),
            line(["bronze", bronze]),
            line(["silver", silver]),
            line(["gold", gold]),
        ]
    }
}

impl EntityFacts {
    /// The lines of the section of an entity.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self {
            grain,
            description,
            owner,
            tier,
            grants,
            key,
            fields,
            history,
            unknown_member,
            dedupe,
            incremental,
            quality,
            rails,
            mappings,
            asserts,
        } = self;
        let mut lines = vec![line(["grain", grain])];
        let texts = [
            ("description", description),
            ("owner", owner),
            ("tier", tier),
        ];
        for (name, text) in texts {
            lines.extend(text.iter().map(|text| line([name, text])));
        }
        for (privilege, role) in grants {
            lines.push(line(["grant", privilege, role]));
        }
        lines.push(listed("key", key));
        for field in fields {
            self::field(field, &mut lines);
        }
        lines.extend(history.map(|_| line(["scd", "type2"])));
        lines.extend(unknown_member.map(|_| "unknown_member".to_owned()));
        lines.extend(dedupe.iter().map(|order| listed("dedupe", order)));
        if let Some(IncrementalFacts {
            arrival_lag,
            partition_by,
        }) = incremental
        {
            lines.push(listed("incremental", partition_by));
            lines.extend(arrival_lag.iter().map(|lag| line(["arrival_lag", lag])));
        }
        if let Some(quality) = quality {
            self::quality(quality, &mut lines);
        }
        for (name, share) in rails {
            lines.push(line(["rail", name, share]));
        }
        for (source, mapping) in mappings {
            self::mapping(source, mapping, &mut lines);
        }
        for (name, judgement) in asserts {
            let mut line = line(["assert", name, judgement.kind.name()]);
            params(None, judgement, &mut line);
            lines.push(line);
        }
        lines
    }
}

fn listed(name: &str, words: &[String]) -> String {
    line([name].into_iter().chain(words.iter().map(String::as_str)))
}

fn field(field: &FieldFacts, lines: &mut Vec<String>) {
    let FieldFacts {
        name,
        ty,
        description,
        classification,
    } = field;
    lines.push(line(["field", name, &ty.to_string()]));
    if let Some(text) = description {
        lines.push(line(["field.description", name, text]));
    }
    if let Some(text) = classification {
        lines.push(line(["field.classification", name, text]));
    }
}

fn quality(quality: &QualityFacts, lines: &mut Vec<String>) {
    let QualityFacts { quarantine, rules } = quality;
    lines.push("quality".to_owned());
    if let Some(QuarantineFacts {
        retention,
        redact,
        ceiling,
    }) = quarantine
    {
        lines.push(line(["quarantine", retention]));
        for path in redact {
            lines.push(line(["redact", path]));
        }
        lines.extend(ceiling.iter().map(|share| line(["ceiling", share])));
    }
    for (RuleKey { name, source }, rule) in rules {
        let RuleFacts {
            disposition,
            judgement,
            description,
        } = rule;
        let disposition = disposition_name(*disposition);
        let mut rule = line(["rule", name, disposition, judgement.kind.name()]);
        params(source.as_deref(), judgement, &mut rule);
        lines.push(rule);
        if let Some(text) = description {
            let mut rule = line(["rule.description", name]);
            if let Some(source) = source {
                param("mapping", source, &mut rule);
            }
            param("text", text, &mut rule);
            lines.push(rule);
        }
    }
}

/// ` mapping: … field: … min: 0 max: 5`
fn params(source: Option<&str>, judgement: &Judgement, out: &mut String) {
    let Judgement {
        kind: _,
        field,
        params,
    } = judgement;
    let places = [("mapping", source), ("field", field.as_deref())];
    for (name, value) in places {
        if let Some(value) = value {
            param(name, value, out);
        }
    }
    lists(params, out);
}

/// ` left: "sum(parcel.kilos)" tolerance: 0`
pub(super) fn lists(params: &BTreeMap<String, Vec<String>>, out: &mut String) {
    for (name, values) in params {
        out.extend([" ", name, ":"]);
        for value in values {
            out.push(' ');
            push(value, out);
        }
    }
}

fn param(name: &str, value: &str, out: &mut String) {
    out.extend([" ", name, ": "]);
    push(value, out);
}

fn mapping(source: &str, mapping: &MappingFacts, lines: &mut Vec<String>) {
    let MappingFacts {
        columns,
        warn_after,
        error_after,
        fields,
    } = mapping;
    lines.push(line(["mapping", source]));
    for (name, after) in [("warn_after", warn_after), ("error_after", error_after)] {
        lines.extend(after.iter().map(|after| line([name, source, after])));
    }
    for column in columns {
        lines.push(line(["column", source, column]));
    }
    for (field, mapped) in fields {
        let MappedFacts { ty, from, steps } = mapped;
        let ty = ty.to_string();
        match from {
            SourceFacts::Path(from) => lines.push(line(["map", source, field, &ty, from])),
            SourceFacts::Recipe(RecipeFacts { value, aliases }) => {
                lines.push(line(["recipe", source, field, &ty, value]));
                for AliasFacts { name, ty, from } in aliases {
                    lines.push(line(["alias", source, field, name, &ty.to_string(), from]));
                }
            }
        }
        for StepFacts { words, out } in steps {
            let out = out.to_string();
            let head = ["step", source, field, &out];
            lines.push(line(
                head.into_iter().chain(words.iter().map(String::as_str)),
            ));
        }
    }
}
