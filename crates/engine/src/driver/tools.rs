//! The tool calls of one turn: made at the same time, written down in their order.
//!
//! A result is written down before anybody asks a model to make it shorter, and the summary with what the agent is told.
//! So neither is done twice.

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use serde_json::json;
use tarsy_agent::{Happened, Record};
use tarsy_domain::{
    InteractionId, ModelReply, TimelineEventType, Timestamp, ToolCall, ToolResult, ToolStatus,
};
use tarsy_store::{Happening, LlmCall, ToolRun};
use tarsy_tools::{Cancelled, ToolOutcome};
use tokio::time::{Instant, timeout_at};
use tracing::warn;

use super::made_call::{Answer, MadeCall, millis};
use super::{Driver, Hands, Story, Untold};
use crate::digest::{Digest, Digester, Shortening, ToolText};
use crate::halt::Halt;
use crate::read_result::{ReadResult, unknown_result};
use crate::started_calls::{StartedCalls, outcome_unknown};
use crate::stop::StopCause;
use crate::summarize::Summary;

/// What came of a call, before the agent is told.
enum Returned {
    /// It was made just now.
    Now { outcome: ToolOutcome, started_at: Timestamp },
    /// It was made before an interruption, and its result is recorded.
    Before(Untold),
    /// It was begun before an interruption, and nobody knows what came of it.
    Unknown,
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
        let outcome = match timeout_at(deadline, self.call(call)).await {
            Ok(outcome) => outcome?,
            Err(_) => {
                answer(call, ToolStatus::TimedOut, "the iteration ran out of time before it answered", began)
            }
        };
        Ok(Returned::Now { outcome, started_at })
    }

    async fn call(&self, call: &ToolCall) -> Result<ToolOutcome, Halt> {
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
        let called = toolbox.call(call, self.stop.token(), |_| {}).await;
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

    /// Writes down a result and tells the run.
    async fn tell(&self, story: &mut Story, call: &ToolCall, returned: Returned) -> Result<(), Halt> {
        match returned {
            Returned::Unknown => {
                story.tool_runs += 1;
                let result = outcome_unknown(call);
                let mut run = tool_run(call, Timestamp::now());
                run.error_message = Some("the outcome is unknown".to_owned());
                self.tell_at_once(story, run, result).await
            }
            Returned::Now { outcome, started_at } => {
                story.tool_runs += 1;
                let mut run = tool_run(call, started_at);
                run.duration_ms = millis(outcome.duration);
                run.error_message = match outcome.status {
                    ToolStatus::Ok => None,
                    ToolStatus::Error => Some("the tool reported an error".to_owned()),
                    ToolStatus::TimedOut => Some("no answer came in time".to_owned()),
                };
                let text = outcome.text.clone();
                run.result = Some(text.clone());
                let digester = self.digester(call);
                // What went wrong is never summarised, only shortened.
                let digester = match outcome.status {
                    ToolStatus::Ok => digester,
                    ToolStatus::Error | ToolStatus::TimedOut => digester.without_summaries(),
                };
                match digester.digest_now(&self.text(story, call, &result_id(story.tool_runs), &text)) {
                    Some(digest) => self.tell_at_once(story, run, outcome.result(digest.shown)).await,
                    None => {
                        let (interaction_id, number) = (run.interaction_id, story.tool_runs);
                        let now = "Summarising a long result".to_owned();
                        self.record(Happening::Tool(run), Record::default(), now).await?;
                        self.tell_digested(story, call, Untold { interaction_id, number, text }).await
                    }
                }
            }
            Returned::Before(untold) => self.tell_digested(story, call, untold).await,
        }
    }

    async fn tell_at_once(
        &self,
        story: &mut Story,
        mut run: ToolRun,
        result: ToolResult,
    ) -> Result<(), Halt> {
        run.told = serde_json::to_string(&result).ok();
        let record = story.apply(&Happened::ToolReturned(result))?;
        self.record(Happening::Tool(run), record, story.run.current_step()).await
    }

    /// Makes a recorded result short enough, and tells the run.
    async fn tell_digested(&self, story: &mut Story, call: &ToolCall, untold: Untold) -> Result<(), Halt> {
        let started_at = Timestamp::now();
        let of = untold.interaction_id;
        let digest = self.digest(story, call, &untold).await?;
        let result = ToolResult {
            call_id: call.id.clone(),
            usage: digest.how.usage(),
            content: digest.shown,
            status: ToolStatus::Ok,
        };
        let told = serde_json::to_string(&result).unwrap_or_default();
        let mut record = story.apply(&Happened::ToolReturned(result))?;
        let happening = match digest.how {
            Shortening::None | Shortening::Reduced => Happening::Told { of, told },
            Shortening::Summarised(summary) => {
                for entry in &mut record.timeline {
                    if entry.event_type == TimelineEventType::ToolResult {
                        entry.event_type = TimelineEventType::McpToolSummary;
                    }
                }
                Happening::Summary { call: self.summary_call(&summary, started_at), of, told }
            }
            Shortening::SummaryFailed(summary) => {
                Happening::Summary { call: self.summary_call(&summary, started_at), of, told }
            }
        };
        self.record(happening, record, story.run.current_step()).await
    }

    async fn digest(&self, story: &Story, call: &ToolCall, untold: &Untold) -> Result<Digest, Halt> {
        let (began, started_at) = (Instant::now(), Timestamp::now());
        let id = result_id(untold.number);
        let text = self.text(story, call, &id, &untold.text);
        let digester = self.digester(call).until(story.deadline);
        match self.stop.unless_stopped(digester.digest(&text, |_| {})).await {
            Ok(digest) => Ok(digest),
            Err(cause) => {
                let heard = ModelReply::default();
                let call = MadeCall {
                    kind: "tool_summary",
                    iteration: 0,
                    origin: self.model.origin(),
                    started_at,
                    duration: began.elapsed(),
                    request: json!({ "tool_call_id": call.id }).to_string(),
                    answer: Answer::Stopped(cause, &heard),
                };
                Err(self.give_up(call.record(), cause, story.run.current_step()).await)
            }
        }
    }

    fn digester(&self, call: &ToolCall) -> Digester {
        let server = call.name.split_once('.').map_or("", |(server, _)| server);
        let parts = &self.work.parts;
        let provider = &self.agent.llm_provider;
        let own = || Ok(self.model.clone());
        match Digester::summarizing_for_server(&parts.models, parts.prompts.clone(), server, provider, own) {
            Ok(digester) => digester,
            Err(error) => {
                warn!(server.name = server, error = error.in_full(), "long results are not summarised");
                Digester::for_server(&parts.config, server, provider)
            }
        }
    }

    fn text<'t>(&self, story: &'t Story, call: &'t ToolCall, id: &'t str, text: &'t str) -> ToolText<'t> {
        ToolText {
            id,
            tool: &call.name,
            arguments: &call.arguments,
            purpose: story.last_words.as_deref(),
            text,
            tags: self.tags(&format!("{} summary", self.agent.name), story.calls),
        }
    }

    fn summary_call(&self, summary: &Summary, started_at: Timestamp) -> LlmCall {
        let origin = summary.answer.as_ref().ok().and_then(|answer| answer.origin.clone());
        let call = MadeCall {
            kind: "tool_summary",
            iteration: 0,
            origin: origin.unwrap_or_else(|| self.model.origin()),
            started_at,
            duration: summary.duration,
            request: json!({ "messages": summary.request }).to_string(),
            answer: match &summary.answer {
                Ok(answer) => Answer::Reply(&answer.reply),
                Err(failure) => Answer::Failure(failure),
            },
        };
        call.record()
    }
}

/// What an agent calls a result by: its number among those of its execution, which is the same in every repetition. The
/// ids that providers give to calls may come again in later turns.
fn result_id(number: u32) -> String {
    format!("r{number}")
}

fn tool_run(call: &ToolCall, started_at: Timestamp) -> ToolRun {
    let (server, tool) = call.name.split_once('.').unwrap_or(("", &call.name));
    ToolRun {
        interaction_id: InteractionId::new(),
        kind: "tool_call".to_owned(),
        server: server.to_owned(),
        tool: Some(tool.to_owned()),
        tool_call_id: Some(call.id.clone()),
        started_at,
        duration_ms: 0,
        arguments: Some(call.arguments.clone()),
        result: None,
        error_message: None,
        told: None,
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
