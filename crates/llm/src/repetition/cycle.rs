//! Detects a block of lines or sentences that a text repeats, while the text arrives.
//!
//! A block is repeated if it occurs at least [`RepetitionLimits::occurrences`] times in a row with at least
//! [`RepetitionLimits::tokens`] tokens in total. Text that may belong to a repetition is undecided until then, so that
//! the repetitions can be removed. In tables and code blocks, where equal lines occur on purpose, the limits
//! are higher.

use std::collections::VecDeque;

use tarsy_domain::prose_tokens;

use super::unit::{ends, normalized, normalized_start};

/// Maximum number of lines or sentences of a block.
const MAX_BLOCK: usize = 24;
const FENCE: &str = "```";

/// From when on a repetition is one.
struct RepetitionLimits {
    occurrences: usize,
    tokens: u64,
}

// What follows a repetition is lost, so a few equal lines that are quoted from a log must pass.
const PROSE: RepetitionLimits = RepetitionLimits { occurrences: 6, tokens: 120 };
const STRUCTURED: RepetitionLimits = RepetitionLimits { occurrences: 24, tokens: 400 };

/// Minimum number of lines or sentences that are an answer by themselves, such as a list of calls.
const MIN_CONTENT: usize = 3;

/// A repetition at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RepeatedPart {
    /// Where the first repetition begins; the first occurrence ends there.
    pub(super) start: usize,
    /// Whether the text up to `start` is worth keeping: something precedes the first occurrence, or it is
    /// several lines or sentences itself.
    pub(super) has_content: bool,
    /// Whether the repetition begins inside a code block.
    pub(super) is_in_code: bool,
}

/// A line or sentence.
#[derive(Debug)]
struct TextUnit {
    normalized: String,
    start: usize,
}

/// The lines and sentences of a text so far. Positions are bytes of the text.
#[derive(Debug, Default)]
pub(super) struct CycleDetector {
    /// The last complete units, the newest last.
    units: VecDeque<TextUnit>,
    /// For each length of a block: the repetition that the text ends with.
    runs: [Run; MAX_BLOCK],
    /// The unit that is arriving.
    current: String,
    current_start: usize,
    /// Whether the unit that is arriving differs from all that it could repeat.
    is_new: bool,
    is_in_code: bool,
    length: usize,
}

/// Units that equal those of one block length before.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    units: usize,
    start: usize,
    has_content: bool,
    is_in_code: bool,
    tokens: u64,
    is_structured: bool,
}

impl CycleDetector {
    /// Adds text. Returns the repetition, if there is one.
    pub(super) fn push(&mut self, text: &str) -> Option<RepeatedPart> {
        for character in text.chars() {
            if ends(&self.current, character) {
                let repeated = self.end_unit();
                if repeated.is_some() {
                    return repeated;
                }
            }
            self.current.push(character);
            self.length += character.len_utf8();
        }
        None
    }

    /// Handles the end of the text. Returns the repetition, if there is one.
    pub(super) fn end(&mut self) -> Option<RepeatedPart> {
        self.end_unit()
    }

    /// Returns the position up to which the text is certainly no repetition.
    pub(super) fn decided(&mut self) -> usize {
        let current = if self.may_repeat() { self.current_start } else { self.length };
        self.pending().map_or(current, |part| part.start.min(current))
    }

    /// Returns the repetition that the text ends with, however short.
    pub(super) fn pending(&self) -> Option<RepeatedPart> {
        self.runs.iter().filter(|run| run.units > 0).min_by_key(|run| run.start).map(Run::part)
    }

    /// Returns whether the unit that is arriving may still become equal to an earlier one.
    fn may_repeat(&mut self) -> bool {
        if !self.is_new {
            let current = normalized_start(&self.current);
            self.is_new = !self.units.iter().any(|unit| unit.normalized.starts_with(&current));
        }
        !self.is_new
    }

    fn end_unit(&mut self) -> Option<RepeatedPart> {
        let unit = normalized(&self.current);
        if unit.is_empty() {
            return None;
        }
        let is_fence = self.current.trim_start().starts_with(FENCE);
        let is_structured = self.is_in_code || is_fence || self.current.trim_start().starts_with('|');
        let has_words = unit.chars().any(char::is_alphabetic);
        let tokens = if has_words { prose_tokens(&self.current) } else { 0 };
        let found = self.extend_runs(&unit, tokens, is_structured);
        self.is_in_code ^= is_fence;
        self.units.push_back(TextUnit { normalized: unit, start: self.current_start });
        if self.units.len() > MAX_BLOCK {
            self.units.pop_front();
        }
        self.current.clear();
        self.current_start = self.length;
        self.is_new = false;
        found
    }

    /// Extends or ends the run of every block length; returns one that exceeds the limits.
    fn extend_runs(&mut self, unit: &str, tokens: u64, is_structured: bool) -> Option<RepeatedPart> {
        let mut found = None;
        for (block, run) in (1..).zip(&mut self.runs) {
            let before = self.units.len().checked_sub(block).map(|before| &self.units[before]);
            let Some(before) = before.filter(|before| before.normalized == unit) else {
                *run = Run::default();
                continue;
            };
            if run.units == 0 {
                run.start = self.current_start;
                run.has_content = before.start > 0 || block >= MIN_CONTENT;
                run.is_in_code = self.is_in_code;
            }
            run.units += 1;
            run.tokens += tokens;
            run.is_structured |= is_structured;
            if found.is_none() && run.exceeds_limits(block) {
                found = Some(run.part());
            }
        }
        found
    }
}

impl Run {
    fn part(&self) -> RepeatedPart {
        let Self { start, has_content, is_in_code, .. } = *self;
        RepeatedPart { start, has_content, is_in_code }
    }

    fn exceeds_limits(&self, block: usize) -> bool {
        let limits = if self.is_structured { STRUCTURED } else { PROSE };
        let units = self.units as u64;
        // With the first occurrence, which is not part of the run.
        let tokens = self.tokens * (units + block as u64) / units.max(1);
        self.units >= block * (limits.occurrences - 1) && tokens >= limits.tokens
    }
}
