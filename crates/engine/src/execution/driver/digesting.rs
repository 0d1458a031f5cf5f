//! Digests of tool results for one agent: which digester applies, and the records of summary calls.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{InteractionId, LlmCallKind, ModelReply, Timestamp, ToolCall, ToolName, ToolStatus};
use tarsy_store::LlmCall;
use tarsy_tools::ToolOutcome;
use tokio::time::Instant;
use tracing::warn;

use super::DriverContext;
use super::call_record::{EndedModelCall, ModelCallEnd};
use super::state::RunState;
use crate::digest::summarize::ToolSummary;
use crate::digest::{Digest, Digester, Shortening, ToolText};
use crate::execution::history::UndeliveredResult;
use crate::spans;
use crate::stop::StopCause;

/// A summary that was not completed because the work stopped.
pub(super) struct StoppedSummary {
    pub(super) cause: StopCause,
    duration: Duration,
}

impl DriverContext<'_> {
    /// Returns the digest of a result if it needs no model. Errors are never summarized, only shortened.
    pub(super) fn digest_without_model(
        &self,
        state: &RunState,
        call: &ToolCall,
        number: u32,
        outcome: &ToolOutcome,
    ) -> Option<Digest> {
        let id = result_id(number);
        let text = self.tool_text(state, call, (number, &id), &outcome.text);
        let digest = self.reducing_digester(call).digest_without_model(&text)?;
        match (&digest.how, outcome.status) {
            (Shortening::None, _) | (_, ToolStatus::Error | ToolStatus::TimedOut) => Some(digest),
            (_, ToolStatus::Ok) => self.digester(call).digest_without_model(&text),
        }
    }

    /// Digests a recorded result, with a summary by a model if it is needed.
    pub(super) async fn digest(
        &self,
        state: &RunState,
        call: &ToolCall,
        result: &UndeliveredResult,
    ) -> Result<Digest, StoppedSummary> {
        let began = Instant::now();
        let id = result_id(result.number);
        let text = self.tool_text(state, call, (result.number, &id), &result.text);
        let digester = self.digester(call).with_deadline(self.summary_deadline());
        let digest = self.stop.unless_stopped(digester.digest(&text, |_| {})).await;
        digest.map_err(|cause| StoppedSummary { cause, duration: began.elapsed() })
    }

    /// Returns the record of a summary that was stopped.
    pub(super) fn stopped_summary_call(
        &self,
        call: &ToolCall,
        stopped: &StoppedSummary,
        started_at: Timestamp,
    ) -> LlmCall {
        let call = EndedModelCall {
            kind: LlmCallKind::ToolSummary,
            iteration: 0,
            origin: self.model.origin(),
            started_at,
            duration: stopped.duration,
            request: json!({ "messages": [], "tool_call_id": call.id }).to_string(),
            end: ModelCallEnd::Stopped(stopped.cause, ModelReply::default()),
        };
        call.record(InteractionId::new())
    }

    /// Returns the record of a summary that was requested, and ends its span.
    pub(super) fn summary_call(&self, summary: ToolSummary, started_at: Timestamp) -> LlmCall {
        let ToolSummary { request, outcome, duration, span } = summary;
        let (origin, end) = match outcome {
            Ok(assembly) => (assembly.origin, ModelCallEnd::Reply(assembly.reply)),
            Err(failure) => (None, ModelCallEnd::Failure(failure)),
        };
        let call = EndedModelCall {
            kind: LlmCallKind::ToolSummary,
            iteration: 0,
            origin: origin.unwrap_or_else(|| self.model.origin()),
            started_at,
            duration,
            request: json!({ "messages": request }).to_string(),
            end,
        };
        let call = call.record(InteractionId::new());
        spans::end_chat(&span, &self.work.resources.config, &call, &[]);
        call
    }

    fn digester(&self, call: &ToolCall) -> Digester {
        let server = ToolName::parse(&call.name).server().unwrap_or_default();
        let resources = &self.work.resources;
        let provider = &self.agent.llm_provider;
        let own = || Ok(self.model.clone());
        match Digester::summarizing_for_server(
            &resources.models,
            resources.prompts.clone(),
            server,
            provider,
            own,
        ) {
            Ok(digester) => digester,
            Err(error) => {
                warn!(
                    server.name = server,
                    error = error.in_full(),
                    "long tool results cannot be summarized"
                );
                self.reducing_digester(call)
            }
        }
    }

    fn reducing_digester(&self, call: &ToolCall) -> Digester {
        let server = ToolName::parse(&call.name).server().unwrap_or_default();
        Digester::for_server(&self.work.resources.config, server, &self.agent.llm_provider)
    }

    /// Returns the input of a digest. Its tags contain the number of the result, because one model call may
    /// lead to several summaries.
    fn tool_text<'t>(
        &self,
        state: &'t RunState,
        call: &'t ToolCall,
        (number, id): (u32, &'t str),
        text: &'t str,
    ) -> ToolText<'t> {
        ToolText {
            id,
            tool: &call.name,
            arguments: &call.arguments,
            purpose: state.run.last_reply(),
            text,
            tags: self.tags(&format!("{} summary", self.agent.name), number),
        }
    }
}

/// Returns the id by which an agent refers to a result: its number within the execution, which is the same in
/// every replay. The ids that providers give to calls may be reused in later iterations.
pub(super) fn result_id(number: u32) -> String {
    format!("r{number}")
}
