//! What brings a refused row back to bronze: each column from `raw`.

use super::Writer;
use crate::lower::EntityPlan;
use crate::lower::judged::Judged;
use crate::sql::expr::{Expr, Segment};

/// A bronze relation that refused rows came from.
pub struct Redelivery<'a> {
    pub source: &'a str,
    /// Exact name, and the delivered text in a reject row called `held`.
    pub columns: Vec<(&'a str, String)>,
}

/// In the order of the mappings; nothing where nothing is refused.
pub fn redeliveries<'a>(
    plan: &'a EntityPlan<'_>,
    judged: &'a Judged,
    writer: &Writer<'_>,
) -> Vec<Redelivery<'a>> {
    if !judged.has_reject {
        return Vec::new();
    }
    let text = |column: &str| {
        writer.expr(&Expr::JsonMember {
            document: Expr::qualified("held", "raw").into(),
            paths: Vec::new(),
            path: vec![Segment::Key(column.to_owned())],
        })
    };
    let inputs = plan.coerced.inputs.iter().zip(&judged.raw);
    inputs
        .map(|(input, raw)| Redelivery {
            source: &input.source,
            columns: raw
                .iter()
                .map(|(column, _)| (column.as_str(), text(column)))
                .collect(),
        })
        .collect()
}
