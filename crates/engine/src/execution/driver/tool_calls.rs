//! The tool calls of one turn: made at the same time, told in their order. What an agent is told of a result is in
//! `telling`.

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tarsy_domain::{InteractionId, Timestamp, ToolCall, ToolStatus};
use tarsy_store::{LivePart, LiveText};
use tarsy_tools::{Cancelled, Progress, ToolOutcome};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use super::telling::result_id;
use super::{Driver, Hands, Story, Untold};
use crate::digest::Digester;
use crate::digest::read_result::{ReadResult, unknown_result};
use crate::execution::started_calls::StartedCalls;
use crate::spans;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

/// What came of a call, before the agent is told.
pub(super) enum Returned {
    /// It was made just now.
    Now(MadeNow),
    /// It was made before an interruption, and its result is recorded.
    Before(Untold),
    /// It was begun before an interruption, and nobody knows what came of it.
    Unknown,
}

/// A call that was made just now.
pub(super) struct MadeNow {
    pub(super) interaction_id: InteractionId,
    pub(super) started_at: Timestamp,
    pub(super) outcome: ToolOutcome,
    /// How far it has come, for those who watch.
    pub(super) progress: LiveText,
}

impl Driver<'_> {
    pub(super) async fn run_tools(&mut self, calls: &[ToolCall]) -> Result<(), Halt> {
        let Self { hands, story } = self;
        hands.note_started(story, calls).await?;
        let mut returned: FuturesOrdered<_> =
            calls.iter().map(|call| hands.obtain(story.known(call), call, story.deadline)).collect();
        for call in calls {
            let Some(returned) = returned.next().await else { break };
            hands.tell(story, call, returned?).await?;
        }
        // Ids may come again in later turns.
        story.untold.clear();
        story.started = None;
        Ok(())
    }
}

impl Story {
    /// What is known of a call from before an interruption.
    fn known(&self, call: &ToolCall) -> Option<Returned> {
        if let Some(untold) = self.untold.get(&call.id) {
            return Some(Returned::Before(untold.clone()));
        }
        let begun = self.started.as_ref().is_some_and(|started| started.includes(self.calls, call));
        begun.then_some(Returned::Unknown)
    }
}

impl Hands<'_> {
    /// Writes down which calls are about to be made that must not be made twice.
    async fn note_started(&self, story: &Story, calls: &[ToolCall]) -> Result<(), Halt> {
        let new = calls.iter().filter(|call| story.known(call).is_none());
        let new: Vec<&ToolCall> = new.filter(|call| !self.tools.may_repeat(&call.name)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let started = StartedCalls::new(story.calls, new, story.started.as_ref());
        self.work.recorder.tools_started(self.execution_id, started.to_text()).await
    }

    async fn obtain(
        &self,
        known: Option<Returned>,
        call: &ToolCall,
        deadline: Instant,
    ) -> Result<Returned, Halt> {
        if let Some(known) = known {
            return Ok(known);
        }
        let (began, started_at) = (Instant::now(), Timestamp::now());
        let interaction_id = InteractionId::new();
        let place = self.live_place(interaction_id);
        let progress = self.work.parts.store.live_text(place, LivePart::ToolProgress);
        let span = spans::execute_tool(call);
        let calling = self.call(call, &progress).instrument(span.clone());
        let outcome = match timeout_at(deadline, calling).await {
            Ok(outcome) => outcome?,
            Err(_) => {
                answer(call, ToolStatus::TimedOut, "the iteration ran out of time before it answered", began)
            }
        };
        spans::returned(&span, outcome.status);
        Ok(Returned::Now(MadeNow { interaction_id, started_at, outcome, progress }))
    }

    async fn call(&self, call: &ToolCall, live: &LiveText) -> Result<ToolOutcome, Halt> {
        let began = Instant::now();
        if ReadResult::is_meant_by(&call.name) {
            return Ok(match self.read_result(call).await? {
                Ok(text) => answer(call, ToolStatus::Ok, text, began),
                Err(wrong) => answer(call, ToolStatus::Error, wrong, began),
            });
        }
        let Some(toolbox) = &self.tools.toolbox else {
            return Ok(answer(call, ToolStatus::Error, "there are no tools in this investigation", began));
        };
        if !self.work.selection.allows(&call.name) {
            return Ok(answer(call, ToolStatus::Error, "this tool was not chosen for this alert", began));
        }
        self.stop.look_at_the_clock();
        let called = toolbox.call(call, self.stop.token(), |news| live.restart(&in_words(&news))).await;
        called.map_err(|Cancelled| Halt::Stopped(self.stop.cause().unwrap_or(StopCause::LeaseLost)))
    }

    async fn read_result(&self, call: &ToolCall) -> Result<Result<String, String>, Halt> {
        let wanted = match ReadResult::parse(&call.arguments) {
            Ok(wanted) => wanted,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let store = &self.work.parts.store;
        let known = store.tool_call_list(self.execution_id).await?;
        let ids: Vec<String> = (1..).map(result_id).take(known.len()).collect();
        let Some(found) = ids.iter().position(|id| *id == wanted.id) else {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            return Ok(Err(unknown_result(&wanted.id, &ids)));
        };
        let whole = store.tool_result_fetch(self.work.session.session_id, known[found]).await?;
        let digester = Digester::for_server(&self.work.parts.config, "", &self.agent.llm_provider);
        Ok(wanted.read(&whole.unwrap_or_default(), digester.threshold()))
    }
}

/// How far a tool has come: `3 of 10: reading pods`.
fn in_words(news: &Progress) -> String {
    let done = match news.total {
        Some(total) => format!("{} of {total}", news.done),
        None => news.done.to_string(),
    };
    match &news.message {
        Some(message) => format!("{done}: {message}"),
        None => done,
    }
}

fn answer(call: &ToolCall, status: ToolStatus, text: impl Into<String>, began: Instant) -> ToolOutcome {
    ToolOutcome {
        call_id: call.id.clone(),
        tool: None,
        text: text.into(),
        status,
        duration: began.elapsed(),
        attempts: 0,
    }
}
