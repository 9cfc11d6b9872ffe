//! One mapped field: its chain as columns, and the markers that tell a failed conversion from a NULL.

use super::helper::helper;
use super::layers::Layers;
use super::recipe;
use crate::ir::{MappedField, Source, SourcePath, Step, StepOp};
use crate::sql::expr::{Accept, Expr, Func, Operator};
use crate::sql::types::{DecimalType, Type};

/// What the rules need to know about a lowered field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// (input, output) columns: a non-NULL input whose output is NULL did not become a value.
    pub markers: Vec<(String, String)>,
    /// The text that was read as a decimal, and its scale.
    pub decimal_text: Option<(String, u8)>,
    /// The text before `enum_map`, and the texts it knows.
    pub enum_input: Option<(String, Vec<String>)>,
    /// A column that is TRUE where a value could not be computed.
    pub failed: Option<String>,
    /// A column that is TRUE where digits were lost before it was computed.
    pub inexact: Option<String>,
}

/// Where a chain begins.
pub struct Start {
    pub expr: Expr,
    pub level: usize,
    pub reads: Vec<String>,
}

/// What the columns of a chain are named after.
#[derive(Debug, Clone, Copy)]
pub struct Label<'a> {
    pub field: &'a str,
    /// The chain makes an alias of the field's recipe.
    pub alias: Option<&'a str>,
}

impl Label<'_> {
    fn named(self, what: &str) -> String {
        match self.alias {
            None => helper(&format!("_{what}__"), self.field),
            Some(alias) => helper(&format!("_{what}_{alias}__"), self.field),
        }
    }

    pub fn text(self) -> String {
        self.named("text")
    }

    pub fn value(self) -> String {
        match self.alias {
            None => self.field.to_owned(),
            Some(_) => self.named("from"),
        }
    }
}

/// Defines the field's columns in `layers`. `raises` is for entities outside the quality system.
pub fn lower(
    field: &MappedField,
    start: impl Fn(&SourcePath) -> Start,
    raises: bool,
    layers: &mut Layers,
) -> Lowered {
    let path = match &field.from {
        Source::Path(path) => path,
        Source::Recipe(recipe) => return recipe::lower(field, recipe, start, raises, layers),
    };
    let label = Label {
        field: &field.field,
        alias: None,
    };
    let (lowered, _) = chain(label, &field.steps, start(path), raises, layers);
    layers.output(&field.field);
    if !raises {
        let mut shown: Vec<&String> = Vec::new();
        for (input, output) in &lowered.markers {
            shown.extend([input, output]);
        }
        shown.extend(lowered.enum_input.iter().map(|(input, _)| input));
        shown.extend(lowered.decimal_text.iter().map(|(text, _)| text));
        for name in shown {
            layers.output(name);
        }
    }
    lowered
}

/// Defines the columns of one chain; with the level of its value.
pub fn chain(
    label: Label<'_>,
    steps: &[Step],
    start: Start,
    raises: bool,
    layers: &mut Layers,
) -> (Lowered, usize) {
    let mut chain = Chain {
        label,
        layers,
        current: start.expr,
        level: start.level,
        reads: start.reads,
        named: 0,
        open: None,
        lowered: Lowered {
            markers: Vec::new(),
            decimal_text: None,
            enum_input: None,
            failed: None,
            inexact: None,
        },
        raises,
    };
    let mut steps = steps.iter().peekable();
    while let Some(step) = steps.next() {
        let zone = match (&step.op, steps.peek().map(|next| &next.op)) {
            (StepOp::ParseTs(_), Some(StepOp::ToUtc(zone))) => {
                steps.next();
                Some(zone.clone())
            }
            _ => None,
        };
        chain.step(step, zone);
    }
    chain.finish()
}

struct Chain<'a> {
    label: Label<'a>,
    layers: &'a mut Layers,
    current: Expr,
    level: usize,
    /// Columns that `current` reads.
    reads: Vec<String>,
    named: usize,
    /// The input of the first step that can fail, while no later step hides its NULL.
    open: Option<String>,
    lowered: Lowered,
    raises: bool,
}

