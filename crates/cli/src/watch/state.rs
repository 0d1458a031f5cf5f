//! The state of a watched session: folds stream messages and decides which lines to print. Pure.

use std::collections::BTreeMap;

use tarsy_domain::{
    ChannelMessage, CompletedEntryData, ExecutionId, ExecutionStatusData, LivePart, StageId, StageStatusData,
    StreamChunkData, TimelineEventType, WorkStatus,
};

use super::line::{AgentLabel, EntryKind, WatchLine};
use super::report::{count, duration};
use crate::client::{ExecutionView, SessionView, StageView};

/// The length of the kept end of a streamed text; longer than a terminal line.
const TAIL_BYTES: usize = 2_000;

/// The state of a watched session.
pub(super) struct WatchState {
    session: SessionView,
    /// The active stage.
    stage: Option<StageId>,
    /// The activity of each active execution.
    activities: BTreeMap<ExecutionId, String>,
    /// The number of tool calls of the active stage.
    calls: u64,
}

/// An active agent.
pub(super) struct ActiveAgent<'a> {
    pub(super) execution_id: ExecutionId,
    pub(super) name: &'a str,
    /// The end of the text that it writes, or its tool call.
    pub(super) activity: &'a str,
}

impl WatchState {
    pub(super) fn new(session: SessionView) -> Self {
        Self { session, stage: None, activities: BTreeMap::new(), calls: 0 }
    }

    /// Returns the first line.
    pub(super) fn header(&self) -> WatchLine {
        let row = &self.session.row;
        WatchLine::Header(format!("{}: chain {}, session {}", row.alert_type, row.chain_id, row.session_id))
    }

    /// Returns whether the session must be fetched again before the message is applied: it refers to an unknown stage or
    /// execution, or a stage has ended and its duration is needed.
    pub(super) fn needs_refresh(&self, message: &ChannelMessage) -> bool {
        match message {
            ChannelMessage::ExecutionStatus(changed) => self.execution(changed.data.execution_id).is_none(),
            ChannelMessage::TimelineEventCompleted(completed) => {
                completed.data.entry.execution_id.is_some_and(|id| self.execution(id).is_none())
            }
            ChannelMessage::StageStatus(changed) => {
                changed.data.status.is_terminal() || self.stage_view(changed.data.stage_id).is_none()
            }
            ChannelMessage::SessionStatus(_)
            | ChannelMessage::SessionProgress(_)
            | ChannelMessage::InteractionCreated(_)
            | ChannelMessage::ChatMessage(_)
            | ChannelMessage::StreamChunk(_)
            | ChannelMessage::StreamEnded(_)
            | ChannelMessage::Gap(_) => false,
        }
    }

    /// Replaces the session.
    pub(super) fn refresh(&mut self, session: SessionView) {
        self.session = session;
    }

    /// Applies a message and returns the line to print.
    pub(super) fn apply(&mut self, message: &ChannelMessage) -> Option<WatchLine> {
        match message {
            ChannelMessage::StageStatus(changed) => self.stage_changed(&changed.data),
            ChannelMessage::ExecutionStatus(changed) => self.execution_changed(&changed.data),
            ChannelMessage::TimelineEventCompleted(completed) => self.entry(&completed.data),
            ChannelMessage::StreamChunk(chunk) => {
                self.append(&chunk.data);
                self.waiting(&chunk.data)
            }
            ChannelMessage::SessionStatus(_)
            | ChannelMessage::SessionProgress(_)
            | ChannelMessage::InteractionCreated(_)
            | ChannelMessage::ChatMessage(_)
            | ChannelMessage::StreamEnded(_)
            | ChannelMessage::Gap(_) => None,
        }
    }

    /// Describes the active stage.
    pub(super) fn progress(&self) -> Option<String> {
        let stage = self.stage_view(self.stage?)?;
        let calls = count(self.calls, "tool call");
        Some(format!("{} ({}), {calls}", stage.name, self.number_of(stage)))
    }

