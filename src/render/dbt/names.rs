//! References and text in dbt's Jinja.

use memchr::{memchr2, memchr2_iter};

use crate::lower::EntityPlan;
use crate::render::sql::{Names, Relation, Writer, relation_name};
use crate::settings::{Host, Layout, Settings};
use crate::sql::print::name;

pub struct DbtNames<'a> {
    pub settings: &'a Settings,
}

impl Names for DbtNames<'_> {
    fn bronze(&self, source: &str) -> String {
        let group = source_group(self.settings);
        format!(
            "{{{{ source({}, {}) }}}}",
            jinja_text(&group),
            jinja_text(&source_name(source))
        )
    }

    fn relation(&self, entity: &str, relation: Relation) -> String {
        format!("{{{{ ref('{}') }}}}", relation_name(entity, relation))
    }

    fn deliveries(&self, source: &str) -> String {
        format!("{{{{ bronze[{}] }}}}", jinja_text(source))
    }

    /// The caller hands over what has arrived.
    fn arrived(&self, _plan: &EntityPlan<'_>) -> Option<String> {
        None
    }

    fn coerced(&self, plan: &EntityPlan<'_>) -> Option<String> {
        // No `indent`: it would reach into texts of several lines.
        Some(format!("{{{{ {}__coerced(bronze) }}}}", plan.entity.name))
    }

    fn judged(&self, _entity: &str) -> String {
        "{{ judged }}".to_owned()
    }

    fn around_ledger(&self) -> (&'static str, &'static str) {
        ("{% if ledger %}", "{% endif %}")
    }

    fn contenders(&self) -> String {
        "{{ 'contenders' if ledger else 'coerced' }}".to_owned()
    }

    fn ledger(&self, _entity: &str, columns: &[String]) -> String {
        format!(
            "SELECT\n  {}\nFROM {{{{ ledger }}}}\nWHERE\n  \
             NOT (_gates <> 0 OR (_fail <> 0 AND _route <> 'deduped'))",
            listed(columns)
        )
    }

    fn stored(&self) -> &'static str {
        "{{ stored }}"
    }

    fn where_stored(&self, select: &str) -> String {
        format!("{{% if stored %}}\n    UNION ALL\n    {select}{{% endif %}}")
    }

    fn since(&self, and: &str) -> String {
        format!("{{% if since %}}{and}judged._judged_at > {{{{ since }}}}{{% endif %}}")
    }

    fn run_at(&self) -> String {
        "'{{ run_started_at.strftime(\"%Y-%m-%d %H:%M:%S\") }}'::TIMESTAMP".to_owned()
    }

    /// On the first run there is nothing yet: an empty relation of the same shape.
    fn judged_at(&self) -> String {
        "{{ assay_judged_at() }}".to_owned()
    }

    fn held(&self, _entity: &str) -> String {
        let run_at = self.run_at();
        format!(
            "{{%- if held %}}\nSELECT\n  *\nFROM {{{{ held }}}}\n{{%- else %}}\nSELECT\n  \
             *,\n  _ingested_at AS first_seen,\n  _ingested_at AS last_seen,\n  {run_at} AS \
             last_evaluated_at,\n  {run_at} AS resolved_at,\n  mapping AS resolution\nFROM \
             diverted\nWHERE\n  FALSE\n{{%- endif %}}"
        )
    }

    fn admitted(&self, plan: &EntityPlan<'_>, _writer: &Writer<'_>) -> String {
        let entity = &plan.entity.name;
        format!("{{{{ {entity}__admitted(ref('{entity}__judged'), {entity}__bronze()) }}}}")
    }

    fn versions(&self, _entity: &str, columns: &[(String, String)]) -> String {
        let columns = columns
            .iter()
            .map(|(name, ty)| format!("('{name}', '{ty}')"));
        let columns: Vec<String> = columns.collect();
        format!(
            "{{{{ assay_versions(this, [\n  {},\n]) }}}}",
            columns.join(",\n  ")
        )
    }

    fn escape(&self, sql: &mut String, start: usize) {
        if memchr2(b'{', b'\r', &sql.as_bytes()[start..]).is_some() {
            let plain = sql.split_off(start);
            write_jinja(&plain, sql);
        }
    }
}

/// Columns of ours and of the entity, which need no escape in Jinja.
fn listed(columns: &[String]) -> String {
    let names: Vec<String> = columns
        .iter()
        .map(|column| name(std::slice::from_ref(column)))
        .collect();
    names.join(",\n  ")
}

/// Text that Jinja gives back as it is: every `{` that could open a tag is written by one, and so is
/// CR, which Jinja reads as LF.
#[must_use]
pub fn jinja(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write_jinja(text, &mut out);
    out
}

fn write_jinja(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut written = 0;
    for at in memchr2_iter(b'{', b'\r', bytes) {
        let escape = match (bytes[at], bytes.get(at + 1)) {
            (b'\r', _) => "{{ '\\r' }}",
            (_, None | Some(b'{' | b'%' | b'#')) => "{{ '{' }}",
            (_, Some(_)) => continue,
        };
        out.push_str(&text[written..at]);
        out.push_str(escape);
        written = at + 1;
    }
    out.push_str(&text[written..]);
}

/// A string literal inside a Jinja expression.
#[must_use]
pub fn jinja_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

/// The dbt source that holds the bronze relations; a host may have one called `bronze` itself.
#[must_use]
pub fn source_group(settings: &Settings) -> String {
    match (settings.host, settings.layout) {
        (Host::Existing, Layout::Inline) => format!("{}_bronze", settings.folder),
        (Host::Own, Layout::Package | Layout::Inline) | (Host::Existing, Layout::Package) => {
            "bronze".to_owned()
        }
    }
}

/// A source table's name in dbt: its own where that is a plain one, else made of its plain
/// characters and their code points; `identifier` has the exact name.
#[must_use]
pub fn source_name(source: &str) -> String {
    if !source.is_empty()
        && source
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_')
    {
        return source.to_owned();
    }
    let mut name = String::new();
    for character in source.chars() {
        if character.is_ascii_alphanumeric() {
            name.push(character);
        } else {
            name.push_str(&format!("_{:x}_", u32::from(character)));
        }
    }
    name
}
