//! One agent's work from its beginning to its end, over as many processes as it takes.

pub(crate) mod agent_tools;
pub(crate) mod driver;
pub(crate) mod live_reply;
pub(crate) mod setup;
pub(crate) mod started_calls;

use tarsy_agent::{Conclusion, FailureCause, Outcome};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{ExecutionId, ExecutionKind, MessageId, StageId, WorkStatus};
use tarsy_store::{Execution, ExecutionOutcome, NewExecution, NewMessage, Opening};
use tracing::Instrument;

use crate::Caller;
use crate::execution::agent_tools::AgentTools;
use crate::execution::driver::{Driver, Hands, Interrupted};
use crate::execution::setup::{Assignment, Prepared, prepare};
use crate::spans;
use crate::stop::Stop;
use crate::stop::halt::Halt;
use crate::work::Work;

/// What is to be done by whom.
pub(crate) struct Job<'a> {
    pub(crate) kind: ExecutionKind,
    pub(crate) stage_id: Option<StageId>,
    /// The name of the stage, for recordings.
    pub(crate) stage_name: &'a str,
    pub(crate) agent_index: u64,
    pub(crate) agent: &'a ResolvedAgent,
    pub(crate) assignment: Assignment<'a>,
    /// What it may use of the session's tokens.
    pub(crate) budget: Option<u64>,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) execution_id: ExecutionId,
    pub(crate) agent: String,
    pub(crate) status: WorkStatus,
    pub(crate) analysis: Option<String>,
    pub(crate) error: Option<String>,
}

impl Job<'_> {
    /// Does the job, or what is left of it.
    pub(crate) async fn carry_out(
        &self,
        work: &Work,
        recorded: &[Execution],
        stop: &Stop,
    ) -> Result<Ended, Halt> {
        let recorded = recorded.iter().find(|execution| self.is(execution));
        if let Some(ended) = recorded.filter(|execution| execution.status.is_terminal()) {
            return Ok(Ended::of(ended));
        }
        let execution_id = recorded.map_or_else(ExecutionId::new, |found| found.identity.execution_id);
        let span = spans::agent(&self.agent.name, execution_id);
        self.begin_or_resume(work, execution_id, recorded, stop).instrument(span).await
    }

    async fn begin_or_resume(
        &self,
        work: &Work,
        execution_id: ExecutionId,
        recorded: Option<&Execution>,
        stop: &Stop,
    ) -> Result<Ended, Halt> {
        let model = work.parts.models.chain(self.agent).map_err(|error| Halt::Broken(error.in_full()))?;
        let caller = Caller { execution_id, stage: self.stage_name, agent: &self.agent.name };
        let tools = stop.unless_stopped(AgentTools::open(work, self.agent, caller)).await?;
        let hands = Hands {
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
        let outcome = self.drive(hands, recorded.is_some()).await;
        tools.close().await;
        self.finish(work, execution_id, outcome).await
    }

    fn is(&self, execution: &Execution) -> bool {
        let identity = &execution.identity;
        identity.kind == self.kind
            && identity.stage_id == self.stage_id
            && identity.agent_index == self.agent_index
    }

    async fn drive(&self, hands: Hands<'_>, was_begun: bool) -> Result<Outcome, Interrupted> {
        let work = hands.work;
        if was_begun {
            let journal = work.parts.store.journal_fetch(hands.execution_id).await.map_err(Halt::from)?;
            return Driver::resume(hands, &journal)?.run().await;
        }
        let Prepared { setup, notes } = prepare(work, self.agent, hands.tools, self.assignment, self.budget)?;
        let messages = setup.opening.iter();
        let opening = Opening {
            setup: serde_json::to_string(&setup).map_err(|error| Halt::Broken(error.to_string()))?,
            messages: messages
                .map(|message| NewMessage { message_id: MessageId::new(), message: message.clone() })
                .collect(),
            notes,
            current_step: format!("{}: thinking", self.agent.name),
        };
        work.recorder.begin_execution(self.identity(hands.execution_id), opening).await?;
        Driver::new(hands, setup).run().await
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

    /// Records how it ended; a stop that ends the work is an end too.
    async fn finish(
        &self,
        work: &Work,
        execution_id: ExecutionId,
        outcome: Result<Outcome, Interrupted>,
    ) -> Result<Ended, Halt> {
        let (ending, halt) = match outcome {
            Ok(outcome) => (ending_of(outcome), None),
            Err(Interrupted { halt: Halt::Stopped(cause), last_words }) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                let ending = ExecutionOutcome {
                    status,
                    final_analysis: last_words,
                    error_message: Some(cause.message().to_owned()),
                };
                (ending, Some(Halt::Stopped(cause)))
            }
            Err(Interrupted { halt, .. }) => return Err(halt),
        };
        work.recorder.finish_execution(execution_id, ending.clone()).await?;
        match halt {
            Some(halt) => Err(halt),
            None => Ok(Ended {
                execution_id,
                agent: self.agent.name.clone(),
                status: ending.status,
                analysis: ending.final_analysis.filter(|_| ending.status == WorkStatus::Completed),
                error: ending.error_message,
            }),
        }
    }
}

impl Ended {
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

/// What a run's outcome means for its execution. What a failed one last said is kept, as what it is.
fn ending_of(outcome: Outcome) -> ExecutionOutcome {
    match outcome {
        Outcome::Completed { analysis, conclusion } => ExecutionOutcome {
            status: WorkStatus::Completed,
            final_analysis: Some(analysis),
            error_message: match conclusion {
                Conclusion::Reached | Conclusion::Forced => None,
                Conclusion::BudgetSpent => Some("the token budget was spent before it concluded".to_owned()),
            },
        },
        Outcome::Failed { error, cause, partial } => ExecutionOutcome {
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
