//! Records steps and delivers tool results to the run.
//!
//! A result that a model has to summarize is recorded before the summary is requested, and the summary is
//! recorded together with the delivery. After an interruption neither the tool call nor a completed summary
//! is repeated.

use tarsy_agent::{Happened, Record, TimelineEntry};
use tarsy_domain::{
    InteractionId, Message, MessageId, TimelineEventId, TimelineEventType, Timestamp, ToolCall, ToolResult,
    ToolStatus,
};
use tarsy_store::{LiveText, LlmCall, NewMessage, NewTimelineEvent, Step, StepPayload, ToolRun};
use tarsy_tools::ToolOutcome;

use super::DriverContext;
use super::call_record::{millis, tool_run};
use super::state::{PriorCall, RunState};
use crate::digest::Shortening;
use crate::execution::history::UndeliveredResult;
use crate::execution::started_calls::outcome_unknown;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

/// The result of a tool call that was made in this process.
pub(super) struct NewResult {
    pub(super) interaction_id: InteractionId,
    pub(super) started_at: Timestamp,
    pub(super) outcome: ToolOutcome,
    /// The progress that clients see. Dropping it removes it from their view.
    pub(super) progress: LiveText,
}

impl DriverContext<'_> {
    /// Delivers a call that was started before an interruption.
    pub(super) async fn deliver_prior(
        &self,
        state: &mut RunState,
        call: &ToolCall,
        prior: PriorCall,
    ) -> Result<(), Halt> {
        match prior {
            PriorCall::Recorded(result) => self.deliver_recorded(state, call, result).await,
            PriorCall::Unknown => {
                let mut run = tool_run(call, InteractionId::new(), Timestamp::now());
                run.error_message = Some("the outcome is unknown".to_owned());
                self.record_and_deliver(state, run, outcome_unknown(call)).await
            }
        }
    }

    /// Records and delivers a new result: in one step, or in two if a model has to summarize it.
    pub(super) async fn deliver_new(
        &self,
        state: &mut RunState,
        call: &ToolCall,
        result: NewResult,
    ) -> Result<(), Halt> {
        // Clients see the progress until the call is recorded.
        let NewResult { interaction_id, started_at, outcome, progress: _progress } = result;
        let number = state.next_result_number();
        let mut run = tool_run(call, interaction_id, started_at);
        run.duration_ms = millis(outcome.duration);
        run.error_message = match outcome.status {
            ToolStatus::Ok => None,
            ToolStatus::Error => Some("the tool reported an error".to_owned()),
            ToolStatus::TimedOut => Some("the tool did not respond in time".to_owned()),
        };
        run.result = Some(outcome.text.clone());
        if let Some(sent) = &outcome.sent_arguments {
            run.arguments = Some(sent.clone());
        }
        if let Some(digest) = self.digest_without_model(state, call, number, &outcome) {
            let shortened = digest.how.is_shorter();
            let result = ToolResult { shortened, ..outcome.result(digest.shown) };
            return self.record_and_deliver(state, run, result).await;
        }
        self.record(StepPayload::Tool(run), Record::default(), "Summarizing a long result".to_owned())
            .await?;
        let result =
            UndeliveredResult { interaction_id, call_id: call.id.clone(), number, text: outcome.text };
        state.add_undelivered(result.clone());
        self.deliver_recorded(state, call, result).await
    }

    async fn record_and_deliver(
        &self,
        state: &mut RunState,
        mut run: ToolRun,
        result: ToolResult,
    ) -> Result<(), Halt> {
        run.delivered = Some(result.clone());
        let record = state.apply(&Happened::ToolReturned(result))?;
        self.record(StepPayload::Tool(run), record, state.run.current_step()).await
    }

    /// Shortens or summarizes a recorded result and delivers it.
    async fn deliver_recorded(
        &self,
        state: &mut RunState,
        call: &ToolCall,
        result: UndeliveredResult,
    ) -> Result<(), Halt> {
        let (of, started_at) = (result.interaction_id, Timestamp::now());
        let digest = match self.digest(state, call, &result).await {
            Ok(digest) => digest,
            Err(stopped) => {
                let call = self.stopped_summary_call(call, &stopped, started_at);
                return Err(self.give_up(call, stopped.cause, state.run.current_step()).await);
            }
        };
        let delivered = ToolResult {
            shortened: digest.how.is_shorter(),
            call_id: call.id.clone(),
            usage: digest.how.usage(),
            content: digest.shown,
            status: ToolStatus::Ok,
        };
        state.remove_undelivered(of);
        let mut record = state.apply(&Happened::ToolReturned(delivered.clone()))?;
        if matches!(digest.how, Shortening::Summarized(_)) {
            show_as_summary(&mut record);
        }
        let payload = match digest.how {
            Shortening::None | Shortening::Reduced => StepPayload::Delivered { of, delivered },
            Shortening::Summarized(summary) | Shortening::SummaryFailed(summary) => {
                StepPayload::Summary { call: self.summary_call(summary, started_at), of, delivered }
            }
        };
        self.record(payload, record, state.run.current_step()).await
    }

    /// Records one step: a call, with the messages and timeline entries that follow from it.
    pub(super) async fn record(
        &self,
        payload: StepPayload,
        record: Record,
        current_step: String,
    ) -> Result<(), Halt> {
        let at = Timestamp::now();
        let (count, masked_values) = self.work.masked_values()?;
        let step = Step {
            execution_id: self.execution_id,
            payload,
            messages: record.messages.iter().map(|message| new_message(message)).collect(),
            timeline: record.timeline.into_iter().map(|entry| self.timeline_event(entry, at)).collect(),
            current_step: Some(format!("{}: {current_step}", self.agent.name)),
            masked_values,
        };
        self.work.recorder.step(step).await?;
        self.work.masked_values_are_recorded(count);
        Ok(())
    }

    /// Records a model call that is given up because the work ends. If another process resumes the work, it
    /// repeats the call, so nothing is recorded. Returns why the work stops.
    pub(super) async fn give_up(&self, call: LlmCall, cause: StopCause, current_step: String) -> Halt {
        if cause.ending().is_none() {
            return cause.into();
        }
        let recorded = self.record(StepPayload::Model(call), Record::default(), current_step).await;
        recorded.err().unwrap_or(cause.into())
    }

    fn timeline_event(&self, entry: TimelineEntry, at: Timestamp) -> NewTimelineEvent {
        NewTimelineEvent {
            timeline_event_id: TimelineEventId::new(),
            stage_id: self.stage_id,
            event_type: entry.event_type,
            content: entry.content,
            metadata: serde_json::Value::Object(entry.metadata).to_string(),
            created_at: at,
        }
    }
}

fn show_as_summary(record: &mut Record) {
    for entry in &mut record.timeline {
        if entry.event_type == TimelineEventType::ToolResult {
            entry.event_type = TimelineEventType::McpToolSummary;
        }
    }
}

fn new_message(message: &Message) -> NewMessage {
    NewMessage { message_id: MessageId::new(), message: message.clone() }
}
