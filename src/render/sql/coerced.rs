//! The body that turns bronze into typed values.

use askama::Template;

use super::Writer;
use crate::lower::EntityPlan;

#[derive(Template)]
#[template(path = "sql/coerced.sql", config = "templates/askama.toml")]
struct Body {
    ctes: Vec<Cte>,
    fence: Option<&'static str>,
    selects: Vec<Select>,
}

struct Cte {
    name: String,
    columns: String,
    from: String,
    filter: Option<String>,
}

struct Select {
    columns: String,
    from: String,
}

/// What each layer of a mapping does, bottom up.
const LAYERS: [&str; 3] = ["delivered", "extracted", "converted"];

pub fn coerced(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let coerced = &plan.coerced;
    let mut ctes = Vec::new();
    let mut selects = Vec::new();
    for (index, input) in coerced.inputs.iter().enumerate() {
        let suffix = if index == 0 {
            String::new()
        } else {
            format!("_{}", index + 1)
        };
        let mut from = match &plan.judged {
            Some(_) => writer.names.deliveries(&input.source),
            None => writer.names.bronze(&input.source),
        };
        let mut filter = writer.names.arrived(plan);
        let last = input.layers.len() - 1;
        for (level, layer) in input.layers.iter().enumerate() {
            if level == last {
                let columns = writer.select(&layer.columns, 2);
                selects.push(Select {
                    columns,
                    from: from.clone(),
                });
                break;
            }
            let name = match LAYERS.get(level) {
                Some(name) => format!("{name}{suffix}"),
                None => format!("converted_{level}{suffix}"),
            };
            let columns = writer.select(&layer.columns, 4);
            ctes.push(Cte {
                name: name.clone(),
                columns,
                from,
                filter: filter.take(),
            });
            from = name;
        }
    }
    Body {
        ctes,
        fence: writer.spelling.fence,
        selects,
    }
    .render()
    .expect("a template over prepared text cannot fail")
}
