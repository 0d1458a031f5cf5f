//! Shortens a handover until it fits a number of tokens.
//!
//! In this order, and only as far as needed: the largest tool results are shortened evenly; the reasoning of
//! the agents is left out; the oldest tool results become one line each; the calls and these lines are left
//! out; the analyses are shortened. Each shortened text says so.

use tarsy_agent::{FormattedResults, Handover, ResultAccess, format_handover};
use tarsy_domain::{TimelineEventType, bytes_that_fit, prose_tokens, tokens_at_most};

use super::shorten::{adapt_note, shorten_analysis, shorten_result, stub_of};
use super::texts::{
    analyses_mut, entries, entries_mut, is_reasoning, is_result, result_sizes, results_by_age, retain,
};

/// Size below which a tool result is not shortened but left out.
const MIN_RESULT_TOKENS: usize = 160;
/// Size below which an analysis is not shortened.
const MIN_ANALYSIS_TOKENS: usize = 160;

/// Maximum size of the line that replaces a result.
const STUB_TOKENS: usize = 40;
/// Difference between the sum of rounded sizes and the rounded sum.
const ROUNDING: usize = 16;

type ShorteningStep = fn(&mut Handover, usize);

const SHORTENINGS: [ShorteningStep; 6] = [
    shorten_results,
    leave_out_reasoning,
    shorten_results,
    leave_out_oldest_results,
    leave_out_calls,
    shorten_analyses,
];

/// Formats a handover, shortened to a number of tokens if possible.
pub(crate) fn fit(mut handover: Handover, budget: usize) -> FormattedResults {
    adapt_notes(&mut handover);
    for shortening in SHORTENINGS {
        if size(&handover) <= budget {
            break;
        }
        shortening(&mut handover, budget);
    }
    format_handover(&handover)
}

/// Returns the number of tokens of the formatted text. Tool results count as dense text, the rest as prose.
fn size(handover: &Handover) -> usize {
    let text = format_handover(handover);
    let results: Vec<&str> =
        entries(handover).filter(|entry| is_result(entry)).map(|entry| &*entry.content).collect();
    let dense: usize = results.iter().map(|result| tokens_at_most(result)).sum();
    let all = usize::try_from(prose_tokens(text.as_str())).unwrap_or(usize::MAX);
    let counted: usize =
        results.iter().map(|result| usize::try_from(prose_tokens(result)).unwrap_or(0)).sum();
    all.saturating_sub(counted) + dense
}

/// Shortens the largest results evenly, unless too little would be left of each.
fn shorten_results(handover: &mut Handover, budget: usize) {
    let sizes = result_sizes(handover);
    let others = size(handover).saturating_sub(sizes.iter().sum());
    let limit = even_limit(&sizes, budget.saturating_sub(others + ROUNDING));
    if limit >= MIN_RESULT_TOKENS {
        limit_results(handover, limit);
    }
}

fn limit_results(handover: &mut Handover, limit: usize) {
    for entry in entries_mut(handover) {
        if let Some(result) = entry.result.as_ref().filter(|_| tokens_at_most(&entry.content) > limit) {
            entry.content = shorten_result(&entry.content, limit, result);
        }
    }
}

fn leave_out_reasoning(handover: &mut Handover, _: usize) {
    retain(handover, |entry| !is_reasoning(entry));
    note(handover, "The reasoning of the agents was left out.");
}

/// Replaces the oldest results by one line each, until the others can be shortened to fit.
fn leave_out_oldest_results(handover: &mut Handover, budget: usize) {
    let positions = results_by_age(&handover.trails);
    let sizes: Vec<usize> = positions.iter().map(|(_, size)| *size).collect();
    let others = size(handover).saturating_sub(sizes.iter().sum()) + ROUNDING;
    let room = |left_out: usize| budget.saturating_sub(others + left_out * STUB_TOKENS);
    let limits = (1..=sizes.len()).map(|left_out| (left_out, even_limit(&sizes[left_out..], room(left_out))));
    let enough = limits.into_iter().find(|(_, limit)| *limit >= MIN_RESULT_TOKENS);
    let (left_out, limit) = enough.unwrap_or((sizes.len(), usize::MAX));
    for (position, _) in positions.iter().take(left_out) {
        if let Some(entry) = position.entry_mut(&mut handover.trails)
            && let Some(stub) = entry.result.as_ref().map(stub_of)
            && stub.len() < entry.content.len()
        {
            entry.content = stub;
        }
    }
    limit_results(handover, limit);
}

/// Leaves out the tool calls and the lines of their results, and shortens the list of results.
fn leave_out_calls(handover: &mut Handover, budget: usize) {
    if handover.trails.iter().any(|stage| stage.agents.iter().any(|agent| !agent.trail.is_empty())) {
        retain(handover, |entry| !is_result(entry) && entry.event_type != TimelineEventType::ToolCall);
        note(handover, "All tool calls and their results were left out.");
    }
    while let ResultAccess::List(listed @ 1..) = handover.access {
        if size(handover) <= budget {
            return;
        }
        handover.access = ResultAccess::List(listed / 2);
    }
}

fn shorten_analyses(handover: &mut Handover, budget: usize) {
    let sizes: Vec<usize> = analyses_mut(handover).iter().map(|text| text.len()).collect();
    let total: usize = sizes.iter().sum();
    let all = format_handover(handover).as_str().len();
    // Seven bytes of prose have two tokens.
    let room = (budget / 2).saturating_mul(7).saturating_sub(all.saturating_sub(total));
    let limit = even_limit(&sizes, room).max(bytes_that_fit(MIN_ANALYSIS_TOKENS));
    for text in analyses_mut(handover) {
        if text.len() > limit {
            *text = shorten_analysis(text, tokens_of_bytes(limit));
        }
    }
}

/// Returns the number of tokens for which [`bytes_that_fit`] returns at most `bytes`.
fn tokens_of_bytes(bytes: usize) -> usize {
    bytes / bytes_that_fit(1).max(1)
}

/// Returns the largest limit for each size with which their sum is at most `total`.
fn even_limit(sizes: &[usize], total: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = total;
    for (index, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

fn adapt_notes(handover: &mut Handover) {
    let access = handover.access;
    for entry in entries_mut(handover) {
        if let Some(result) = &entry.result
            && let Some(adapted) = adapt_note(&entry.content, result, access)
        {
            entry.content = adapted;
        }
    }
}

fn note(handover: &mut Handover, sentence: &str) {
    handover.left_out = Some(match handover.left_out.take() {
        Some(before) => format!("{before} {sentence}"),
        None => sentence.to_owned(),
    });
}

#[cfg(test)]
mod tests;
