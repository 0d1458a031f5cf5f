//! A session without what may differ between an interrupted and an undisturbed run.

use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, TokenUsage, WorkStatus};
use tarsy_store::{Execution, Session, Stage, Store};

use crate::sessions::TestSession;

/// A session without ids, times and mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NormalizedSession {
    status: SessionStatus,
    error: Option<String>,
    final_analysis: Option<String>,
    executive_summary: Option<String>,
    stages: Vec<(String, WorkStatus, Option<String>)>,
    executions: Vec<NormalizedExecution>,
    chat: Vec<String>,
    interactions: (u64, u64),
    usage: TokenUsage,
}

/// An execution without ids and times.
#[derive(Debug, Clone, PartialEq)]
struct NormalizedExecution {
    identity: (ExecutionKind, Option<u64>, u64, String),
    status: WorkStatus,
    analysis: Option<String>,
    interactions: (u64, u64),
    messages: Vec<String>,
    timeline: Vec<(TimelineEventType, String)>,
}

impl NormalizedSession {
    pub(crate) async fn of(store: &Store, entry: &TestSession) -> Self {
        let normalize = |text: String| normalize(&text, &entry.mark);
        let session: Session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
        let stages: Vec<Stage> = store.stage_list(entry.session_id).await.unwrap();
        let mut executions = Vec::new();
        for execution in store.execution_list(entry.session_id).await.unwrap() {
            executions.push(NormalizedExecution::of(store, entry, &stages, execution).await);
        }
        executions.sort_by(|one, other| one.identity.cmp(&other.identity));
        let chat = store.chat_message_list(entry.session_id).await.unwrap();
        Self {
            status: session.status,
            error: session.error_message,
            final_analysis: session.final_analysis.map(normalize),
            executive_summary: session.executive_summary.map(normalize),
            stages: stages
                .into_iter()
                .map(|stage| (stage.name, stage.status, stage.analysis.map(normalize)))
                .collect(),
            executions,
            chat: chat.into_iter().map(|message| normalize(message.content)).collect(),
            interactions: (session.llm_interactions, session.mcp_interactions),
            usage: session.usage,
        }
    }

    /// Removes the chat, for comparison with a session without a question.
    pub(crate) fn without_chat(&self) -> Self {
        let mut session = self.clone();
        session.chat.clear();
        session.executions.retain(|execution| execution.identity.0 != ExecutionKind::Chat);
        let sum = |of: fn(&NormalizedExecution) -> u64| session.executions.iter().map(of).sum();
        session.interactions = (sum(|one| one.interactions.0), sum(|one| one.interactions.1));
        session.usage = TokenUsage {
            input_tokens: 100 * session.interactions.0,
            output_tokens: 10 * session.interactions.0,
            ..TokenUsage::default()
        };
        session
    }

    /// Panics with the lines that differ.
    pub(crate) fn assert_equals(&self, expected: &Self, name: &str) {
        let (actual, wanted) = (format!("{self:#?}"), format!("{expected:#?}"));
        let common =
            actual.lines().zip(wanted.lines()).take_while(|(actual, wanted)| actual == wanted).count();
        let from = |text: &str| text.lines().skip(common).take(25).collect::<Vec<_>>().join("\n");
        assert!(self == expected, "{name}:\n{}\n\ninstead of\n\n{}", from(&actual), from(&wanted));
    }

    pub(crate) fn is_completed(&self) -> bool {
        self.status == SessionStatus::Completed
    }
}

impl NormalizedExecution {
    async fn of(store: &Store, entry: &TestSession, stages: &[Stage], execution: Execution) -> Self {
        let normalize = |text: &str| normalize(text, &entry.mark);
        let identity = execution.identity;
        let stage = stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
        let messages = store.message_list(identity.execution_id).await.unwrap();
        let timeline = store.timeline_list(entry.session_id, 0, 10_000).await.unwrap();
        let own = timeline.iter().filter(|event| event.execution_id == Some(identity.execution_id));
        Self {
            identity: (
                identity.kind,
                stage.map(|stage| stage.stage_index),
                identity.agent_index,
                identity.agent_name,
            ),
            status: execution.status,
            analysis: execution.final_analysis.as_deref().map(normalize),
            interactions: (execution.llm_interactions, execution.mcp_interactions),
            messages: messages.iter().map(|message| normalize(&message.message.message.content)).collect(),
            timeline: own.map(|event| (event.entry.event_type, normalize(&event.entry.content))).collect(),
        }
    }
}

/// Removes the mark of the session, and the outcome of a restart, which may be unknown.
fn normalize(text: &str, mark: &str) -> String {
    if text.contains("restarted") || text.contains("The outcome of this call is unknown") {
        return "restarted, or unknown".to_owned();
    }
    text.replace(mark, "mark")
}
