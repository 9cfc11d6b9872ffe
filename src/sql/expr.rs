//! The closed expression tree. Every variant has one meaning on every engine; how a dialect spells
//! it is `print` with the dialect's constant.

use super::literal::Literal;
use super::regex::Regex;
use super::types::Type;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    Column(Column),
    Literal(Literal),
    /// A function that authors may call, and a few that only we do.
    Call(Func, Vec<Expr>),
    Compare(Box<Expr>, Comparison, Box<Expr>),
    /// Two or more operands.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    IsNull(Box<Expr>),
    IsNotNull(Box<Expr>),
    /// Two values are not the same, where NULL is the same as NULL; never UNKNOWN.
    Differs(Box<Expr>, Box<Expr>),
    /// `value [NOT] IN (list)`; the list is never empty.
    In {
        value: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    Between {
        value: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        negated: bool,
    },
    /// SQL LIKE with `%` and `_`, no escape character.
    Like {
        value: Box<Expr>,
        pattern: String,
        negated: bool,
    },
    Case {
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Arithmetic(Box<Expr>, Operator, Box<Expr>),
    Negate(Box<Expr>),
    /// A cast that an author wrote between two of our types; it may raise, as SQL does.
    Cast(Box<Expr>, Type),
    /// `value + n unit`, n may be negative.
    AddInterval {
        value: Box<Expr>,
        amount: i64,
        unit: Unit,
    },
    Extract(Part, Box<Expr>),
    /// The date on which the period of a timestamp begins.
    StartOf(Period, Box<Expr>),
    /// A row for every day from one timestamp to another, both included; as the only item of a SELECT.
    EachDay(Box<Expr>, Box<Expr>),
    /// Any value as text; text stays as it is.
    ToText(Box<Expr>),
    /// Text to a type by the accept set of the semantics: NULL for any other text. Never raises.
    Parse(Box<Expr>, Accept),
    /// True when a decimal text that `Parse` accepts carries non-zero digits beyond `scale`.
    LosesDigits {
        text: Box<Expr>,
        scale: u8,
    },
    /// The regex matches (its anchors decide where). UNKNOWN for NULL.
    Matches(Box<Expr>, Regex),
    /// A numbered group of the first match; NULL without a match.
    Captured {
        text: Box<Expr>,
        regex: Regex,
        group: u8,
    },
    /// The n-th (1-based) part of a text split at a delimiter; NULL where there is no such part.
    Part {
        text: Box<Expr>,
        delimiter: String,
        index: u32,
    },
    /// `text` without `affix` at its start (end), unchanged where it does not stand there.
    StripPrefix {
        text: Box<Expr>,
        affix: String,
    },
    StripSuffix {
        text: Box<Expr>,
        affix: String,
    },
    /// One value of a JSON text as text; NULL when the document is malformed or has no such path.
    JsonText {
        document: Box<Expr>,
        path: Vec<Segment>,
    },
    /// The text in Unicode NFC.
    Nfc(Box<Expr>),
    /// The text has a code point inside (or, negated, outside) the inclusive ranges.
    HasCodePoint {
        text: Box<Expr>,
        ranges: Vec<(u32, u32)>,
        outside: bool,
    },
    /// Number arithmetic of this type that may overflow it: NULL instead of an error.
    NullOnError(Box<Expr>, Type),
    /// `value`, or an error that names `what` when a non-NULL `input` became NULL: entities outside
    /// the quality system produce or raise.
    OrRaise {
        value: Box<Expr>,
        input: Box<Expr>,
        what: String,
    },
    /// A JSON document parsed once, so that `JsonMember` reads its paths; NULL when malformed.
    /// Numbers keep their digits.
    JsonDocument {
        text: Box<Expr>,
        paths: Vec<Vec<Segment>>,
    },
    /// The text at `path` of a column that holds a `JsonDocument` made with `paths`.
    JsonMember {
        document: Box<Expr>,
        paths: Vec<Vec<Segment>>,
        path: Vec<Segment>,
    },
    /// A JSON object of texts, in the order given; NULL values stay as `null`.
    JsonObject(Vec<(String, Expr)>),
    /// A JSON text without the members at `paths`; NULL when it is malformed.
    Redacted {
        document: Box<Expr>,
        paths: Vec<Vec<Segment>>,
    },
    /// The sum of the bits whose condition is TRUE.
    Mask(Vec<(Expr, i64)>),
    HasBit {
        mask: Box<Expr>,
        bit: i64,
    },
    /// The names whose condition is TRUE, in the order given; never NULL.
    Names(Vec<(Expr, String)>),
    NoNames,
    /// Lower-case hex SHA-256 of text parts, each prefixed by its length in characters.
    Digest {
        constant: String,
        text: Box<Expr>,
    },
    /// `ROW_NUMBER()` with the newest row first: every key descending, NULLs last.
    NewestFirst {
        partition: Vec<Expr>,
        order: Vec<Expr>,
    },
    CountDistinctOver {
        value: Box<Expr>,
        partition: Vec<Expr>,
    },
    CountOver {
        partition: Vec<Expr>,
    },
    /// Over the rows of a group; NULLs do not count.
    Aggregate(Aggregate, Box<Expr>),
    /// The integer part of an exact number by a count; NULL where the count is 0.
    Quotient(Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aggregate {
    Sum,
    Count,
    Min,
    Max,
}

/// A column by exact name, quoted when printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// A relation alias; `None` where only one relation is in scope.
    pub relation: Option<String>,
    pub name: String,
}

/// One step of navigation inside a JSON document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    Key(String),
    /// 0-based.
    Index(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// `Divide` and `Modulo` give NULL for a zero divisor on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Month,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    /// The year that the ISO week belongs to.
    IsoYear,
    /// 1 to 53.
    IsoWeek,
    /// 1 is Monday.
    IsoWeekday,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    Day,
    /// Of ISO: it begins on a Monday.
    Week,
    Month,
    Quarter,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Func {
    Trim,
    Upper,
    Lower,
    /// Characters (code points).
    Length,
    Abs,
    /// One argument, or a value and a literal number of digits; half away from zero.
    Round,
    Coalesce,
    NullIf,
    /// 1-based start, optional length.
    Substring,
    /// NULL arguments are ignored, on every engine.
    Greatest,
    Least,
    /// NULL when any argument is NULL.
    Concat,
}

/// What text a guarded conversion takes (semantics, section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accept {
    Int,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Bool,
    Date(DateFormat),
    /// A naive value is UTC, or local time of `zone` (an IANA name).
    Timestamp {
        format: DateFormat,
        zone: Option<String>,
    },
    /// Well-formed JSON.
    Json,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateFormat {
    /// The ISO shapes of the semantics.
    Iso,
    /// A strptime pattern, checked to use portable directives only.
    Strptime(Vec<Directive>),
}

/// One piece of a strptime pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// `%Y`, four digits.
    Year4,
    /// `%y`, two digits: 69–99 are 19xx, 00–68 are 20xx.
    Year2,
    /// `%m`, two digits.
    Month,
    /// `%b`, `Jan` … `Dec` in English.
    MonthName,
    /// `%B`, `January` … `December`.
    MonthFullName,
    /// `%d`, two digits.
    Day,
    /// `%H`, two digits, 00–23.
    Hour24,
    /// `%I`, two digits, 01–12.
    Hour12,
    /// `%p`, `AM` or `PM`.
    AmPm,
    /// `%M`, two digits.
    Minute,
    /// `%S`, two digits, 00–59.
    Second,
    /// `%f`, one to six digits.
    Fraction,
    /// `%z`, `Z` or `±HH[:?MM]`.
    Offset,
    /// Any other text, as it stands.
    Text(String),
}

impl Expr {
    #[must_use]
    pub fn column(name: &str) -> Self {
        Self::Column(Column {
            relation: None,
            name: name.to_owned(),
        })
    }

    #[must_use]
    pub fn qualified(relation: &str, name: &str) -> Self {
        Self::Column(Column {
            relation: Some(relation.to_owned()),
            name: name.to_owned(),
        })
    }

    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Literal(Literal::Text(text.to_owned()))
    }

    #[must_use]
    pub fn int(value: i64) -> Self {
        Self::Literal(Literal::Int(value))
    }

    #[must_use]
    pub fn is_null(self) -> Self {
        Self::IsNull(Box::new(self))
    }

    #[must_use]
    pub fn is_not_null(self) -> Self {
        Self::IsNotNull(Box::new(self))
    }

    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "reads like the other predicates, and `!` would not"
    )]
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    #[must_use]
    pub fn null(ty: Type) -> Self {
        Self::Literal(Literal::Null(ty))
    }

    /// One operand as it is, more joined by AND; none at all is TRUE.
    #[must_use]
    pub fn all(mut operands: Vec<Self>) -> Self {
        match operands.len() {
            0 => Self::Literal(Literal::Bool(true)),
            1 => operands.remove(0),
            _ => Self::And(operands),
        }
    }

    /// One operand as it is, more joined by OR; none at all is FALSE.
    #[must_use]
    pub fn any(mut operands: Vec<Self>) -> Self {
        match operands.len() {
            0 => Self::Literal(Literal::Bool(false)),
            1 => operands.remove(0),
            _ => Self::Or(operands),
        }
    }

    #[must_use]
    pub fn compare(self, comparison: Comparison, right: Self) -> Self {
        Self::Compare(Box::new(self), comparison, Box::new(right))
    }
}
