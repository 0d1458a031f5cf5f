//! A session with all its parts, which several views share.

use serde_json::{Map, Value};
use tarsy_config::ResolvedChain;
use tarsy_domain::{ExecutionId, ExecutionKind, SessionId, StageId, Timestamp, WorkStatus};
use tarsy_store::{Execution, Session, SessionInput, Stage, Store, StoreError, decode_json};
use tracing::debug;

/// A session with its input, stages and executions.
#[derive(Debug)]
pub(crate) struct Investigation {
    pub(crate) session: Session,
    pub(crate) input: SessionInput,
    /// The chain at the time of submission.
    pub(crate) chain: Map<String, Value>,
    pub(crate) stages: Vec<InvestigationStage>,
    /// Executions outside of stages: the executive summary and chat replies.
    pub(crate) others: Vec<Execution>,
}

/// A stage with its executions.
#[derive(Debug)]
pub(crate) struct InvestigationStage {
    pub(crate) stage: Stage,
    /// The names of all its agents, including those that have not started.
    pub(crate) agents: Vec<String>,
    /// The condition under which the stage runs.
    pub(crate) condition: Option<String>,
    /// The executions of its agents and of its synthesis.
    pub(crate) executions: Vec<Execution>,
}

impl Investigation {
    /// Reads all parts of a session; None if it was deleted concurrently.
    pub(crate) async fn fetch(store: &Store, session: Session) -> Result<Option<Self>, StoreError> {
        let session_id = session.session_id;
        let Some(input) = store.session_input_fetch(session_id).await? else { return Ok(None) };
        let stages = store.stage_list(session_id).await?;
        let executions = store.execution_list(session_id).await?;
        Self::assemble(session, input, stages, executions).map(Some)
    }

    fn assemble(
        session: Session,
        input: SessionInput,
        stages: Vec<Stage>,
        executions: Vec<Execution>,
    ) -> Result<Self, StoreError> {
        let chain = decode_json("chain_snapshot", session.session_id, &input.chain_snapshot)?;
        let resolved = decode_chain(session.session_id, &input.chain_snapshot);
        let (in_stages, others): (Vec<_>, Vec<_>) =
            executions.into_iter().partition(|execution| execution.identity.stage_id.is_some());
        let stages = stages.into_iter().map(|stage| {
            let own = in_stages.iter().filter(|run| run.identity.stage_id == Some(stage.stage_id));
            InvestigationStage::new(stage.clone(), resolved.as_ref(), own.cloned().collect())
        });
        Ok(Self { session, input, chain, stages: stages.collect(), others })
    }

    /// Returns the stage and the execution of an entry. The stage of an execution is the default.
    pub(crate) fn locate(
        &self,
        stage_id: Option<StageId>,
        execution_id: Option<ExecutionId>,
    ) -> (Option<&InvestigationStage>, Option<&Execution>) {
        let is_it = |execution: &&Execution| Some(execution.identity.execution_id) == execution_id;
        let mut executions = self.stages.iter().flat_map(|stage| &stage.executions).chain(&self.others);
        let execution = executions.find(is_it);
        let stage_id = stage_id.or_else(|| execution?.identity.stage_id);
        (self.stages.iter().find(|stage| Some(stage.stage.stage_id) == stage_id), execution)
    }

    /// Returns the position of a stage in the chain.
    pub(crate) fn index_of(&self, stage: &InvestigationStage) -> Option<usize> {
        self.stages.iter().position(|other| other.stage.stage_id == stage.stage.stage_id)
    }

    /// Returns the number of stages with the status `completed`.
    pub(crate) fn completed_stages(&self) -> u64 {
        let completed = self.stages.iter().filter(|stage| stage.stage.status == WorkStatus::Completed);
        completed.count() as u64
    }
}

