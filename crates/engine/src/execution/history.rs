//! The history of an execution: its journal, converted to what a run is rebuilt from. Pure.
//!
//! ```text
//!  Journal ─▶ History::of ─▶ AgentRun::resume(setup, happenings, messages)
//! ```
//!
//! A tool result that was recorded but not delivered to the run is not in `happenings`: it is an
//! [`UndeliveredResult`], which the driver delivers when the run requests the result of that call.

use tarsy_agent::{AgentRun, Happened, Setup};
use tarsy_domain::{InteractionId, Message};
use tarsy_store::{Journal, JournalEntry, LlmResponse, StoreError, decode_json};

use crate::execution::started_calls::StartedCalls;

/// What is known about an execution after an interruption.
#[derive(Debug, PartialEq)]
pub(crate) struct History {
    pub(crate) setup: Setup,
    /// Everything that was delivered to the run, in order.
    pub(crate) happenings: Vec<Happened>,
    /// The recorded conversation.
    pub(crate) messages: Vec<Message>,
    /// Recorded tool results that were not delivered, in the order of recording.
    pub(crate) undelivered: Vec<UndeliveredResult>,
    /// Tool calls that were started and must not be repeated.
    pub(crate) started_calls: Option<StartedCalls>,
}

/// A recorded tool result that was not delivered to the run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UndeliveredResult {
    pub(crate) interaction_id: InteractionId,
    /// The model's id of the call.
    pub(crate) call_id: String,
    /// Position among all recorded results of the execution, from 1. Agents refer to it as `r1`, `r2`, and so
    /// on.
    pub(crate) number: u32,
    /// The full text, masked.
    pub(crate) text: String,
}

impl History {
    /// Converts a journal. Fails if a recorded value cannot be parsed; the execution then cannot be resumed.
    pub(crate) fn of(journal: Journal) -> Result<Self, StoreError> {
        let execution_id = journal.execution_id;
        let started = journal.started_calls.as_deref();
        let mut history = Self {
            setup: decode_json("setup", execution_id, &journal.setup)?,
            happenings: Vec::new(),
            messages: journal.messages,
            undelivered: Vec::new(),
            started_calls: started
                .map(|text| decode_json("started_calls", execution_id, text))
                .transpose()?,
        };
        let mut results = 0;
        for entry in journal.entries {
            match entry {
                JournalEntry::Model(LlmResponse::Reply(reply)) => {
                    history.happenings.push(Happened::Replied(reply));
                }
                JournalEntry::Model(LlmResponse::Failure(failure)) => {
                    history.happenings.push(Happened::ModelFailed(failure));
                }
                JournalEntry::Delivered(result) => {
                    results += 1;
                    history.happenings.push(Happened::ToolReturned(result));
                }
                JournalEntry::Undelivered { interaction_id, tool_call_id, result } => {
                    results += 1;
                    history.undelivered.push(UndeliveredResult {
                        interaction_id,
                        call_id: tool_call_id,
                        number: results,
                        text: result,
                    });
                }
            }
        }
        Ok(history)
    }

    /// Returns the last text of the model.
    pub(crate) fn last_text(self) -> Option<String> {
        let run = AgentRun::resume(self.setup, &self.happenings, &self.messages);
        run.last_text().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use tarsy_agent::{AtLimit, Limits, RunRules};
    use tarsy_domain::{
        ExecutionId, IterationStrategy, ModelFailure, ModelFailureKind, ModelReply, PromptProfile,
        TimelineEventType, TokenUsage, ToolResult, ToolStatus,
    };

    use super::*;

    fn setup() -> Setup {
        Setup {
            strategy: IterationStrategy::NativeThinking,
            prompt_profile: PromptProfile::Full,
            opening: Vec::new(),
            conclusion_request: String::new(),
            conclusion_event: TimelineEventType::FinalAnalysis,
            tools: Vec::new(),
            result_reader: None,
            rules: RunRules::default(),
            limits: Limits {
                max_iterations: NonZeroU32::MIN,
                at_limit: AtLimit::Fail,
                token_budget: None,
                context_window: None,
            },
        }
    }

    fn history(entries: Vec<JournalEntry>) -> History {
        let setup = serde_json::to_string(&setup()).unwrap();
        History::of(Journal {
            execution_id: ExecutionId::new(),
            setup,
            messages: Vec::new(),
            entries,
            started_calls: None,
        })
        .unwrap()
    }

    fn reply() -> ModelReply {
        ModelReply { text: "Looking.".to_owned(), ..ModelReply::default() }
    }

    fn failure() -> ModelFailure {
        ModelFailure {
            retry_after_ms: None,
            kind: ModelFailureKind::Timeout,
            message: "no reply".to_owned(),
            partial_text: String::new(),
            usage: TokenUsage::default(),
        }
    }

    fn result(call_id: &str) -> ToolResult {
        ToolResult {
            shortened: false,
            call_id: call_id.to_owned(),
            content: "short".to_owned(),
            status: ToolStatus::Ok,
            usage: TokenUsage::default(),
        }
    }

    #[test]
    fn converts_delivered_entries_to_happenings_in_order() {
        let cases = [
            (vec![], vec![]),
            (vec![JournalEntry::Model(LlmResponse::Reply(reply()))], vec![Happened::Replied(reply())]),
            (
                vec![
                    JournalEntry::Model(LlmResponse::Failure(failure())),
                    JournalEntry::Model(LlmResponse::Reply(reply())),
                    JournalEntry::Delivered(result("a")),
                ],
                vec![
                    Happened::ModelFailed(failure()),
                    Happened::Replied(reply()),
                    Happened::ToolReturned(result("a")),
                ],
            ),
        ];
        for (entries, expected) in cases {
            let history = history(entries);
            assert_eq!((history.happenings, history.undelivered), (expected, vec![]));
        }
    }

    #[test]
    fn numbers_undelivered_results_after_the_delivered_ones() {
        let interaction_id = InteractionId::new();
        let (call_id, text) = ("b".to_owned(), "the full text".to_owned());
        let history = history(vec![
            JournalEntry::Model(LlmResponse::Reply(reply())),
            JournalEntry::Delivered(result("a")),
            JournalEntry::Undelivered { interaction_id, tool_call_id: call_id.clone(), result: text.clone() },
        ]);
        assert_eq!(history.happenings, [Happened::Replied(reply()), Happened::ToolReturned(result("a"))]);
        assert_eq!(history.undelivered, [UndeliveredResult { interaction_id, call_id, number: 2, text }]);
    }

    #[test]
    fn reports_a_corrupt_column() {
        let setup = serde_json::to_string(&setup()).unwrap();
        let journal = |setup: &str, started: &str| Journal {
            execution_id: ExecutionId::new(),
            setup: setup.to_owned(),
            messages: Vec::new(),
            entries: Vec::new(),
            started_calls: Some(started.to_owned()),
        };
        for (journal, expected) in [(journal("?", "{}"), "setup"), (journal(&setup, "?"), "started_calls")] {
            let history = History::of(journal);
            assert!(matches!(&history, Err(StoreError::Corrupt { .. })), "{history:?}");
            let error = history.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
