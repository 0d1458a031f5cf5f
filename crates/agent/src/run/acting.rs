//! Handles tool calls and their results, which are applied in the order of the calls.

use std::sync::Arc;

use tarsy_domain::{LoopKind, Message, TokenUsage, ToolCall, ToolResult, ToolStatus};

use super::outcome::FailureCause;
use super::record::Record;
use super::repetition::{CountedResult, TurnNews, repetition_note};
use super::reply::{PendingCall, not_executed_note};
use super::{Acting, AgentRun, OBSERVATION, Phase};

impl AgentRun {
    /// Starts the tool calls of a reply.
    pub(super) fn act(&mut self, pending: Vec<PendingCall>, record: &mut Record) {
        for pending in &pending {
            record.tool_call(pending.call.as_ref().unwrap_or(&pending.requested));
        }
        self.conversation.begin_turn();
        self.phase =
            Phase::Acting(Acting { pending: pending.into(), only_timeouts: true, news: TurnNews::Nothing });
        self.skip_rejected(record);
    }

    pub(super) fn tool_returned(&mut self, result: &ToolResult, record: &mut Record) {
        self.usage += result.usage;
        if result.shortened
            && let Some(reader) = self.tools.offer_result_reader()
        {
            self.conversation.add_tool(&reader);
        }
        let Phase::Acting(acting) = &mut self.phase else { return };
        acting.only_timeouts &= result.status == ToolStatus::TimedOut;
        let Some(PendingCall { requested, call, not_executed }) = acting.pending.pop_front() else { return };
        let call = call.unwrap_or_else(|_| requested.clone());
        let CountedResult { times, news } = self.repeated_calls.count(&call, result);
        acting.news = acting.news.max(news);
        record.tool_result(&call, result, times);
        let notes = self.repetition_note(times) + &not_executed_note(&not_executed);
        let content = format!("{}{notes}", result.content);
        self.say_result(record, &requested, &call, &content);
        self.skip_rejected(record);
    }

    /// Returns the note for the model after a repeated result; empty for the first one.
    fn repetition_note(&self, times: u32) -> String {
        let mut note = repetition_note(times);
        if !note.is_empty() && self.setup.rules.max_turns_without_news.is_some() {
            note += &self.repeated_calls.suggestion(self.tools.known());
        }
        note
    }

    /// Adds results for rejected calls up to the next call that is executed; continues the run after the last
    /// one.
    fn skip_rejected(&mut self, record: &mut Record) {
        while let Phase::Acting(acting) = &mut self.phase {
            let Some(next) = acting.pending.pop_front_if(|next| next.call.is_err()) else { break };
            acting.only_timeouts = false;
            acting.news = acting.news.max(TurnNews::Little);
            let Err(reason) = next.call else { break };
            let result = ToolResult {
                shortened: false,
                call_id: next.requested.id.clone(),
                content: reason,
                status: ToolStatus::Error,
                usage: TokenUsage::default(),
            };
            record.tool_result(&next.requested, &result, 1);
            self.say_result(record, &next.requested, &next.requested, &result.content);
        }
        if let Phase::Acting(acting) = &self.phase
            && acting.pending.is_empty()
        {
            let (only_timeouts, news) = (acting.only_timeouts, acting.news);
            self.acted(only_timeouts, news, record);
        }
    }

    fn acted(&mut self, only_timeouts: bool, news: TurnNews, record: &mut Record) {
        self.failures.acted(only_timeouts);
        if self.failures.too_many_timeouts() {
            return self.fail(FailureCause::Timeouts, "the tools of two consecutive turns timed out", record);
        }
        self.next_turn(news, record);
    }

    fn say_result(&mut self, record: &mut Record, requested: &ToolCall, call: &ToolCall, content: &str) {
        let message = match self.setup.strategy.loop_kind() {
            LoopKind::FunctionCalling => Message::tool(requested, content),
            LoopKind::React | LoopKind::SingleShot => Message::user(format!("{OBSERVATION}{content}")),
        };
        let message = Arc::new(message);
        self.conversation.say_result(Arc::clone(&message), call);
        record.messages.push(message);
    }
}

impl Acting {
    /// Returns whether the run waits for the result of this call next.
    pub(super) fn awaits(&self, call_id: &str) -> bool {
        self.first_id() == call_id
    }

    pub(super) fn first_id(&self) -> &str {
        self.pending.front().map_or("", |pending| &pending.requested.id)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.pending.iter().filter_map(|pending| pending.call.as_ref().ok()).map(|call| &*call.name).collect()
    }
}