/// Returns the chain as this version resolves it. A chain of an earlier version may lack fields that this one
/// needs; its agents are then taken from the executions.
pub(crate) fn decode_chain(session_id: SessionId, snapshot: &str) -> Option<ResolvedChain> {
    match decode_json("chain_snapshot", session_id, snapshot) {
        Ok(chain) => Some(chain),
        Err(error) => {
            debug!(%error, "chain of an earlier version; using the agents of its executions");
            None
        }
    }
}

impl InvestigationStage {
    fn new(stage: Stage, chain: Option<&ResolvedChain>, executions: Vec<Execution>) -> Self {
        let planned = chain.and_then(|chain| chain.stages.iter().find(|planned| planned.name == stage.name));
        let agents = match planned {
            Some(planned) => planned.agents.iter().map(|agent| agent.name.clone()).collect(),
            None => agents_of(&executions).map(|execution| execution.identity.agent_name.clone()).collect(),
        };
        let condition = planned.and_then(|planned| planned.when.clone());
        Self { stage, agents, condition, executions }
    }

    /// Returns the executions of its agents, without the synthesis.
    pub(crate) fn agent_executions(&self) -> impl Iterator<Item = &Execution> {
        agents_of(&self.executions)
    }

    /// Returns its duration; None until it ends.
    pub(crate) fn duration_ms(&self) -> Option<u64> {
        duration_ms(self.stage.started_at, self.stage.completed_at)
    }
}

fn agents_of(executions: &[Execution]) -> impl Iterator<Item = &Execution> {
    executions.iter().filter(|execution| execution.identity.kind == ExecutionKind::Agent)
}

/// Returns the time between two timestamps; None if one is missing.
pub(crate) fn duration_ms(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<u64> {
    Some(millis_between(from?, to?))
}

/// Returns the time between two timestamps; 0 if they are reversed, because the clocks of machines may
/// differ.
pub(crate) fn millis_between(from: Timestamp, to: Timestamp) -> u64 {
    let micros = to.as_micros().saturating_sub(from.as_micros());
    u64::try_from(micros).unwrap_or_default() / 1000
}

/// Returns the duration of an execution; None until it ends.
pub(crate) fn execution_ms(execution: &Execution) -> Option<u64> {
    execution.completed_at.map(|end| millis_between(execution.started_at, end))
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{SessionStatus, WorkStatus};

    use super::*;
    use crate::view::fixture::{at, execution, investigation, session, snapshot, stage};

    fn assembled(chain_snapshot: String) -> Investigation {
        let session = session(SessionStatus::InProgress);
        let input = investigation(session.clone(), Vec::new()).input;
        let stage = stage("analysis", WorkStatus::Active, &[]).stage;
        let mut running = execution("RecordedAgent", ExecutionKind::Agent, WorkStatus::Active);
        running.identity.stage_id = Some(stage.stage_id);
        let summary = execution("Summary", ExecutionKind::ExecutiveSummary, WorkStatus::Active);
        let input = SessionInput { chain_snapshot, ..input };
        Investigation::assemble(session, input, vec![stage], vec![running, summary]).unwrap()
    }

    #[test]
    fn agents_come_from_the_chain_or_from_the_executions() {
        let cases = [(snapshot("kubernetes"), "KubernetesAgent"), ("{}".to_owned(), "RecordedAgent")];
        for (chain_snapshot, agent) in cases {
            let investigation = assembled(chain_snapshot);
            assert_eq!(investigation.stages[0].agents, [agent]);
            assert_eq!(investigation.stages[0].executions.len(), 1);
            assert_eq!(investigation.others.len(), 1);
        }
    }

    #[test]
    fn a_duration_requires_two_timestamps() {
        let cases = [
            (Some(at(1)), Some(at(4)), Some(3)),
            (Some(at(4)), Some(at(1)), Some(0)),
            (Some(at(1)), None, None),
            (None, Some(at(1)), None),
        ];
        for (from, to, expected) in cases {
            assert_eq!(duration_ms(from, to), expected);
        }
    }
}
