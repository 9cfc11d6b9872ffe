//! `normalize`: a text that is not in Unicode NFC.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::Bag;
use crate::ir::RuleKind;
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "normalize",
    params: &["form"],
    build: Build::Field {
        fits: |ty| ty == Type::String,
        takes: "strings",
        build,
    },
    page: "Fires when the text differs from its Unicode NFC form, so that `é` written as `e` and an \
           accent would not be equal to `é`. It changes nothing.\n\n\
           ```yaml\nquality: [{rule: normalize, form: nfc, on_fail: flag}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let form = "{rule: normalize, form: nfc, on_fail: …}";
    params::required(site.rule, &["form"], form, found);
    if params::one(site.rule, "form", found)?.text != "nfc" {
        params::wrong(site.rule, "form", "`nfc`", found);
        return None;
    }
    let field = site.field.to_owned();
    Some(Built {
        generated: format!("{field}_normalize"),
        kind: RuleKind::NormalizeNfc { field },
    })
}