    /// Returns the active agents.
    pub(super) fn active_agents(&self) -> impl Iterator<Item = ActiveAgent<'_>> {
        self.activities.iter().filter_map(|(execution_id, activity)| {
            let name = &self.execution(*execution_id)?.agent_name;
            Some(ActiveAgent { execution_id: *execution_id, name, activity })
        })
    }

    fn stage_changed(&mut self, changed: &StageStatusData) -> Option<WatchLine> {
        let stage = self.stage_view(changed.stage_id)?;
        let name = stage.name.clone();
        if changed.status == WorkStatus::Active {
            let details = format!("({}): {}", self.number_of(stage), stage.agents.join(", "));
            (self.stage, self.calls) = (Some(changed.stage_id), 0);
            return Some(WatchLine::StageStarted { stage: name, details });
        }
        if !changed.status.is_terminal() {
            return None;
        }
        let took = stage.duration_ms.map(|ms| format!(" after {}", duration(ms))).unwrap_or_default();
        let error = stage.error_message.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
        self.stage = self.stage.filter(|current| *current != changed.stage_id);
        let details = format!("{took}{error}");
        Some(WatchLine::StageEnded { stage: name, status: changed.status, details })
    }

    fn execution_changed(&mut self, changed: &ExecutionStatusData) -> Option<WatchLine> {
        if changed.status == WorkStatus::Active {
            self.activities.insert(changed.execution_id, String::new());
            return None;
        }
        if !changed.status.is_terminal() {
            return None;
        }
        self.activities.remove(&changed.execution_id);
        let (number, execution) = self.numbered(changed.execution_id)?;
        let text = execution.error_message.clone()?;
        let agent = AgentLabel { name: execution.agent_name.clone(), number };
        Some(WatchLine::AgentEntry { agent, kind: EntryKind::Error, text })
    }

    fn entry(&mut self, completed: &CompletedEntryData) -> Option<WatchLine> {
        let CompletedEntryData { entry, content, .. } = completed;
        let kind = kind_of(entry.event_type)?;
        self.calls += u64::from(kind == EntryKind::ToolCall);
        if let Some(activity) = entry.execution_id.and_then(|id| self.activities.get_mut(&id)) {
            *activity = if kind == EntryKind::ToolCall { content.clone() } else { String::new() };
        }
        let text = content.clone();
        Some(match entry.execution_id.and_then(|id| self.numbered(id)) {
            Some((number, execution)) => {
                let agent = AgentLabel { name: execution.agent_name.clone(), number };
                WatchLine::AgentEntry { agent, kind, text }
            }
            None => WatchLine::SessionEntry { kind, text },
        })
    }

    fn waiting(&self, chunk: &StreamChunkData) -> Option<WatchLine> {
        let (number, execution) = self.numbered(chunk.execution_id)?;
        let agent = AgentLabel { name: execution.agent_name.clone(), number };
        match chunk.part {
            LivePart::ModelProgress => Some(WatchLine::Waiting { agent, text: chunk.text.clone() }),
            LivePart::Thinking | LivePart::Text | LivePart::ToolProgress => None,
        }
    }

    fn append(&mut self, chunk: &StreamChunkData) {
        let Some(activity) = self.activities.get_mut(&chunk.execution_id) else { return };
        if chunk.from_start {
            activity.clear();
        }
        activity.push_str(&chunk.text);
        let surplus = activity.len().saturating_sub(TAIL_BYTES);
        activity.drain(..activity.ceil_char_boundary(surplus));
    }

    fn stage_view(&self, id: StageId) -> Option<&StageView> {
        self.session.stages.iter().find(|stage| stage.stage_id == id)
    }

    fn execution(&self, id: ExecutionId) -> Option<&ExecutionView> {
        self.numbered(id).map(|(_, execution)| execution)
    }

    fn numbered(&self, id: ExecutionId) -> Option<(usize, &ExecutionView)> {
        self.session.all_executions().enumerate().find(|(_, execution)| execution.execution_id == id)
    }

    fn number_of(&self, stage: &StageView) -> String {
        let before = self.session.stages.iter().take_while(|other| other.stage_id != stage.stage_id).count();
        format!("stage {} of {}", before + 1, self.session.stages.len())
    }
}

