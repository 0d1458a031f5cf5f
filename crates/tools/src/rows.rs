//! A text as numbered rows.
//!
//! A row is a line, or a piece of a line that is too long to be shown at once. What is left out of a result and what is
//! read from it later are counted in the same rows, so one can be asked for by the other.

/// The longest row in bytes.
pub(crate) const LONGEST_ROW: usize = 1000;

/// The rows of a text. Row 1 is the first.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(Pieces::of)
}

/// The pieces of a line; an empty line is one empty piece.
struct Pieces<'a>(Option<&'a str>);

impl<'a> Pieces<'a> {
    fn of(line: &'a str) -> Self {
        Self(Some(line))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let line = self.0.take()?;
        let (piece, rest) = line.split_at(line.floor_char_boundary(LONGEST_ROW));
        self.0 = (!rest.is_empty()).then_some(rest);
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_several_rows_and_nothing_is_lost() {
        let long = "ü".repeat(LONGEST_ROW);
        let text = format!("a\n\n{long}\nb");
        let found: Vec<_> = rows(&text).collect();
        assert_eq!(found.len(), 5);
        assert_eq!(found[2..4].concat(), long);
        assert_eq!((found[0], found[1], found[4]), ("a", "", "b"));
        assert_eq!(rows("").count(), 0);
    }
}
