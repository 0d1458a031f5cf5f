//! Splits a text into numbered rows.
//!
//! A row is a line, or a part of a long line. `reduce` and `read_page` number the same rows, so that an agent
//! can request the rows that were omitted.

/// Maximum length of a row, in bytes.
pub(crate) const MAX_ROW_BYTES: usize = 1000;

/// Returns the rows of a text. The first one has number 1.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(LineRows::of)
}

/// The rows of one line; an empty line is one empty row.
struct LineRows<'a>(Option<&'a str>);

impl<'a> LineRows<'a> {
    fn of(line: &'a str) -> Self {
        Self(Some(line))
    }
}

impl<'a> Iterator for LineRows<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let line = self.0.take()?;
        let (row, rest) = line.split_at(line.floor_char_boundary(MAX_ROW_BYTES));
        self.0 = (!rest.is_empty()).then_some(rest);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_long_lines_without_losing_anything() {
        let long = "ü".repeat(MAX_ROW_BYTES);
        let text = format!("a\n\n{long}\nb");
        let found: Vec<_> = rows(&text).collect();
        assert_eq!(found.len(), 5);
        assert_eq!(found[2..4].concat(), long);
        assert_eq!((found[0], found[1], found[4]), ("a", "", "b"));
        assert_eq!(rows("").count(), 0);
    }
}
