//! What a cassette is made of, as the store has it.

use serde::Deserialize;
use tarsy_domain::{ExecutionKind, Message, ToolDefinition};
use tarsy_store::{
    Execution, LlmCall, LlmInteraction, McpInteraction, Session, SessionInput, Stage, StoreError, ToolRun,
};

use crate::view::investigation::recorded_json;

/// A session with everything that was recorded of it.
pub(crate) struct RecordedSession {
    pub(crate) session: Session,
    pub(crate) input: SessionInput,
    /// The runbook's text; empty if there was none.
    pub(crate) runbook: String,
    pub(crate) stages: Vec<Stage>,
    pub(crate) executions: Vec<RecordedExecution>,
    /// The model calls of all executions.
    pub(crate) model_calls: Vec<LlmInteraction>,
    /// The tool calls of all executions.
    pub(crate) tool_calls: Vec<McpInteraction>,
}

/// An execution with what it began with and all that was said in it.
pub(crate) struct RecordedExecution {
    pub(crate) execution: Execution,
    pub(crate) setup: RecordedSetup,
    pub(crate) messages: Vec<Message>,
}

/// What is needed of the setup of a run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RecordedSetup {
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) limits: RecordedLimits,
}

/// What is needed of the limits of a run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RecordedLimits {
    pub(crate) context_window: Option<u64>,
}

impl RecordedExecution {
    /// An execution with its setup, which is JSON.
    pub(crate) fn read(
        execution: Execution,
        setup: Option<&str>,
        messages: Vec<Message>,
    ) -> Result<Self, StoreError> {
        let setup = setup.map(|setup| recorded_json(setup, "setup")).transpose()?.unwrap_or_default();
        Ok(Self { execution, setup, messages })
    }
}

impl RecordedSession {
    /// The executions that investigated, stage by stage. Agents that work at once begin in any order, and a cassette
    /// should not differ by that.
    pub(super) fn investigating(&self) -> Vec<&RecordedExecution> {
        let mut executions: Vec<&RecordedExecution> =
            self.executions.iter().filter(|one| one.execution.identity.kind != ExecutionKind::Chat).collect();
        executions.sort_by_key(|one| {
            let identity = &one.execution.identity;
            let stage = self.stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
            let is_after_all = stage.is_none();
            let is_after_agents = identity.kind != ExecutionKind::Agent;
            (is_after_all, stage.map(|stage| stage.stage_index), is_after_agents, identity.agent_index)
        });
        executions
    }

    /// What a replay calls an agent by; it must be what the engine calls it by when it asks a model.
    pub(super) fn name_of(&self, execution: &Execution) -> String {
        let identity = &execution.identity;
        let stage = self.stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
        match (stage, identity.kind) {
            (Some(stage), _) => format!("{}/{}", stage.name, identity.agent_name),
            (None, ExecutionKind::Chat) => format!("chat {}/{}", identity.agent_index, identity.agent_name),
            (None, ExecutionKind::Agent | ExecutionKind::Synthesis | ExecutionKind::ExecutiveSummary) => {
                identity.agent_name.clone()
            }
        }
    }

    /// The model calls of an execution in order, each with its step. One that was given up is no part of what happened:
    /// a replay comes to its end without it.
    pub(super) fn model_calls(&self, execution: &Execution) -> Vec<(u64, &LlmCall)> {
        let id = execution.identity.execution_id;
        let own = self.model_calls.iter().filter(|one| one.execution_id == id && !one.call.was_stopped());
        let mut calls: Vec<_> = own.map(|one| (one.step, &one.call)).collect();
        calls.sort_by_key(|(step, _)| *step);
        calls
    }

    /// The tool calls of an execution in order, each with its step.
    pub(super) fn tool_calls(&self, execution: &Execution) -> Vec<(u64, &ToolRun)> {
        let id = execution.identity.execution_id;
        let own = self.tool_calls.iter().filter(|one| one.execution_id == id && one.run.kind == "tool_call");
        let mut calls: Vec<_> = own.map(|one| (one.step, &one.run)).collect();
        calls.sort_by_key(|(step, _)| *step);
        calls
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{InteractionId, SessionStatus, WorkStatus};
    use tarsy_store::{Happening, STOPPED};
    use tarsy_testkit::answer;

    use super::*;
    use crate::view::fixture::{at, execution, input, session, stage};

    fn recorded(executions: Vec<Execution>, stages: Vec<Stage>) -> RecordedSession {
        let read = |one| RecordedExecution::read(one, None, Vec::new()).unwrap();
        RecordedSession {
            session: session(SessionStatus::Completed),
            input: input(),
            runbook: String::new(),
            stages,
            executions: executions.into_iter().map(read).collect(),
            model_calls: Vec::new(),
            tool_calls: Vec::new(),
        }
    }

    fn in_stage(stage: Option<&Stage>, kind: ExecutionKind, agent_index: u64) -> Execution {
        let mut execution = execution("A", kind, WorkStatus::Completed);
        execution.identity.stage_id = stage.map(|stage| stage.stage_id);
        execution.identity.agent_index = agent_index;
        execution
    }

    #[test]
    fn an_agent_is_called_as_the_engine_calls_it() {
        let look = stage("look", WorkStatus::Active, &[]).stage;
        let cases = [
            (Some(&look), ExecutionKind::Agent, "look/A"),
            (Some(&look), ExecutionKind::Synthesis, "look/A"),
            (None, ExecutionKind::ExecutiveSummary, "A"),
            (None, ExecutionKind::Chat, "chat 2/A"),
        ];
        let recorded = recorded(Vec::new(), vec![look.clone()]);
        for (stage, kind, expected) in cases {
            assert_eq!(recorded.name_of(&in_stage(stage, kind, 2)), expected);
        }
    }

    #[test]
    fn executions_are_told_in_the_order_of_the_chain() {
        let first = stage("look", WorkStatus::Completed, &[]).stage;
        let second = Stage { stage_index: 1, ..stage("conclude", WorkStatus::Completed, &[]).stage };
        let order = [
            in_stage(Some(&first), ExecutionKind::Agent, 0),
            in_stage(Some(&first), ExecutionKind::Agent, 1),
            in_stage(Some(&first), ExecutionKind::Synthesis, 0),
            in_stage(Some(&second), ExecutionKind::Agent, 0),
            in_stage(None, ExecutionKind::ExecutiveSummary, 0),
        ];
        let mut begun: Vec<Execution> = order.iter().rev().cloned().collect();
        begun.push(in_stage(None, ExecutionKind::Chat, 1));
        let recorded = recorded(begun, vec![second, first]);
        let told: Vec<_> = recorded.investigating().iter().map(|one| &one.execution).collect();
        assert_eq!(told, order.iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_call_that_was_given_up_is_not_on_it() {
        let execution = in_stage(None, ExecutionKind::Agent, 0);
        let interaction = |step, error_kind: Option<&str>| {
            let Happening::Model(call) = answer(execution.identity.execution_id, "x", at(1)).happening else {
                panic!("a model answers")
            };
            let interaction_id = InteractionId::new();
            let call = LlmCall { interaction_id, error_kind: error_kind.map(str::to_owned), ..call };
            LlmInteraction { execution_id: execution.identity.execution_id, step, call }
        };
        let calls =
            vec![interaction(3, Some(STOPPED)), interaction(2, Some("timeout")), interaction(1, None)];
        let recorded = RecordedSession { model_calls: calls, ..recorded(Vec::new(), Vec::new()) };
        let steps: Vec<u64> = recorded.model_calls(&execution).iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [1, 2]);
    }
}
