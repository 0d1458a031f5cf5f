//! One answer in the chat of a session that has ended.
//!
//! A question makes its session claimable again; the worker that claims it answers the question and releases
//! the session. The answer is an execution like any other, so it is resumed after a restart.

use tarsy_agent::{ChatExchange, Handover};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{ChatMessageId, ExecutionId, ExecutionKind, Timestamp, WorkStatus};
use tarsy_store::ChatMessage;

use crate::execution::setup::AgentAssignment;
use crate::execution::{EndedExecution, ExecutionJob};
use crate::investigation::results::SessionRecord;
use crate::recorder::Recorder;
use crate::session_work::{MAX_CRASHES, SessionWork};
use crate::stop::halt::Halt;

impl SessionWork {
    /// Answers the pending question.
    pub(crate) async fn answer_question(&self, crashes: u32) -> Result<(), Halt> {
        let messages = self.resources.store.chat_message_list(self.session.session_id).await?;
        let answered = match crashes {
            MAX_CRASHES.. => Err(Halt::Broken("the process crashed on every attempt to answer".to_owned())),
            _ => self.find_answer(&messages).await,
        };
        let (execution_id, content) = match answered {
            Ok(ended) => (Some(ended.execution_id), answer_text(ended)),
            Err(Halt::Broken(reason)) => {
                self.recorder.close_open_work(WorkStatus::Failed, &reason).await?;
                (None, unanswered(&reason))
            }
            Err(Halt::Stopped(cause)) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                self.recorder.close_open_work(status, cause.message()).await?;
                (None, format!("This question was not answered: {}", cause.message()))
            }
            Err(halt @ Halt::Store(_)) => return Err(halt),
        };
        self.recorder.answer(execution_id, content).await
    }

    async fn find_answer(&self, messages: &[ChatMessage]) -> Result<EndedExecution, Halt> {
        let Some((question, before)) = messages.split_last() else {
            return Err(Halt::Broken("the chat has no question".to_owned()));
        };
        let Some(agent) = &self.chain.chat else {
            return Err(Halt::Broken("chat is disabled for this chain".to_owned()));
        };
        let store = &self.resources.store;
        let record = SessionRecord::load(store, self.session.session_id).await?;
        let investigation = self.full_investigation(agent, &record)?;
        let runbook = store.runbook_fetch(self.session.session_id).await?;
        let exchanges: Vec<ChatExchange<'_>> = before.chunks(2).filter_map(exchange).collect();
        let number = exchanges.len() + 1;
        let job = ExecutionJob {
            kind: ExecutionKind::Chat,
            stage_id: None,
            stage_name: &format!("chat {number}"),
            agent_index: number as u64,
            agent,
            assignment: AgentAssignment::Chat {
                investigation: &investigation,
                exchanges: &exchanges,
                question: &question.content,
                runbook: runbook.as_deref().filter(|text| !text.trim().is_empty()),
            },
            // Each answer has a full token budget and a full time limit: questions are most likely after an
            // investigation that used up its budget.
            budget: self.chain.token_budget,
        };
        job.run(self, &record.executions, &self.stop).await
    }

    fn full_investigation(&self, agent: &ResolvedAgent, record: &SessionRecord) -> Result<Handover, Halt> {
        let results = record.stage_results(&record.stages)?;
        let no_data = self.missing_data(&results);
        Ok(Handover { no_data, ..Handover::for_chat(agent.iteration_strategy, results) })
    }
}

impl Recorder {
    /// Adds the answer to the chat.
    pub(crate) async fn answer(
        &self,
        execution_id: Option<ExecutionId>,
        content: String,
    ) -> Result<(), Halt> {
        let answer = ChatMessage {
            chat_message_id: ChatMessageId::new(),
            author: None,
            execution_id,
            content,
            created_at: Timestamp::now(),
        };
        self.answer_chat(answer).await
    }
}

/// Returns the chat text for a question without an answer.
pub(crate) fn unanswered(reason: &str) -> String {
    format!("This question could not be answered: {reason}")
}

fn answer_text(ended: EndedExecution) -> String {
    match (ended.analysis, ended.error) {
        (Some(analysis), _) => analysis,
        (None, Some(error)) => unanswered(&error),
        (None, None) => "This question could not be answered.".to_owned(),
    }
}

fn exchange(pair: &[ChatMessage]) -> Option<ChatExchange<'_>> {
    match pair {
        [question, answer] => Some(ChatExchange { question: &question.content, answer: &answer.content }),
        _ => None,
    }
}
