//! SQL as it is spelled: the syntax tree that a dialect makes of an `Expr` and `print` lays out.
//! It knows precedence and quoting, not meaning.

use std::borrow::Cow;

/// How tightly a piece binds, loosest first; an operand that binds looser than its place is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Or,
    And,
    Not,
    Comparison,
    /// `||`, `&`, `->`: looser than `+` on every engine we write for.
    Operator,
    Sum,
    Product,
    Unary,
    Postfix,
    Primary,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sql {
    /// A keyword or a number, printed as it stands.
    Word(Cow<'static, str>),
    /// A text literal.
    Text(String),
    /// A dotted name, every part quoted where it needs to be.
    Name(Vec<String>),
    Call(&'static str, Vec<Sql>),
    /// A call of key–value pairs, a pair a line when it is long.
    CallPairs(&'static str, Vec<(Sql, Sql)>),
    Cast(Box<Sql>, String),
    TryCast(Box<Sql>, String),
    Case {
        arms: Vec<(Sql, Sql)>,
        otherwise: Option<Box<Sql>>,
    },
    /// Two or more operands of one operator.
    Chain {
        level: Level,
        operator: &'static str,
        operands: Vec<Sql>,
    },
    Not(Box<Sql>),
    IsNull(Box<Sql>),
    IsNotNull(Box<Sql>),
    In {
        value: Box<Sql>,
        list: Vec<Sql>,
        negated: bool,
    },
    Between {
        value: Box<Sql>,
        low: Box<Sql>,
        high: Box<Sql>,
        negated: bool,
    },
    Like {
        value: Box<Sql>,
        pattern: Box<Sql>,
        negated: bool,
    },
    Negate(Box<Sql>),
    /// The keyword in front of the brackets, if any, and the items.
    Array(&'static str, Vec<Sql>),
    /// In parentheses although its level asks for none.
    Parenthesised(Box<Sql>),
    /// 1-based.
    Item(Box<Sql>, u32),
    Member(Box<Sql>, String),
    Lambda(&'static str, Box<Sql>),
    AtTimeZone(Box<Sql>, String),
    Collate(Box<Sql>, &'static str),
    /// Navigation inside JSON: operators with their operands, after the document.
    Arrows(Box<Sql>, Vec<(&'static str, Sql)>),
    Interval(i64, &'static str),
    Extract(&'static str, Box<Sql>),
    /// `SUBSTRING(text FROM n FOR n)`, 1-based.
    Substring {
        text: Box<Sql>,
        from: Box<Sql>,
        length: Option<Box<Sql>>,
    },
    RowNumber {
        partition: Vec<Sql>,
        newest_first: Vec<Sql>,
        /// The engine does so without being told.
        puts_nulls_last: bool,
    },
    CountDistinctOver {
        value: Box<Sql>,
        partition: Vec<Sql>,
    },
    CountOver {
        partition: Vec<Sql>,
    },
}

impl Sql {
    #[must_use]
    pub fn word(word: impl Into<Cow<'static, str>>) -> Self {
        Self::Word(word.into())
    }

    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    #[must_use]
    pub fn cast(self, ty: &str) -> Self {
        Self::Cast(Box::new(self), ty.to_owned())
    }

    #[must_use]
    pub fn try_cast(self, ty: &str) -> Self {
        Self::TryCast(Box::new(self), ty.to_owned())
    }

    #[must_use]
    pub fn chain(level: Level, operator: &'static str, operands: Vec<Self>) -> Self {
        Self::Chain {
            level,
            operator,
            operands,
        }
    }

    /// `[a, b]`
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        Self::Array("", items)
    }

    #[must_use]
    pub fn concat(operands: Vec<Self>) -> Self {
        Self::chain(Level::Operator, "||", operands)
    }

    #[must_use]
    pub fn compare(self, operator: &'static str, right: Self) -> Self {
        Self::chain(Level::Comparison, operator, vec![self, right])
    }

    /// `CASE WHEN condition THEN value END`
    #[must_use]
    pub fn when(condition: Self, value: Self) -> Self {
        Self::Case {
            arms: vec![(condition, value)],
            otherwise: None,
        }
    }
}
