//! Chooses the row groups to keep within a budget: problems first, then the beginning and the end, then
//! context of problems.

use std::fmt::Write;
use std::ops::Range;

use super::collapse::{GroupContent, RowGroup};
use super::prune::Numbering;

/// Maximum size of the line that marks a gap, in bytes.
const GAP_BYTES: usize = 60;
/// Number of groups to keep on each side of a problem.
const CONTEXT: usize = 2;

/// Returns the text of the kept groups, within a number of bytes, and the number of omitted rows.
pub(super) fn choose(groups: &[RowGroup<'_>], budget: usize, numbering: Numbering) -> (String, usize) {
    let mut choice = Choice::new(groups, budget);
    if choice.all_fit() {
        choice.keep.fill(true);
    } else {
        choice.decide();
    }
    choice.write(numbering)
}

struct Choice<'a> {
    groups: &'a [RowGroup<'a>],
    keep: Vec<bool>,
    /// Remaining bytes of the budget.
    left: usize,
}

impl<'a> Choice<'a> {
    fn new(groups: &'a [RowGroup<'a>], budget: usize) -> Self {
        Self { groups, keep: vec![false; groups.len()], left: budget }
    }

    fn all_fit(&self) -> bool {
        self.groups.iter().map(cost).sum::<usize>() <= self.left
    }

    fn decide(&mut self) {
        // Nothing is kept yet, so the whole text is one gap.
        self.left = self.left.saturating_sub(GAP_BYTES);
        let (all, total) = (0..self.groups.len(), self.left);
        let problems: Vec<usize> = all.clone().filter(|index| self.groups[*index].problem).collect();
        // Half of the budget is for problems: the first is often the cause, the last shows the current state.
        self.take(problems.iter().copied(), total / 4);
        self.take(problems.iter().rev().copied(), total / 4);
        self.take(all.clone(), total / 5);
        self.take(all.clone().rev(), total / 5);
        self.take_context(&problems);
        self.take(all.clone(), self.left / 2);
        self.take(all.rev(), self.left);
    }

    /// Keeps groups in this order until a share of the budget is used; at least one if the budget allows it.
    fn take(&mut self, order: impl Iterator<Item = usize>, share: usize) {
        let floor = self.left.saturating_sub(share);
        let mut first = true;
        for index in order {
            if self.keep[index] {
                continue;
            }
            let left = self.left_without(index).filter(|left| first || *left >= floor);
            let Some(left) = left else { return };
            (self.left, first) = (left, false);
            self.keep[index] = true;
        }
    }

    /// Returns the remaining budget if one more group is kept. The group may split a gap in two or fill one;
    /// there is no gap beyond the ends of the text.
    fn left_without(&self, index: usize) -> Option<usize> {
        let kept_before = index == 0 || self.keep[index - 1];
        let kept_after = index + 1 == self.keep.len() || self.keep[index + 1];
        let cost = cost(&self.groups[index]);
        match (kept_before, kept_after) {
            (true, true) => (self.left + GAP_BYTES).checked_sub(cost),
            (true, false) | (false, true) => self.left.checked_sub(cost),
            (false, false) => self.left.checked_sub(cost + GAP_BYTES),
        }
    }

    fn take_context(&mut self, problems: &[usize]) {
        let near = |index: usize| Range { start: index.saturating_sub(CONTEXT), end: index + CONTEXT + 1 };
        let kept = problems.iter().copied().filter(|index| self.keep[*index]);
        let count = self.groups.len();
        let wanted: Vec<usize> = kept.flat_map(near).filter(|index| *index < count).collect();
        self.take(wanted.into_iter(), self.left / 2);
    }

    fn write(&self, numbering: Numbering) -> (String, usize) {
        let (mut text, mut left_out, mut gap) = (String::new(), 0, None);
        for (group, keep) in self.groups.iter().zip(&self.keep) {
            if *keep {
                write_gap(&mut text, gap.take(), numbering);
                write_group(&mut text, group);
            } else {
                left_out += group.last - group.first + 1;
                gap = Some((gap.map_or(group.first, |(first, _)| first), group.last));
            }
        }
        write_gap(&mut text, gap, numbering);
        text.pop();
        (text, left_out)
    }
}

/// Returns the size of a group with its line end.
fn cost(group: &RowGroup<'_>) -> usize {
    match group.content {
        GroupContent::Row(row) => row.len() + 1,
        GroupContent::Similar(_) => GAP_BYTES,
    }
}

fn write_group(text: &mut String, group: &RowGroup<'_>) {
    // Writing to a String cannot fail.
    let _ = match group.content {
        GroupContent::Row(row) => writeln!(text, "{row}"),
        GroupContent::Similar(count) => writeln!(text, "[{count} more lines like these]"),
    };
}

fn write_gap(text: &mut String, gap: Option<(usize, usize)>, numbering: Numbering) {
    let Some((first, last)) = gap else { return };
    let _ = match numbering {
        Numbering::Original => writeln!(text, "[lines {first} to {last} left out]"),
        Numbering::Own => writeln!(text, "[{} lines left out]", last - first + 1),
    };
}
