//! One model call of an agent: sent, streamed, recorded, applied to the run.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tarsy_agent::{Happened, ModelAsk, Purpose, Record, TimelineEntry};
use tarsy_config::file::NativeToolsConfig;
use tarsy_domain::{InteractionId, LoopKind, Message, ModelFailure, TimelineEventType, Timestamp};
use tarsy_llm::{Assembly, ModelRequest, NativeTools, Origin};
use tarsy_store::StepPayload;
use tokio::time::{Instant, timeout_at};
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
        let (began, started_at) = (Instant::now(), Timestamp::now());
        let recorded_request = recorded_request(&ask.messages, state.run.recorded_messages());
        let (kind, iteration) = (ask.purpose.call_kind(), ask.iteration);
        let interaction_id = InteractionId::new();
        let mut live = LiveReply::new(&self.work.resources.store, self.live_scope(interaction_id));
        let mut assembly = Assembly::default();
        let span = spans::chat(self.work.session.session_id, &self.model.origin());
        let receiving = self.receive(self.request(ask), &mut assembly, &mut live);
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
        let (provider, ended_at) = (call.origin.provider.clone(), started_at.after(call.duration));
        let call = call.record(interaction_id);
        spans::end_chat(&span, &self.work.resources.config, &call, &assembly.reply.tool_calls);
        drop(span);
        let happened = match happened {
            Ok(happened) => happened,
            Err(cause) => return Err(self.give_up(call, cause, state.run.current_step()).await),
        };
        let mut timeline = fallback_entries(&assembly);
        let Record { messages, timeline: more } = state.apply(&happened)?;
        state.end_model_call(&provider, &happened, ended_at);
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
            stop_sequences: stop_sequences(self.agent.iteration_strategy.loop_kind(), ask.purpose),
            messages: ask.messages,
            tools: ask.tools,
            native_tools: native_tools(self.agent.native_tools),
            tags: self.tags(&self.agent.name, ask.call),
        }
    }

    /// Receives a reply until it ends; returns the failure, if there is one. The model limits its time.
    async fn receive(
        &self,
        request: ModelRequest,
        assembly: &mut Assembly,
        live: &mut LiveReply<'_>,
    ) -> Option<ModelFailure> {
        let mut stream = self.model.stream(request);
        loop {
            let chunk = match live.next_notice_at() {
                Some(at) => match timeout_at(at, stream.next()).await {
                    Ok(chunk) => chunk,
                    Err(_) => {
                        live.show_waiting();
                        continue;
                    }
                },
                None => stream.next().await,
            };
            match chunk {
                None => return None,
                Some(Ok(chunk)) => {
                    live.show(&chunk);
                    assembly.add(chunk);
                }
                Some(Err(error)) => return Some(error.failure),
            }
        }
    }
}

/// Returns an entry for each model that failed before another one was called.
fn fallback_entries(assembly: &Assembly) -> Vec<TimelineEntry> {
    let next = assembly.failed.iter().skip(1).map(|(origin, _)| origin).chain(&assembly.origin);
    let pairs = assembly.failed.iter().zip(next);
    pairs.map(|((from, failure), to)| fallback_entry(from, to, failure)).collect()
}

fn fallback_entry(from: &Origin, to: &Origin, failure: &ModelFailure) -> TimelineEntry {
    let metadata = [
        ("from_provider", json!(from.provider)),
        ("from_model", json!(from.model)),
        ("to_provider", json!(to.provider)),
        ("to_model", json!(to.model)),
        ("error_kind", json!(failure.kind)),
        ("reason", json!(failure.message)),
    ];
    TimelineEntry {
        event_type: TimelineEventType::ProviderFallback,
        content: format!(
            "{} failed ({}) and {} was called instead: {}",
            from.provider, failure.kind, to.provider, failure.message
        ),
        metadata: metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
    }
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

/// Returns where a reply ends: in the ReAct loop, a model must not write the results of its own calls.
fn stop_sequences(loop_kind: LoopKind, purpose: Purpose) -> &'static [&'static str] {
    match (loop_kind, purpose) {
        (LoopKind::React, Purpose::Iteration) => &["\nObservation:"],
        (LoopKind::React, Purpose::ForcedConclusion)
        | (LoopKind::FunctionCalling | LoopKind::SingleShot, _) => &[],
    }
}

fn native_tools(section: NativeToolsConfig) -> NativeTools {
    NativeTools {
        google_search: section.google_search.unwrap_or(false),
        code_execution: section.code_execution.unwrap_or(false),
        url_context: section.url_context.unwrap_or(false),
    }
}
