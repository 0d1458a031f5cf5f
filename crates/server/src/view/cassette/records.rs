//! The records of the store that a cassette is built from.

use serde::Deserialize;
use tarsy_domain::{ExecutionKind, Message, ToolDefinition, ToolRunKind};
use tarsy_store::{
    Execution, LlmCall, LlmInteraction, McpInteraction, Session, SessionInput, Stage, StoreError, ToolRun,
    decode_json,
};

/// A session with all its records.
pub(crate) struct SessionRecords {
    pub(crate) session: Session,
    pub(crate) input: SessionInput,
    /// The text of the runbook; empty without one.
    pub(crate) runbook: String,
    pub(crate) stages: Vec<Stage>,
    pub(crate) executions: Vec<ExecutionRecords>,
    /// The model calls of all executions.
    pub(crate) model_calls: Vec<LlmInteraction>,
    /// The tool calls of all executions.
    pub(crate) tool_calls: Vec<McpInteraction>,
}

/// An execution with its setup and its messages.
pub(crate) struct ExecutionRecords {
    pub(crate) execution: Execution,
    pub(crate) setup: RecordedSetup,
    pub(crate) messages: Vec<Message>,
}

/// The part of a run's setup that a cassette needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RecordedSetup {
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) limits: RecordedLimits,
}

/// The part of a run's limits that a cassette needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RecordedLimits {
    pub(crate) context_window: Option<u64>,
}

impl ExecutionRecords {
    /// Deserializes the setup of an execution.
    pub(crate) fn read(
        execution: Execution,
        setup: Option<&str>,
        messages: Vec<Message>,
    ) -> Result<Self, StoreError> {
        let id = execution.identity.execution_id;
        let setup = setup.map(|setup| decode_json("setup", id, setup)).transpose()?.unwrap_or_default();
        Ok(Self { execution, setup, messages })
    }
}

impl SessionRecords {
    /// Returns the executions of the chain in the order of the chain. Parallel agents start in any order, and
    /// a cassette must not depend on it.
    pub(super) fn investigating(&self) -> Vec<&ExecutionRecords> {
        let mut executions: Vec<&ExecutionRecords> =
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

    /// Returns the name of an agent in the cassette. It must equal the name that the engine uses in model
    /// calls.
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

    /// Returns the model calls of an execution in order, each with its step. Stopped calls are omitted,
    /// because a replay does not make them.
    pub(super) fn model_calls(&self, execution: &Execution) -> Vec<(u64, &LlmCall)> {
        let id = execution.identity.execution_id;
        let own = self.model_calls.iter().filter(|one| one.execution_id == id && !one.call.was_stopped());
        let mut calls: Vec<_> = own.map(|one| (one.step, &one.call)).collect();
        calls.sort_by_key(|(step, _)| *step);
        calls
    }

    /// Returns the tool calls of an execution in order, each with its step.
    pub(super) fn tool_calls(&self, execution: &Execution) -> Vec<(u64, &ToolRun)> {
        let id = execution.identity.execution_id;
        let own = self
            .tool_calls
            .iter()
            .filter(|one| one.execution_id == id && one.run.kind == ToolRunKind::ToolCall);
        let mut calls: Vec<_> = own.map(|one| (one.step, &one.run)).collect();
        calls.sort_by_key(|(step, _)| *step);
        calls
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{InteractionId, LlmErrorKind, SessionStatus, WorkStatus};
    use tarsy_store::StepPayload;
    use tarsy_testkit::model_step;

    use super::*;
    use crate::view::fixture::{at, execution, input, session, stage};

    fn recorded(executions: Vec<Execution>, stages: Vec<Stage>) -> SessionRecords {
        let read = |one| ExecutionRecords::read(one, None, Vec::new()).unwrap();
        SessionRecords {
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
    fn agents_are_named_as_in_the_engine() {
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
    fn executions_are_in_the_order_of_the_chain() {
        let first = stage("look", WorkStatus::Completed, &[]).stage;
        let second = Stage { stage_index: 1, ..stage("conclude", WorkStatus::Completed, &[]).stage };
        let order = [
            in_stage(Some(&first), ExecutionKind::Agent, 0),
            in_stage(Some(&first), ExecutionKind::Agent, 1),
            in_stage(Some(&first), ExecutionKind::Synthesis, 0),
            in_stage(Some(&second), ExecutionKind::Agent, 0),
            in_stage(None, ExecutionKind::ExecutiveSummary, 0),
        ];
        let mut started: Vec<Execution> = order.iter().rev().cloned().collect();
        started.push(in_stage(None, ExecutionKind::Chat, 1));
        let recorded = recorded(started, vec![second, first]);
        let ordered: Vec<_> = recorded.investigating().iter().map(|one| &one.execution).collect();
        assert_eq!(ordered, order.iter().collect::<Vec<_>>());
    }

    #[test]
    fn stopped_calls_are_left_out() {
        let execution = in_stage(None, ExecutionKind::Agent, 0);
        let interaction = |step, error_kind: Option<LlmErrorKind>| {
            let StepPayload::Model(call) = model_step(execution.identity.execution_id, "x", at(1)).payload
            else {
                panic!("not a model step")
            };
            let interaction_id = InteractionId::new();
            let call = LlmCall { interaction_id, error_kind, ..call };
            LlmInteraction { execution_id: execution.identity.execution_id, step, call }
        };
        let calls = vec![
            interaction(3, Some(LlmErrorKind::Stopped)),
            interaction(2, Some(LlmErrorKind::Timeout)),
            interaction(1, None),
        ];
        let recorded = SessionRecords { model_calls: calls, ..recorded(Vec::new(), Vec::new()) };
        let steps: Vec<u64> = recorded.model_calls(&execution).iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [1, 2]);
    }
}
