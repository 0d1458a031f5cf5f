//! Runs of rows that say the same become one row and a count.

use super::trouble::looks_like_trouble;

/// A run is collapsed if it is at least this long.
const SHORTEST_RUN: usize = 4;

/// One row, or what stands for several.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) content: Content<'a>,
    /// The number of its first row.
    pub(super) first: usize,
    /// The number of its last row.
    pub(super) last: usize,
    /// Whether it looks like trouble.
    pub(super) trouble: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// A row as it is.
    Row(&'a str),
    /// So many rows like the ones around it.
    Alike(usize),
}

/// Collapses runs of rows that are equal, or differ in nothing but numbers. The first and the last of a run stay.
pub(super) fn collapse<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut run: Vec<&'a str> = Vec::new();
    let mut shape = String::new();
    let mut next_shape = String::new();
    let mut number = 0;
    for row in rows {
        shape_of(row, &mut next_shape);
        if !run.is_empty() && shape != next_shape {
            end_run(&mut pieces, &mut run, &mut number);
        }
        std::mem::swap(&mut shape, &mut next_shape);
        run.push(row);
    }
    end_run(&mut pieces, &mut run, &mut number);
    pieces
}

fn end_run<'a>(pieces: &mut Vec<Piece<'a>>, run: &mut Vec<&'a str>, number: &mut usize) {
    let mut push = |content, rows: usize, trouble| {
        pieces.push(Piece { content, first: *number + 1, last: *number + rows, trouble });
        *number += rows;
    };
    match run.as_slice() {
        [first, between @ .., last] if between.len() + 2 >= SHORTEST_RUN && !first.is_empty() => {
            let trouble = looks_like_trouble(first);
            push(Content::Row(first), 1, trouble);
            push(Content::Alike(between.len()), between.len(), trouble);
            push(Content::Row(last), 1, trouble);
        }
        // Empty rows, of which one is enough.
        [first, rest @ ..] if first.is_empty() => push(Content::Row(first), 1 + rest.len(), false),
        rows => rows.iter().for_each(|row| push(Content::Row(row), 1, looks_like_trouble(row))),
    }
    run.clear();
}

/// A row without its numbers: digits, and the letters of hexadecimal numbers that begin with a digit.
fn shape_of(row: &str, shape: &mut String) {
    shape.clear();
    let mut in_number = false;
    for c in row.chars() {
        in_number = c.is_ascii_digit() || (in_number && c.is_ascii_hexdigit());
        if !in_number {
            shape.push(c);
        } else if !shape.ends_with('#') {
            shape.push('#');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(text: &str) -> String {
        let pieces = collapse(text.lines());
        let lines = pieces.iter().map(|piece| match piece.content {
            Content::Row(row) => format!("{}-{} {row}", piece.first, piece.last),
            Content::Alike(count) => format!("{}-{} ({count})", piece.first, piece.last),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rows_that_differ_in_numbers_alone_are_counted() {
        insta::assert_snapshot!(
            collapsed("start\n10:01 GET /7f3a 200\n10:02 GET /11 200\n10:03 GET /9 200\n10:04 GET /1 200\nend"),
            @r"
        1-1 start
        2-2 10:01 GET /7f3a 200
        3-4 (2)
        5-5 10:04 GET /1 200
        6-6 end
        ");
    }

    #[test]
    fn short_runs_stay_and_empty_rows_become_one() {
        insta::assert_snapshot!(collapsed("a\na\na\n\n\n\n\nb"), @r"
        1-1 a
        2-2 a
        3-3 a
        4-7 
        8-8 b
        ");
    }
}
