//! Chooses which pieces stay when not all can: trouble first, then the beginning and the end, then what is around trouble.

use std::fmt::Write;
use std::ops::Range;

use super::collapse::{Content, Piece};
use super::prune::Numbering;

/// What a gap may cost at most: the line that says it is there.
const GAP: usize = 60;
/// How many rows around trouble are wanted.
const AROUND: usize = 2;

/// The text of the pieces that stay, within a number of bytes, and how many rows are left out.
pub(super) fn choose(pieces: &[Piece<'_>], budget: usize, numbering: Numbering) -> (String, usize) {
    let mut choice = Choice::new(pieces, budget);
    if choice.all_fit() {
        choice.keep.fill(true);
    } else {
        choice.decide();
    }
    choice.write(numbering)
}

struct Choice<'a> {
    pieces: &'a [Piece<'a>],
    keep: Vec<bool>,
    /// Bytes that may still be used.
    left: usize,
}

impl<'a> Choice<'a> {
    fn new(pieces: &'a [Piece<'a>], budget: usize) -> Self {
        Self { pieces, keep: vec![false; pieces.len()], left: budget }
    }

    fn all_fit(&self) -> bool {
        self.pieces.iter().map(cost).sum::<usize>() <= self.left
    }

    fn decide(&mut self) {
        // Nothing is kept yet: the whole text is one gap.
        self.left = self.left.saturating_sub(GAP);
        let (all, total) = (0..self.pieces.len(), self.left);
        let trouble: Vec<usize> = all.clone().filter(|index| self.pieces[*index].trouble).collect();
        // Half for trouble: what came first is often the cause, what came last is how it is now.
        self.take(trouble.iter().copied(), total / 4);
        self.take(trouble.iter().rev().copied(), total / 4);
        self.take(all.clone(), total / 5);
        self.take(all.clone().rev(), total / 5);
        self.take_around(&trouble);
        self.take(all.clone(), self.left / 2);
        self.take(all.rev(), self.left);
    }

    /// Keeps pieces in this order as long as a share of the budget lasts; one at least, if there is room at all.
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

    /// What is left when one more piece is kept. It may split a gap in two, or be all of one; the ends of the text have
    /// no gap beyond them.
    fn left_without(&self, index: usize) -> Option<usize> {
        let kept_before = index == 0 || self.keep[index - 1];
        let kept_after = index + 1 == self.keep.len() || self.keep[index + 1];
        let cost = cost(&self.pieces[index]);
        match (kept_before, kept_after) {
            (true, true) => (self.left + GAP).checked_sub(cost),
            (true, false) | (false, true) => self.left.checked_sub(cost),
            (false, false) => self.left.checked_sub(cost + GAP),
        }
    }

    fn take_around(&mut self, trouble: &[usize]) {
        let near = |index: usize| Range { start: index.saturating_sub(AROUND), end: index + AROUND + 1 };
        let kept = trouble.iter().copied().filter(|index| self.keep[*index]);
        let count = self.pieces.len();
        let wanted: Vec<usize> = kept.flat_map(near).filter(|index| *index < count).collect();
        self.take(wanted.into_iter(), self.left / 2);
    }

    fn write(&self, numbering: Numbering) -> (String, usize) {
        let (mut text, mut left_out, mut gap) = (String::new(), 0, None);
        for (piece, keep) in self.pieces.iter().zip(&self.keep) {
            if *keep {
                write_gap(&mut text, gap.take(), numbering);
                write_piece(&mut text, piece);
            } else {
                left_out += piece.last - piece.first + 1;
                gap = Some((gap.map_or(piece.first, |(first, _)| first), piece.last));
            }
        }
        write_gap(&mut text, gap, numbering);
        text.pop();
        (text, left_out)
    }
}

/// The bytes of a piece with its line end.
fn cost(piece: &Piece<'_>) -> usize {
    match piece.content {
        Content::Row(row) => row.len() + 1,
        Content::Alike(_) => GAP,
    }
}

fn write_piece(text: &mut String, piece: &Piece<'_>) {
    // Writing to a String cannot fail.
    let _ = match piece.content {
        Content::Row(row) => writeln!(text, "{row}"),
        Content::Alike(count) => writeln!(text, "[{count} more lines like these]"),
    };
}

fn write_gap(text: &mut String, gap: Option<(usize, usize)>, numbering: Numbering) {
    let Some((first, last)) = gap else { return };
    let _ = match numbering {
        Numbering::Original => writeln!(text, "[lines {first} to {last} left out]"),
        Numbering::Own => writeln!(text, "[{} lines left out]", last - first + 1),
    };
}
