//! Collapses runs of similar rows into their first and last row and a count.

use super::problem::looks_like_problem;

/// Minimum length of a run that is collapsed.
const MIN_RUN: usize = 4;

/// One row, or a line that represents several.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowGroup<'a> {
    pub(super) content: GroupContent<'a>,
    /// Number of its first row.
    pub(super) first: usize,
    /// Number of its last row.
    pub(super) last: usize,
    /// Whether it looks like a problem.
    pub(super) problem: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum GroupContent<'a> {
    /// A single row.
    Row(&'a str),
    /// Number of collapsed rows, which are similar to their neighbors.
    Similar(usize),
}

/// Collapses runs of rows that are equal or differ only in numbers. The first and the last of a run are kept.
pub(super) fn collapse<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<RowGroup<'a>> {
    let mut groups = Vec::new();
    let mut run: Vec<&'a str> = Vec::new();
    let mut shape = String::new();
    let mut next_shape = String::new();
    let mut number = 0;
    for row in rows {
        shape_of(row, &mut next_shape);
        if !run.is_empty() && shape != next_shape {
            end_run(&mut groups, &mut run, &mut number);
        }
        std::mem::swap(&mut shape, &mut next_shape);
        run.push(row);
    }
    end_run(&mut groups, &mut run, &mut number);
    groups
}

fn end_run<'a>(groups: &mut Vec<RowGroup<'a>>, run: &mut Vec<&'a str>, number: &mut usize) {
    let mut push = |content, rows: usize, problem| {
        groups.push(RowGroup { content, first: *number + 1, last: *number + rows, problem });
        *number += rows;
    };
    match run.as_slice() {
        [first, between @ .., last] if between.len() + 2 >= MIN_RUN && !first.is_empty() => {
            let problem = looks_like_problem(first);
            push(GroupContent::Row(first), 1, problem);
            push(GroupContent::Similar(between.len()), between.len(), problem);
            push(GroupContent::Row(last), 1, problem);
        }
        // One of several empty rows is enough.
        [first, rest @ ..] if first.is_empty() => push(GroupContent::Row(first), 1 + rest.len(), false),
        rows => rows.iter().for_each(|row| push(GroupContent::Row(row), 1, looks_like_problem(row))),
    }
    run.clear();
}

/// Replaces the numbers of a row: digits, and the letters of hexadecimal numbers that start with a digit.
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
        let groups = collapse(text.lines());
        let lines = groups.iter().map(|group| match group.content {
            GroupContent::Row(row) => format!("{}-{} {row}", group.first, group.last),
            GroupContent::Similar(count) => format!("{}-{} ({count})", group.first, group.last),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn counts_rows_that_differ_only_in_numbers() {
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
    fn keeps_short_runs_and_merges_empty_rows() {
        insta::assert_snapshot!(collapsed("a\na\na\n\n\n\n\nb"), @r"
        1-1 a
        2-2 a
        3-3 a
        4-7 
        8-8 b
        ");
    }
}