/// Returns the kind of an entry; `None` if the report contains it.
fn kind_of(event_type: TimelineEventType) -> Option<EntryKind> {
    Some(match event_type {
        TimelineEventType::LlmThinking => EntryKind::Thinking,
        TimelineEventType::LlmResponse => EntryKind::Reply,
        TimelineEventType::ToolCall => EntryKind::ToolCall,
        TimelineEventType::ToolResult => EntryKind::ToolResult,
        TimelineEventType::McpToolSummary => EntryKind::Summary,
        TimelineEventType::CodeExecution
        | TimelineEventType::GoogleSearchResult
        | TimelineEventType::UrlContextResult => EntryKind::ToolResult,
        TimelineEventType::ProviderFallback => EntryKind::Warning,
        TimelineEventType::FinalAnalysis => EntryKind::Conclusion,
        TimelineEventType::ExecutiveSummary => return None,
        TimelineEventType::UserQuestion => EntryKind::Question,
        TimelineEventType::RoutingDecision => EntryKind::Routing,
        TimelineEventType::AlertUpdate => EntryKind::AlertUpdate,
        TimelineEventType::Warning => EntryKind::Warning,
        TimelineEventType::Error => EntryKind::Error,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixture::session;
    use super::super::line::ColorMode;
    use super::*;

    const STAGE: &str = "01a1e091-4f01-7082-aa51-081012474902";
    const WORK: &str = "01a1e091-4f01-7082-aa51-081012474903";

    fn message(message_type: &str, data: &Value) -> ChannelMessage {
        let mut message = json!({ "type": message_type, "channel": format!("session:{WORK}"), "data": data });
        message["data"]["session_id"] = json!(WORK);
        serde_json::from_value(message).unwrap()
    }

    fn stage(status: WorkStatus) -> ChannelMessage {
        message("stage.status", &json!({ "stage_id": STAGE, "status": status }))
    }

    fn active() -> ChannelMessage {
        message("execution.status", &json!({ "execution_id": WORK, "status": "active" }))
    }

    fn chunk(from_start: bool, text: &str) -> ChannelMessage {
        let data = json!({
            "stage_id": STAGE, "execution_id": WORK, "interaction_id": WORK, "part": "text", "from_start": from_start,
            "text": text,
        });
        message("stream.chunk", &data)
    }

    fn entry(event_type: TimelineEventType, content: &str) -> ChannelMessage {
        let data = json!({
            "stage_id": STAGE, "execution_id": WORK, "timeline_event_id": WORK, "event_type": event_type,
            "content": content, "metadata": {}, "position": 1, "created_at_us": 1,
        });
        message("timeline_event.completed", &data)
    }

    /// A session with one stage and one active agent.
    fn state() -> WatchState {
        let work = json!({
            "execution_id": WORK, "agent_name": "Looker", "status": "active", "duration_ms": null, "error_message": null,
            "llm_interactions": 0, "mcp_interactions": 0,
        });
        let stage = json!({
            "stage_id": STAGE, "name": "look", "status": "active", "agents": ["Looker"], "duration_ms": 1_500,
            "error_message": null, "executions": [work],
        });
        WatchState::new(session(&json!({ "stages": [stage] })))
    }

    #[test]
    fn prints_the_start_and_end_of_a_stage() {
        let mut state = state();
        let started = state.apply(&stage(WorkStatus::Active));
        let details = "(stage 1 of 1): Looker".to_owned();
        assert_eq!(started, Some(WatchLine::StageStarted { stage: "look".to_owned(), details }));
        state.apply(&entry(TimelineEventType::ToolCall, "shop.pods {}"));
        assert_eq!(state.progress().unwrap(), "look (stage 1 of 1), 1 tool call");
        let ended = state.apply(&stage(WorkStatus::Completed));
        let details = " after 1.5 s".to_owned();
        assert_eq!(
            ended,
            Some(WatchLine::StageEnded { stage: "look".to_owned(), status: WorkStatus::Completed, details })
        );
        assert_eq!(state.progress(), None);
    }

    #[test]
    fn streamed_text_is_the_activity_until_the_entry_is_complete() {
        let mut state = state();
        let activity =
            |state: &WatchState| state.active_agents().map(|agent| agent.activity.to_owned()).next();
        assert_eq!(activity(&state), None);
        state.apply(&active());
        for (message, expected) in [
            (chunk(true, "I "), "I "),
            (chunk(false, "think."), "I think."),
            (chunk(true, "Anew."), "Anew."),
            (entry(TimelineEventType::LlmThinking, "Anew."), ""),
            (entry(TimelineEventType::ToolCall, "shop.pods {}"), "shop.pods {}"),
            (entry(TimelineEventType::ToolResult, "none"), ""),
        ] {
            state.apply(&message);
            assert_eq!(activity(&state).as_deref(), Some(expected));
        }
    }

    #[test]
    fn prints_what_an_agent_waits_for() {
        let mut state = state();
        let data = json!({
            "stage_id": STAGE, "execution_id": WORK, "interaction_id": STAGE, "part": "model_progress", "from_start": true,
            "text": "Processing the prompt, 2 min",
        });
        let line = state.apply(&message("stream.chunk", &data)).unwrap();
        assert_eq!(line.render(ColorMode::Plain), "  Looker Processing the prompt, 2 min");
        assert_eq!(state.apply(&chunk(true, "I ")), None);
    }

    #[test]
    fn keeps_only_the_end_of_a_long_text() {
        let mut state = state();
        state.apply(&active());
        for _ in 0..1_000 {
            state.apply(&chunk(false, "ä§€"));
        }
        let activity = state.active_agents().next().unwrap().activity;
        assert!(activity.len() <= TAIL_BYTES && activity.ends_with("ä§€"), "{} bytes", activity.len());
    }

    #[test]
    fn unknown_executions_need_a_refresh() {
        let known = state();
        let empty = WatchState::new(session(&json!({})));
        for message in [active(), entry(TimelineEventType::LlmThinking, "Hm."), stage(WorkStatus::Active)] {
            assert!(empty.needs_refresh(&message) && !known.needs_refresh(&message), "{message:?}");
        }
        assert!(known.needs_refresh(&stage(WorkStatus::Completed)), "the duration is not known");
    }
}
