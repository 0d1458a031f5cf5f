//! One answer in the chat after the end of a session.
//!
//! A question makes its session claimable again; whoever claims it answers the question and lets it go. The answer is an
//! execution like any other, so it survives restarts like any other.

use tarsy_agent::{Chat, Exchange, HandedOn, Task, format_investigation};
use tarsy_domain::{ChatMessageId, ExecutionId, ExecutionKind, Timestamp, WorkStatus};
use tarsy_store::{ChatMessage, Execution};

use crate::execution::setup::Assignment;
use crate::execution::{Ended, Job};
use crate::investigation::results::{self, stage_result};
use crate::recorder::Recorder;
use crate::stop::halt::Halt;
use crate::work::{MOST_CRASHES, Work};

impl Work {
    /// Answers the question that waits.
    pub(crate) async fn answer_question(&self, crashes: u32) -> Result<(), Halt> {
        let said = self.parts.store.chat_message_list(self.session.session_id).await?;
        let answered = match crashes {
            MOST_CRASHES.. => {
                Err(Halt::Broken("the process was lost each time it tried to answer".to_owned()))
            }
            _ => self.find_answer(&said).await,
        };
        let (execution_id, content) = match answered {
            Ok(ended) => (Some(ended.execution_id), spoken(ended)),
            Err(Halt::Broken(reason)) => {
                self.recorder.close_what_is_open(WorkStatus::Failed, &reason).await?;
                (None, unanswered(&reason))
            }
            Err(Halt::Stopped(cause)) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                self.recorder.close_what_is_open(status, cause.message()).await?;
                (None, format!("This question was not answered: {}", cause.message()))
            }
            Err(halt @ Halt::Store(_)) => return Err(halt),
        };
        self.recorder.answer(execution_id, content).await
    }

    async fn find_answer(&self, said: &[ChatMessage]) -> Result<Ended, Halt> {
        let Some((question, before)) = said.split_last() else {
            return Err(Halt::Broken("nobody has asked anything".to_owned()));
        };
        let Some(agent) = &self.chain.chat else {
            return Err(Halt::Broken("chat is turned off for this chain".to_owned()));
        };
        let store = &self.parts.store;
        let executions = store.execution_list(self.session.session_id).await?;
        let investigation = self.whole_investigation(&executions).await?;
        let runbook = store.runbook_fetch(self.session.session_id).await?;
        let exchanges: Vec<Exchange<'_>> = before.chunks(2).filter_map(exchange).collect();
        let number = exchanges.len() + 1;
        let task = Task::Chat(Chat {
            investigation: &investigation,
            exchanges: &exchanges,
            question: &question.content,
        });
        let job = Job {
            kind: ExecutionKind::Chat,
            stage_id: None,
            stage_name: &format!("chat {number}"),
            agent_index: number as u64,
            agent,
            assignment: Assignment::Task {
                task,
                earlier: None,
                runbook: runbook.as_deref().filter(|text| !text.trim().is_empty()),
            },
            // Like the time, an answer has all of it: people ask most where an investigation has spent its own.
            budget: self.chain.token_budget,
        };
        job.carry_out(self, &executions, &self.stop).await
    }

    async fn whole_investigation(&self, executions: &[Execution]) -> Result<HandedOn, Halt> {
        let store = &self.parts.store;
        let stages = store.stage_list(self.session.session_id).await?;
        let trails = results::trails(store, self.session.session_id).await?;
        let results: Vec<_> = stages.iter().map(|stage| stage_result(stage, executions, &trails)).collect();
        Ok(format_investigation(&results))
    }
}

impl Recorder {
    /// Says something in the chat, which answers the question.
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

/// What is said where there is no answer.
pub(crate) fn unanswered(reason: &str) -> String {
    format!("This question could not be answered: {reason}")
}

fn spoken(ended: Ended) -> String {
    match (ended.analysis, ended.error) {
        (Some(analysis), _) => analysis,
        (None, Some(error)) => unanswered(&error),
        (None, None) => "This question could not be answered.".to_owned(),
    }
}

fn exchange(pair: &[ChatMessage]) -> Option<Exchange<'_>> {
    match pair {
        [question, answer] => Some(Exchange { question: &question.content, answer: &answer.content }),
        _ => None,
    }
}
