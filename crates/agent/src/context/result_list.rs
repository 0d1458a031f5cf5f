//! The list of tool results that a reader can read with `read_result`.

use tarsy_domain::{READ_RESULT, ToolStatus};

use super::handover::{Handover, ResultAccess};
use super::sections::SectionWriter;
use super::{CollectedResult, StageResult, TrailEntry};
use crate::escape::short_line;

/// Maximum number of characters of the arguments of one call.
const MAX_ARGUMENTS: usize = 120;

/// Returns the tool results of stages that contain data, each with its step. Failed calls have none, and
/// `read_result` only repeats another result.
pub fn collected_results<'a>(
    stages: impl IntoIterator<Item = &'a StageResult>,
) -> impl Iterator<Item = (&'a TrailEntry, &'a CollectedResult)> {
    let agents = stages.into_iter().flat_map(|stage| &stage.agents);
    agents.flat_map(|agent| &agent.trail).filter_map(|entry| {
        let has_data = entry.status == Some(ToolStatus::Ok) && entry.tool.as_deref() != Some(READ_RESULT);
        Some((entry, entry.result.as_ref()?)).filter(|_| has_data)
    })
}

/// Writes the list, if the reader can read a result. Results in trails are not listed: they are shown there
/// with their ids.
pub(super) fn write(text: &mut SectionWriter, handover: &Handover) {
    let ResultAccess::List(limit) = handover.access else { return };
    if collected_results(handover.stages()).next().is_none() {
        return;
    }
    let listed: Vec<String> =
        collected_results(&handover.analyses).map(|(entry, result)| line(entry, result)).collect();
    let left_out = listed.len().saturating_sub(limit);
    text.section("TOOL RESULTS", "collected by earlier agents", |text| {
        text.line(
            "To read one",
            &format!("call {READ_RESULT} with its id; do not repeat the call that it comes from"),
        );
        if left_out > 0 {
            text.line("Not listed", &format!("the first {left_out} of {} results", listed.len()));
        }
        for line in &listed[left_out..] {
            text.item(line);
        }
    });
}

fn line(entry: &TrailEntry, result: &CollectedResult) -> String {
    let tool = short_line(entry.tool.as_deref().unwrap_or_default(), MAX_ARGUMENTS);
    let arguments = short_line(&result.arguments, MAX_ARGUMENTS);
    format!("{}: {tool} {arguments}, {} bytes", result.id, result.bytes)
}
