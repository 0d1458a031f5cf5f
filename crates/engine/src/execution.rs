//! One execution from start to end, across restarts of the process.

pub(crate) mod agent_tools;
pub(crate) mod driver;
pub(crate) mod history;
pub(crate) mod live_reply;
pub(crate) mod opening;
pub(crate) mod setup;
pub(crate) mod started_calls;

use std::num::NonZeroU32;

use tarsy_agent::{ConclusionCause, FailureCause, RunOutcome};
use tarsy_config::ResolvedAgent;
use tarsy_config::file::AgentType;
use tarsy_domain::{ExecutionId, ExecutionKind, MessageId, StageId, TokenUsage, WorkStatus};
use tarsy_store::{Execution, ExecutionOpening, ExecutionOutcome, NewExecution, NewMessage};
use tracing::Instrument;

use crate::Caller;
use crate::execution::agent_tools::AgentTools;
use crate::execution::driver::{Driver, DriverContext, Interrupted};
use crate::execution::setup::{AgentAssignment, Prepared, prepare};
use crate::session_work::SessionWork;
use crate::spans;
use crate::stop::Stop;
use crate::stop::halt::Halt;

/// Number of consecutive failed model calls after which an agent fails.
const MAX_FAILED_CALLS: NonZeroU32 = NonZeroU32::new(5).unwrap();
/// The same for an agent whose provider did not reply to another agent of the session.
const MAX_FAILED_CALLS_IF_DOWN: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// An execution to run: the agent and its assignment.
pub(crate) struct ExecutionJob<'a> {
    pub(crate) kind: ExecutionKind,
    pub(crate) stage_id: Option<StageId>,
    /// The name of the stage, for recordings.
    pub(crate) stage_name: &'a str,
    pub(crate) agent_index: u64,
    pub(crate) agent: &'a ResolvedAgent,
    pub(crate) assignment: AgentAssignment<'a>,
    /// Share of the session's token budget.
    pub(crate) budget: Option<u64>,
}

/// The end of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndedExecution {
    pub(crate) execution_id: ExecutionId,
    pub(crate) agent: String,
    pub(crate) status: WorkStatus,
    pub(crate) analysis: Option<String>,
    pub(crate) error: Option<String>,
}

