//! The seven types of the spec language.

use std::fmt;

/// At most 38 digits in all, `scale` of them behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecimalType {
    pub precision: u8,
    pub scale: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    String,
    Int,
    Bool,
    Date,
    /// Zoneless, UTC, microseconds.
    Timestamp,
    /// JSON, kept as delivered.
    Variant,
    Decimal(DecimalType),
}

impl Type {
    /// As written in a spec: `string`, `decimal(9,3)`.
    #[must_use]
    pub fn spec_name(self) -> String {
        self.to_string()
    }

    #[must_use]
    pub fn is_number(self) -> bool {
        match self {
            Self::Int | Self::Decimal(_) => true,
            Self::String | Self::Bool | Self::Date | Self::Timestamp | Self::Variant => false,
        }
    }

    #[must_use]
    pub fn is_time(self) -> bool {
        match self {
            Self::Date | Self::Timestamp => true,
            Self::String | Self::Int | Self::Bool | Self::Variant | Self::Decimal(_) => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Int => f.write_str("int"),
            Self::Bool => f.write_str("bool"),
            Self::Date => f.write_str("date"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Variant => f.write_str("variant"),
            Self::Decimal(DecimalType { precision, scale }) => {
                write!(f, "decimal({precision},{scale})")
            }
        }
    }
}