impl Chain<'_> {
    fn step(&mut self, step: &Step, zone: Option<String>) {
        match &step.op {
            StepOp::Trim => self.call(Func::Trim),
            StepOp::Upper => self.call(Func::Upper),
            StepOp::Lower => self.call(Func::Lower),
            StepOp::Abs => {
                self.call(Func::Abs);
                self.keep(step.out);
            }
            StepOp::ToText => self.map(|value| Expr::ToText(value.into())),
            StepOp::StripPrefix(affix) => {
                self.name();
                let affix = affix.clone();
                self.map(|text| Expr::StripPrefix {
                    text: text.into(),
                    affix,
                });
            }
            StepOp::StripSuffix(affix) => {
                self.name();
                let affix = affix.clone();
                self.map(|text| Expr::StripSuffix {
                    text: text.into(),
                    affix,
                });
            }
            StepOp::Concat { before, after } => {
                let mut parts = vec![std::mem::replace(&mut self.current, Expr::NoNames)];
                if !before.is_empty() {
                    parts.insert(0, Expr::text(before));
                }
                if !after.is_empty() {
                    parts.push(Expr::text(after));
                }
                self.current = Expr::Call(Func::Concat, parts);
            }
            StepOp::Round(digits) => {
                let digits = i64::from(*digits);
                let out = step.out;
                self.map(|value| {
                    Expr::Cast(
                        Expr::Call(Func::Round, vec![value, Expr::int(digits)]).into(),
                        out,
                    )
                });
            }
            StepOp::Coalesce(value) => {
                self.close();
                let value = Expr::Literal(value.clone());
                self.map(|text| Expr::Call(Func::Coalesce, vec![text, value]));
                self.keep(step.out);
            }
            StepOp::NullIf(value) => {
                self.close();
                let value = Expr::Literal(value.clone());
                self.map(|text| Expr::Call(Func::NullIf, vec![text, value]));
            }
            StepOp::EnumMap(pairs) => {
                let input = self.name();
                self.lowered.enum_input =
                    Some((input, pairs.iter().map(|(from, _)| from.clone()).collect()));
                self.map(|text| enum_map(text, pairs));
            }
            StepOp::ToInt => self.parse(Accept::Int),
            StepOp::ToBool => self.parse(Accept::Bool),
            StepOp::ToDecimal => {
                let Type::Decimal(DecimalType { precision, scale }) = step.out else {
                    unreachable!("check gives ToDecimal a decimal result")
                };
                let input = self.failing();
                self.lowered.decimal_text = Some((input, scale));
                self.parse(Accept::Decimal { precision, scale });
            }
            StepOp::ParseDate(format) => self.parse(Accept::Date(format.clone())),
            StepOp::ParseTs(format) => {
                self.parse(Accept::Timestamp {
                    format: format.clone(),
                    zone,
                });
            }
            // Taken together with the `ParseTs` before it.
            StepOp::ToUtc(_) => {}
            StepOp::ToVariant => self.parse(Accept::Json),
            StepOp::SplitPart { delimiter, index } => {
                self.failing();
                let (delimiter, index) = (delimiter.clone(), *index);
                self.map(|text| Expr::Part {
                    text: text.into(),
                    delimiter,
                    index,
                });
            }
            StepOp::RegexExtract { regex, group } => {
                self.failing();
                let (regex, group) = (regex.clone(), *group);
                self.map(|text| Expr::Captured {
                    text: text.into(),
                    regex,
                    group,
                });
            }
            StepOp::JsonPath(path) => {
                self.failing();
                let path = path.clone();
                self.map(|document| Expr::JsonText {
                    document: document.into(),
                    path,
                });
            }
            StepOp::Multiply(by) => self.arithmetic(Operator::Multiply, by, step.out),
            StepOp::Divide(by) => self.arithmetic(Operator::Divide, by, step.out),
        }
    }

    fn call(&mut self, function: Func) {
        self.map(|value| Expr::Call(function, vec![value]));
    }

    /// A function of decimals is a decimal of any size on some engines.
    fn keep(&mut self, ty: Type) {
        match ty {
            Type::Decimal(_) => self.map(|value| Expr::Cast(value.into(), ty)),
            Type::String
            | Type::Int
            | Type::Bool
            | Type::Date
            | Type::Timestamp
            | Type::Variant => {}
        }
    }

    fn map(&mut self, with: impl FnOnce(Expr) -> Expr) {
        let current = std::mem::replace(&mut self.current, Expr::NoNames);
        self.current = with(current);
    }

    fn parse(&mut self, accept: Accept) {
        self.failing();
        self.map(|text| Expr::Parse(text.into(), accept));
    }

    fn arithmetic(&mut self, operator: Operator, by: &crate::sql::literal::Literal, out: Type) {
        self.failing();
        let by = Expr::Literal(by.clone());
        self.map(|value| {
            let result = Expr::Arithmetic(value.into(), operator, by.into());
            Expr::NullOnError(Expr::Cast(result.into(), out).into(), out)
        });
    }

    /// Gives the value so far a column of its own, so that it can be read more than once.
    fn name(&mut self) -> String {
        if let (Expr::Column(column), [only]) = (&self.current, self.reads.as_slice())
            && column.relation.is_none()
            && &column.name == only
        {
            return only.clone();
        }
        self.named += 1;
        let name = match self.named {
            1 => self.label.text(),
            n => self.label.named(&format!("step{n}")),
        };
        self.define(&name);
        name
    }

    fn define(&mut self, name: &str) {
        let reads: Vec<&str> = self.reads.iter().map(String::as_str).collect();
        let expr = std::mem::replace(&mut self.current, Expr::column(name));
        self.layers.define(name, expr, self.level, &reads);
        self.level += 1;
        self.reads = vec![name.to_owned()];
    }

    /// The step that comes can turn a value into NULL: remember what went in.
    fn failing(&mut self) -> String {
        let input = self.name();
        self.open.get_or_insert_with(|| input.clone());
        input
    }

    /// The step that comes hides a NULL or makes one on purpose: settle the marker before it.
    fn close(&mut self) {
        if let Some(input) = self.open.take() {
            let output = self.name();
            self.mark(input, output);
        }
    }

    fn mark(&mut self, input: String, output: String) {
        self.lowered.markers.push((input, output));
    }

    fn finish(mut self) -> (Lowered, usize) {
        if self.raises
            && let Some(input) = &self.open
        {
            let input = input.clone();
            let what = format!("assay: a value of {} cannot be converted", self.label.field);
            self.reads.push(input.clone());
            self.reads.dedup();
            self.map(|value| Expr::OrRaise {
                value: value.into(),
                input: Expr::column(&input).into(),
                what,
            });
        }
        let value = self.label.value();
        if let Some(input) = self.open.take() {
            self.mark(input, value.clone());
        }
        let level = self.level;
        self.define(&value);
        (self.lowered, level)
    }
}

fn enum_map(text: Expr, pairs: &[(String, String)]) -> Expr {
    let is = |from: &str| {
        text.clone()
            .compare(crate::sql::expr::Comparison::Equal, Expr::text(from))
    };
    let arms: Vec<(Expr, Expr)> = pairs
        .iter()
        .filter(|(from, to)| from != to)
        .map(|(from, to)| (is(from), Expr::text(to)))
        .collect();
    if arms.is_empty() {
        return text;
    }
    Expr::Case {
        arms,
        otherwise: Some(Box::new(text)),
    }
}