impl ExecutionJob<'_> {
    /// Runs the execution, or resumes it. One that has ended already is returned as recorded.
    pub(crate) async fn run(
        &self,
        work: &SessionWork,
        recorded: &[Execution],
        stop: &Stop,
    ) -> Result<EndedExecution, Halt> {
        let max_failed_calls =
            if self.provider_was_down(recorded) { MAX_FAILED_CALLS_IF_DOWN } else { MAX_FAILED_CALLS };
        let recorded = recorded.iter().find(|execution| self.matches(execution));
        if let Some(ended) = recorded.filter(|execution| execution.status.is_terminal()) {
            return Ok(EndedExecution::of(ended));
        }
        if self.agent.agent_type == AgentType::Action {
            return Err(Halt::Broken(self.unrestrained_actions()));
        }
        let execution_id = recorded.map_or_else(ExecutionId::new, |found| found.identity.execution_id);
        let span = spans::agent(&self.agent.name, execution_id);
        self.start_or_resume(work, execution_id, recorded, max_failed_calls, stop).instrument(span).await
    }

    /// Returns why an agent of type `action` is not run. The configuration rejects such agents, but a session of an earlier
    /// version can have one in its recorded chain.
    fn unrestrained_actions(&self) -> String {
        format!(
            "agent `{}` of stage `{}` is of type `action`, which is not supported yet: it would run its tools without \
             approval; remove it from the chain and submit the alert again",
            self.agent.name, self.stage_name
        )
    }

    async fn start_or_resume(
        &self,
        work: &SessionWork,
        execution_id: ExecutionId,
        recorded: Option<&Execution>,
        max_failed_calls: NonZeroU32,
        stop: &Stop,
    ) -> Result<EndedExecution, Halt> {
        // An agent without a usable provider fails at its first call, and only this agent.
        let model = work.resources.models.chain_or_unavailable(self.agent);
        let caller = Caller { execution_id, stage: self.stage_name, agent: &self.agent.name };
        let tools = stop.unless_stopped(AgentTools::open(work, self.agent, caller)).await?;
        let context = DriverContext {
            work,
            agent: self.agent,
            execution_id,
            stage_id: self.stage_id,
            stage_name: self.stage_name,
            question: self.assignment.question(),
            model,
            tools: &tools,
            stop: stop.clone(),
        };
        let outcome = self.drive(context, recorded.is_some(), max_failed_calls).await;
        tools.close().await;
        self.finish(work, execution_id, outcome).await
    }

    fn matches(&self, execution: &Execution) -> bool {
        let identity = &execution.identity;
        identity.kind == self.kind
            && identity.stage_id == self.stage_id
            && identity.agent_index == self.agent_index
    }

    /// Returns whether another agent of the session got no reply from the same provider. The session has waited for it
    /// once, so this agent waits only a little.
    fn provider_was_down(&self, recorded: &[Execution]) -> bool {
        recorded.iter().any(|other| {
            other.identity.llm_provider == self.agent.llm_provider
                && matches!(other.status, WorkStatus::Failed | WorkStatus::TimedOut)
                && other.llm_interactions > 0
                && other.usage == TokenUsage::default()
        })
    }

    async fn drive(
        &self,
        context: DriverContext<'_>,
        is_recorded: bool,
        max_failed_calls: NonZeroU32,
    ) -> Result<RunOutcome, Interrupted> {
        let work = context.work;
        if is_recorded {
            let journal =
                work.resources.store.journal_fetch(context.execution_id).await.map_err(Halt::from)?;
            let failure =
                work.resources.store.last_failure_fetch(context.execution_id).await.map_err(Halt::from)?;
            return Driver::resume(context, journal, failure)?.run().await;
        }
        let Prepared { setup, notes } =
            prepare(work, self.agent, context.tools, self.assignment, self.budget, max_failed_calls)?;
        let messages = setup.opening.iter();
        let opening = ExecutionOpening {
            setup: serde_json::to_string(&setup).map_err(|error| Halt::Broken(error.to_string()))?,
            messages: messages
                .map(|message| NewMessage { message_id: MessageId::new(), message: message.clone() })
                .collect(),
            notes,
            current_step: format!("{}: thinking", self.agent.name),
        };
        work.recorder.begin_execution(self.identity(context.execution_id), opening).await?;
        Driver::new(context, setup).run().await
    }

    fn identity(&self, execution_id: ExecutionId) -> NewExecution {
        NewExecution {
            execution_id,
            stage_id: self.stage_id,
            kind: self.kind,
            agent_index: self.agent_index,
            agent_name: self.agent.name.clone(),
            iteration_strategy: self.agent.iteration_strategy,
            llm_provider: self.agent.llm_provider.clone(),
        }
    }

    /// Records the end. A stop is an end too, unless another process resumes the work.
    async fn finish(
        &self,
        work: &SessionWork,
        execution_id: ExecutionId,
        outcome: Result<RunOutcome, Interrupted>,
    ) -> Result<EndedExecution, Halt> {
        let (ending, halt) = match outcome {
            Ok(outcome) => (execution_outcome(outcome), None),
            Err(Interrupted { halt: Halt::Stopped(cause), last_text }) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                let ending = ExecutionOutcome {
                    status,
                    final_analysis: last_text,
                    error_message: Some(cause.message().to_owned()),
                };
                (ending, Some(Halt::Stopped(cause)))
            }
            Err(Interrupted { halt, .. }) => return Err(halt),
        };
        work.recorder.finish_execution(execution_id, ending.clone()).await?;
        match halt {
            Some(halt) => Err(halt),
            None => Ok(EndedExecution {
                execution_id,
                agent: self.agent.name.clone(),
                status: ending.status,
                analysis: ending.final_analysis.filter(|_| ending.status == WorkStatus::Completed),
                error: ending.error_message,
            }),
        }
    }
}

impl EndedExecution {
    fn of(execution: &Execution) -> Self {
        Self {
            execution_id: execution.identity.execution_id,
            agent: execution.identity.agent_name.clone(),
            status: execution.status,
            analysis: execution.final_analysis.clone().filter(|_| execution.status == WorkStatus::Completed),
            error: execution.error_message.clone(),
        }
    }
}

/// Converts the outcome of a run. The last text of a failed run is kept as its analysis; the status
/// distinguishes the two.
fn execution_outcome(outcome: RunOutcome) -> ExecutionOutcome {
    match outcome {
        RunOutcome::Completed { analysis, conclusion } => ExecutionOutcome {
            status: WorkStatus::Completed,
            final_analysis: Some(analysis),
            error_message: match conclusion {
                ConclusionCause::Reached | ConclusionCause::Forced => None,
                ConclusionCause::BudgetSpent => {
                    Some("the token budget was used up before the agent concluded".to_owned())
                }
                ConclusionCause::CutOff => {
                    Some("the analysis is incomplete: the output limit of the model was reached".to_owned())
                }
            },
        },
        RunOutcome::Failed { error, cause, partial } => ExecutionOutcome {
            status: match cause {
                FailureCause::Timeouts => WorkStatus::TimedOut,
                FailureCause::IterationLimit | FailureCause::BudgetSpent | FailureCause::Model(_) => {
                    WorkStatus::Failed
                }
            },
            final_analysis: partial,
            error_message: Some(error),
        },
    }
}
