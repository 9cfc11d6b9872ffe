//! Columns that build on each other, laid out as a few SELECTs over one another: each column is
//! computed once, in the first SELECT where what it reads is there, and carried as far as it is read.

use crate::sql::expr::Expr;

/// One SELECT: its columns in order, read from the layer before it (the first from bronze).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub columns: Vec<(Expr, String)>,
}

#[derive(Debug, Default)]
pub struct Layers {
    definitions: Vec<Definition>,
}

#[derive(Debug)]
struct Definition {
    name: String,
    expr: Expr,
    level: usize,
    /// Names defined on lower levels that `expr` reads.
    reads: Vec<String>,
    is_output: bool,
}

impl Layers {
    /// A column of level 0 reads bronze; one of level n reads columns of levels below n by name.
    pub fn define(&mut self, name: &str, expr: Expr, level: usize, reads: &[&str]) {
        self.definitions.push(Definition {
            name: name.to_owned(),
            expr,
            level,
            reads: reads.iter().map(|name| (*name).to_owned()).collect(),
            is_output: false,
        });
    }

    /// Marks a column as one that the last layer shows.
    pub fn output(&mut self, name: &str) {
        for definition in &mut self.definitions {
            if definition.name == name {
                definition.is_output = true;
            }
        }
    }

    /// The layers, and the names of the last one's columns.
    #[must_use]
    pub fn finish(&self) -> Vec<Layer> {
        let last = self.definitions.iter().map(|d| d.level).max().unwrap_or(0);
        (0..=last).map(|level| self.layer(level, last)).collect()
    }

    fn layer(&self, level: usize, last: usize) -> Layer {
        let mut columns = Vec::new();
        for definition in &self.definitions {
            if definition.level > level || self.last_use(definition, last) < level {
                continue;
            }
            let expr = if definition.level == level {
                definition.expr.clone()
            } else {
                Expr::column(&definition.name)
            };
            columns.push((expr, definition.name.clone()));
        }
        Layer { columns }
    }

    /// The highest level whose SELECT has to show the column.
    fn last_use(&self, definition: &Definition, last: usize) -> usize {
        if definition.is_output {
            return last;
        }
        self.definitions
            .iter()
            .filter(|reader| reader.reads.contains(&definition.name))
            .map(|reader| reader.level.saturating_sub(1))
            .max()
            .unwrap_or(definition.level)
    }
}
