//! One model call of an agent: sent, streamed, recorded, applied to the run.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tarsy_agent::{Happened, ModelAsk, Record, TimelineEntry};
use tarsy_config::file::NativeToolsConfig;
use tarsy_domain::{InteractionId, Message, ModelFailure, ModelFailureKind, TimelineEventType, Timestamp};
use tarsy_llm::{Assembly, ModelRequest, NativeTools, Origin};
use tarsy_store::StepPayload;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::Instrument;

use super::DriverContext;
use super::call_record::{EndedModelCall, ModelCallEnd};
use super::state::RunState;
use crate::execution::live_reply::LiveReply;
use crate::spans;
use crate::stop::halt::Halt;

impl DriverContext<'_> {
    /// Makes a model call that the run requests.
    pub(super) async fn call_model(&self, state: &mut RunState, ask: ModelAsk) -> Result<(), Halt> {
        self.stop.unless_stopped(sleep(ask.pause)).await?;
        let (began, started_at) = (Instant::now(), Timestamp::now());
        state.deadline = self.iteration_deadline();
        let recorded_request = recorded_request(&ask.messages, state.run.recorded_messages());
        let (kind, iteration) = (ask.purpose.call_kind(), ask.iteration);
        let interaction_id = InteractionId::new();
        let mut live = LiveReply::new(&self.work.resources.store, self.live_scope(interaction_id));
        let mut assembly = Assembly::default();
        let span = spans::chat(self.work.session.session_id, &self.model.origin());
        let receiving = self.receive(self.request(ask), state.deadline, &mut assembly, &mut live);
        let received = self.stop.unless_stopped(receiving.instrument(span.clone())).await;
        let (end, happened) = match received {
            Ok(None) => {
                (ModelCallEnd::Reply(assembly.reply.clone()), Ok(Happened::Replied(assembly.reply.clone())))
            }
            Ok(Some(failure)) => (ModelCallEnd::Failure(failure.clone()), Ok(Happened::ModelFailed(failure))),
            Err(cause) => (ModelCallEnd::Stopped(cause, assembly.reply.clone()), Err(cause)),
        };
        let call = EndedModelCall {
            kind,
            iteration,
            origin: assembly.origin.clone().unwrap_or_else(|| self.model.origin()),
            started_at,
            duration: began.elapsed(),
            request: recorded_request,
            end,
        };
        let call = call.record(interaction_id);
        spans::end_chat(&span, &self.work.resources.config, &call, &assembly.reply.tool_calls);
        drop(span);
        let happened = match happened {
            Ok(happened) => happened,
            Err(cause) => return Err(self.give_up(call, cause, state.run.current_step()).await),
        };
        let mut timeline = fallback_warnings(&assembly);
        let Record { messages, timeline: more } = state.apply(&happened)?;
        timeline.extend(more);
        let record = Record { messages, timeline };
        self.record(StepPayload::Model(call), record, state.run.current_step()).await?;
        // Dropped after the step is recorded: a client that connects in between would find the text in
        // neither place.
        drop(live);
        Ok(())
    }

    fn request(&self, ask: ModelAsk) -> ModelRequest {
        ModelRequest {
            stop_sequences: &[],
            messages: ask.messages,
            tools: ask.tools,
            native_tools: native_tools(self.agent.native_tools),
            tags: self.tags(&self.agent.name, ask.call),
        }
    }

    /// Receives a reply until it ends or the deadline passes; returns the failure, if there is one.
    async fn receive(
        &self,
        request: ModelRequest,
        deadline: Instant,
        assembly: &mut Assembly,
        live: &mut LiveReply<'_>,
    ) -> Option<ModelFailure> {
        let mut stream = self.model.stream(request);
        loop {
            match timeout_at(deadline, stream.next()).await {
                Ok(None) => return None,
                Ok(Some(Ok(chunk))) => {
                    live.show(&chunk);
                    assembly.add(chunk);
                }
                Ok(Some(Err(error))) => return Some(error.failure),
                Err(_) => return Some(self.iteration_timeout(assembly)),
            }
        }
    }

    fn iteration_timeout(&self, assembly: &Assembly) -> ModelFailure {
        let limit = self.agent.iteration_timeout.duration().as_secs_f64();
        ModelFailure {
            retry_after_ms: None,
            kind: ModelFailureKind::Timeout,
            message: format!("the reply was not complete within the iteration's {limit} s"),
            partial_text: assembly.reply.text.clone(),
            usage: assembly.reply.usage,
        }
    }
}

/// Returns a warning for each model that failed before another one was called.
fn fallback_warnings(assembly: &Assembly) -> Vec<TimelineEntry> {
    let warning = |(origin, failure): &(Origin, ModelFailure)| TimelineEntry {
        event_type: TimelineEventType::Warning,
        content: format!(
            "{} could not answer ({}): {}. The next provider was asked.",
            origin.provider, failure.kind, failure.message
        ),
        metadata: Map::from_iter([
            ("provider".to_owned(), json!(origin.provider)),
            ("model".to_owned(), json!(origin.model)),
            ("error_kind".to_owned(), json!(failure.kind)),
        ]),
    };
    assembly.failed.iter().map(warning).collect()
}

/// Returns the request as it is recorded: the number of recorded messages that were sent, and the messages
/// whose sent text differs from the recorded one.
///
/// Recording the whole conversation with every call would make the record grow with the square of its length.
fn recorded_request(sent: &[Arc<Message>], recorded: &[Arc<Message>]) -> String {
    let pairs = sent.iter().zip(recorded).enumerate();
    let replaced = pairs.filter(|(_, (sent, recorded))| !Arc::ptr_eq(sent, recorded) && sent != recorded);
    let replaced: Vec<Value> = replaced
        .map(|(index, (sent, _))| json!({ "sequence": index + 1, "content": sent.content }))
        .collect();
    let mut messages = json!({ "through": sent.len() });
    if !replaced.is_empty() {
        messages["replaced"] = Value::from(replaced);
    }
    json!({ "messages": messages }).to_string()
}

fn native_tools(section: NativeToolsConfig) -> NativeTools {
    NativeTools {
        google_search: section.google_search.unwrap_or(false),
        code_execution: section.code_execution.unwrap_or(false),
        url_context: section.url_context.unwrap_or(false),
    }
}
