//! One model call of an agent: asked, listened to, written down.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tarsy_agent::{Happened, ModelAsk, Record, TimelineEntry};
use tarsy_config::file::NativeToolsConfig;
use tarsy_domain::{InteractionId, Message, ModelFailure, ModelFailureKind, TimelineEventType, Timestamp};
use tarsy_llm::{Assembly, ModelRequest, NativeTools, Origin};
use tarsy_store::{StepPayload, LlmCall};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::Instrument;

use super::made_call::{Answer, MadeCall};
use super::{Driver, Hands};
use crate::execution::live_reply::LiveReply;
use crate::spans;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

impl Driver<'_> {
    pub(super) async fn ask_model(&mut self, ask: ModelAsk) -> Result<(), Halt> {
        let Self { hands, story } = self;
        hands.stop.unless_stopped(sleep(ask.pause)).await?;
        let (began, started_at) = (Instant::now(), Timestamp::now());
        story.deadline = began + hands.agent.iteration_timeout.duration();
        let sent = as_sent(&ask.messages, &story.recorded);
        let (purpose, iteration) = (ask.purpose, ask.iteration);
        let request = ModelRequest {
            messages: ask.messages,
            tools: ask.tools,
            native_tools: native_tools(hands.agent.native_tools),
            tags: hands.tags(&hands.agent.name, ask.call),
        };
        let interaction_id = InteractionId::new();
        let mut live = LiveReply::new(&hands.work.parts.store, hands.live_place(interaction_id));
        let mut assembly = Assembly::default();
        let span = spans::chat(hands.work.session.session_id, &hands.model.origin());
        let listening = hands.listen(request, story.deadline, &mut assembly, &mut live);
        let listening = listening.instrument(span.clone());
        let heard = hands.stop.unless_stopped(listening).await;
        let answer = match &heard {
            Ok(None) => Answer::Reply(&assembly.reply),
            Ok(Some(failure)) => Answer::Failure(failure),
            Err(cause) => Answer::Stopped(*cause, &assembly.reply),
        };
        let call = MadeCall {
            kind: purpose.call_kind(),
            iteration,
            origin: assembly.origin.clone().unwrap_or_else(|| hands.model.origin()),
            started_at,
            duration: began.elapsed(),
            request: sent,
            answer,
        };
        let call = call.record(interaction_id);
        spans::answered(&span, &hands.work.parts.config, &call, &assembly.reply.tool_calls);
        drop(span);
        let happened = match heard {
            Ok(None) => Happened::Replied(assembly.reply.clone()),
            Ok(Some(failure)) => Happened::ModelFailed(failure),
            Err(cause) => return Err(hands.give_up(call, cause, story.run.current_step()).await),
        };
        let happening = StepPayload::Model(call);
        let mut timeline = fallbacks(&assembly);
        let Record { messages, timeline: more } = story.apply(&happened)?;
        timeline.extend(more);
        hands.record(happening, Record { messages, timeline }, story.run.current_step()).await?;
        // Not before the record has it: whoever comes in between would find it nowhere.
        drop(live);
        Ok(())
    }
}

impl Hands<'_> {
    /// Listens to a reply until it ends or the time is up; answers what went wrong.
    async fn listen(
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
                Err(_) => return Some(self.out_of_time(assembly)),
            }
        }
    }

    /// Writes down a call that is given up because the work ends. Where somebody else goes on with the work, the call is
    /// made again, and nothing is written down. Answers why it is not gone on with.
    pub(super) async fn give_up(&self, call: LlmCall, cause: StopCause, now: String) -> Halt {
        if cause.ending().is_none() {
            return cause.into();
        }
        let recorded = self.record(StepPayload::Model(call), Record::default(), now).await;
        recorded.err().unwrap_or(cause.into())
    }

    fn out_of_time(&self, assembly: &Assembly) -> ModelFailure {
        let limit = self.agent.iteration_timeout.duration().as_secs_f64();
        ModelFailure {
            kind: ModelFailureKind::Timeout,
            message: format!("the reply was not complete within the iteration's {limit} s"),
            partial_text: assembly.reply.text.clone(),
            usage: assembly.reply.usage,
        }
    }
}

/// Models that were asked in vain, for people.
fn fallbacks(assembly: &Assembly) -> Vec<TimelineEntry> {
    let entry = |(origin, failure): &(Origin, ModelFailure)| TimelineEntry {
        event_type: TimelineEventType::Warning,
        content: format!(
            "{} could not answer ({}): {}. The next provider was asked.",
            origin.provider, failure.kind, failure.message
        ),
        metadata: metadata(
            json!({ "provider": origin.provider, "model": origin.model, "error_kind": failure.kind }),
        ),
    };
    assembly.failed.iter().map(entry).collect()
}

fn metadata(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(metadata) => metadata,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

/// What was sent, told by the recorded conversation: up to which message, and which of them were sent otherwise.
///
/// Writing the whole conversation down with every call would make the record grow with its square.
fn as_sent(sent: &[Arc<Message>], recorded: &[Arc<Message>]) -> String {
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

fn native_tools(tools: NativeToolsConfig) -> NativeTools {
    NativeTools {
        google_search: tools.google_search.unwrap_or(false),
        code_execution: tools.code_execution.unwrap_or(false),
        url_context: tools.url_context.unwrap_or(false),
    }
}
