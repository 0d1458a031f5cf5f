//! What an agent is told of the results of its tools.
//!
//! A result is written down before anybody asks a model to make it shorter, and the summary with what the agent is told.
//! So neither is done twice.

use serde_json::json;
use tarsy_agent::{Happened, Record};
use tarsy_domain::{
    InteractionId, LlmCallKind, ModelReply, TimelineEventType, Timestamp, ToolCall, ToolName, ToolResult,
    ToolRunKind, ToolStatus,
};
use tarsy_store::{StepPayload, LlmCall, ToolRun};
use tarsy_tools::ToolOutcome;
use tokio::time::Instant;
use tracing::warn;

use super::made_call::{Answer, MadeCall, millis};
use super::tools::{MadeNow, Returned};
use super::{Hands, Story, Untold};
use crate::digest::summarize::Summary;
use crate::digest::{Digest, Digester, Shortening, ToolText};
use crate::execution::started_calls::outcome_unknown;
use crate::spans;
use crate::stop::halt::Halt;

impl Hands<'_> {
    /// Writes down a result and tells the run.
    pub(super) async fn tell(
        &self,
        story: &mut Story,
        call: &ToolCall,
        returned: Returned,
    ) -> Result<(), Halt> {
        match returned {
            Returned::Unknown => {
                story.tool_runs += 1;
                let result = outcome_unknown(call);
                let mut run = tool_run(call, InteractionId::new(), Timestamp::now());
                run.error_message = Some("the outcome is unknown".to_owned());
                self.tell_at_once(story, run, result).await
            }
            Returned::Now(made) => self.tell_new(story, call, made).await,
            Returned::Before(untold) => self.tell_digested(story, call, untold).await,
        }
    }

    async fn tell_new(&self, story: &mut Story, call: &ToolCall, made: MadeNow) -> Result<(), Halt> {
        // What people see of its progress is there until the record has the call.
        let MadeNow { interaction_id, started_at, outcome, progress: _under_way } = made;
        story.tool_runs += 1;
        let mut run = tool_run(call, interaction_id, started_at);
        run.duration_ms = millis(outcome.duration);
        run.error_message = match outcome.status {
            ToolStatus::Ok => None,
            ToolStatus::Error => Some("the tool reported an error".to_owned()),
            ToolStatus::TimedOut => Some("no answer came in time".to_owned()),
        };
        run.result = Some(outcome.text.clone());
        if let Some(digest) = self.digest_now(story, call, &outcome) {
            return self.tell_at_once(story, run, outcome.result(digest.shown)).await;
        }
        let (interaction_id, number) = (run.interaction_id, story.tool_runs);
        let now = "Summarising a long result".to_owned();
        self.record(StepPayload::Tool(run), Record::default(), now).await?;
        self.tell_digested(story, call, Untold { interaction_id, number, text: outcome.text }).await
    }

    /// A result that is short enough without asking a model. What went wrong is never summarised, only shortened.
    fn digest_now(&self, story: &Story, call: &ToolCall, outcome: &ToolOutcome) -> Option<Digest> {
        let id = result_id(story.tool_runs);
        let text = self.text(story, call, (story.tool_runs, &id), &outcome.text);
        let digest = self.plain_digester(call).digest_now(&text)?;
        match (&digest.how, outcome.status) {
            (Shortening::None, _) | (_, ToolStatus::Error | ToolStatus::TimedOut) => Some(digest),
            (_, ToolStatus::Ok) => self.digester(call).digest_now(&text),
        }
    }

    async fn tell_at_once(
        &self,
        story: &mut Story,
        mut run: ToolRun,
        result: ToolResult,
    ) -> Result<(), Halt> {
        run.delivered = Some(result.clone());
        let record = story.apply(&Happened::ToolReturned(result))?;
        self.record(StepPayload::Tool(run), record, story.run.current_step()).await
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
        let delivered = result.clone();
        let mut record = story.apply(&Happened::ToolReturned(result))?;
        let happening = match digest.how {
            Shortening::None | Shortening::Reduced => StepPayload::Delivered { of, delivered },
            Shortening::Summarised(summary) => {
                for entry in &mut record.timeline {
                    if entry.event_type == TimelineEventType::ToolResult {
                        entry.event_type = TimelineEventType::McpToolSummary;
                    }
                }
                StepPayload::Summary { call: self.summary_call(&summary, started_at), of, delivered }
            }
            Shortening::SummaryFailed(summary) => {
                StepPayload::Summary { call: self.summary_call(&summary, started_at), of, delivered }
            }
        };
        self.record(happening, record, story.run.current_step()).await
    }

    async fn digest(&self, story: &Story, call: &ToolCall, untold: &Untold) -> Result<Digest, Halt> {
        let (began, started_at) = (Instant::now(), Timestamp::now());
        let id = result_id(untold.number);
        let text = self.text(story, call, (untold.number, &id), &untold.text);
        let digester = self.digester(call).until(story.deadline);
        match self.stop.unless_stopped(digester.digest(&text, |_| {})).await {
            Ok(digest) => Ok(digest),
            Err(cause) => {
                let heard = ModelReply::default();
                let call = MadeCall {
                    kind: LlmCallKind::ToolSummary,
                    iteration: 0,
                    origin: self.model.origin(),
                    started_at,
                    duration: began.elapsed(),
                    request: json!({ "messages": [], "tool_call_id": call.id }).to_string(),
                    answer: Answer::Stopped(cause, &heard),
                };
                Err(self.give_up(call.record(InteractionId::new()), cause, story.run.current_step()).await)
            }
        }
    }

    fn digester(&self, call: &ToolCall) -> Digester {
        let server = ToolName::parse(&call.name).server().unwrap_or_default();
        let parts = &self.work.parts;
        let provider = &self.agent.llm_provider;
        let own = || Ok(self.model.clone());
        match Digester::summarizing_for_server(&parts.models, parts.prompts.clone(), server, provider, own) {
            Ok(digester) => digester,
            Err(error) => {
                warn!(server.name = server, error = error.in_full(), "a long result is not summarised");
                self.plain_digester(call)
            }
        }
    }

    fn plain_digester(&self, call: &ToolCall) -> Digester {
        let server = ToolName::parse(&call.name).server().unwrap_or_default();
        Digester::for_server(&self.work.parts.config, server, &self.agent.llm_provider)
    }

    /// A summary is tagged with the number of its result: several may be written after the same model call.
    fn text<'t>(
        &self,
        story: &'t Story,
        call: &'t ToolCall,
        (number, id): (u32, &'t str),
        text: &'t str,
    ) -> ToolText<'t> {
        ToolText {
            id,
            tool: &call.name,
            arguments: &call.arguments,
            purpose: story.last_words.as_deref(),
            text,
            tags: self.tags(&format!("{} summary", self.agent.name), number),
        }
    }

    fn summary_call(&self, summary: &Summary, started_at: Timestamp) -> LlmCall {
        let origin = summary.answer.as_ref().ok().and_then(|answer| answer.origin.clone());
        let call = MadeCall {
            kind: LlmCallKind::ToolSummary,
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
        let call = call.record(InteractionId::new());
        spans::answered(&summary.span, &self.work.parts.config, &call, &[]);
        call
    }
}

/// What an agent calls a result by: its number among those of its execution, which is the same in every repetition. The
/// ids that providers give to calls may come again in later turns.
pub(super) fn result_id(number: u32) -> String {
    format!("r{number}")
}

fn tool_run(call: &ToolCall, interaction_id: InteractionId, started_at: Timestamp) -> ToolRun {
    let (server, tool) = ToolName::parse(&call.name).into_parts();
    ToolRun {
        interaction_id,
        kind: ToolRunKind::ToolCall,
        server: server.to_owned(),
        tool: Some(tool.to_owned()),
        tool_call_id: Some(call.id.clone()),
        started_at,
        duration_ms: 0,
        arguments: Some(call.arguments.clone()),
        result: None,
        error_message: None,
        delivered: None,
    }
}
