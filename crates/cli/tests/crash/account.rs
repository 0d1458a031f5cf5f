//! What a session came to, as far as it must be the same however often it was interrupted.

use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, TokenUsage, WorkStatus};
use tarsy_store::{Execution, Session, Stage, Store};

use crate::docket::Entry;

/// A session without its ids, times and mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Account {
    status: SessionStatus,
    error: Option<String>,
    final_analysis: Option<String>,
    executive_summary: Option<String>,
    stages: Vec<(String, WorkStatus, Option<String>)>,
    executions: Vec<Part>,
    chat: Vec<String>,
    interactions: (u64, u64),
    usage: TokenUsage,
}

/// What one agent did.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    who: (ExecutionKind, Option<u64>, u64, String),
    status: WorkStatus,
    analysis: Option<String>,
    interactions: (u64, u64),
    messages: Vec<String>,
    timeline: Vec<(TimelineEventType, String)>,
}

impl Account {
    pub(crate) async fn of(store: &Store, entry: &Entry) -> Self {
        let plain = |text: String| plain(&text, &entry.mark);
        let session: Session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
        let stages: Vec<Stage> = store.stage_list(entry.session_id).await.unwrap();
        let mut executions = Vec::new();
        for execution in store.execution_list(entry.session_id).await.unwrap() {
            executions.push(Part::of(store, entry, &stages, execution).await);
        }
        executions.sort_by(|one, other| one.who.cmp(&other.who));
        let chat = store.chat_message_list(entry.session_id).await.unwrap();
        Self {
            status: session.status,
            error: session.error_message,
            final_analysis: session.final_analysis.map(plain),
            executive_summary: session.executive_summary.map(plain),
            stages: stages
                .into_iter()
                .map(|stage| (stage.name, stage.status, stage.analysis.map(plain)))
                .collect(),
            executions,
            chat: chat.into_iter().map(|message| plain(message.content)).collect(),
            interactions: (session.llm_interactions, session.mcp_interactions),
            usage: session.usage,
        }
    }

    /// The same without the chat, for a session that nobody asked about.
    pub(crate) fn without_chat(&self) -> Self {
        let mut account = self.clone();
        account.chat.clear();
        account.executions.retain(|part| part.who.0 != ExecutionKind::Chat);
        let sum = |of: fn(&Part) -> u64| account.executions.iter().map(of).sum();
        account.interactions = (sum(|part| part.interactions.0), sum(|part| part.interactions.1));
        account.usage = TokenUsage {
            input_tokens: 100 * account.interactions.0,
            output_tokens: 10 * account.interactions.0,
            ..TokenUsage::default()
        };
        account
    }

    /// Fails with the lines that differ.
    pub(crate) fn must_be(&self, expected: &Self, whose: &str) {
        let (found, wanted) = (format!("{self:#?}"), format!("{expected:#?}"));
        let common = found.lines().zip(wanted.lines()).take_while(|(found, wanted)| found == wanted).count();
        let from = |text: &str| text.lines().skip(common).take(25).collect::<Vec<_>>().join("\n");
        assert!(self == expected, "{whose}:\n{}\n\ninstead of\n\n{}", from(&found), from(&wanted));
    }

    pub(crate) fn is_completed(&self) -> bool {
        self.status == SessionStatus::Completed
    }
}

impl Part {
    async fn of(store: &Store, entry: &Entry, stages: &[Stage], execution: Execution) -> Self {
        let plain = |text: &str| plain(text, &entry.mark);
        let identity = execution.identity;
        let stage = stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
        let messages = store.message_list(identity.execution_id).await.unwrap();
        let timeline = store.timeline_list(entry.session_id, 0, 10_000).await.unwrap();
        let own = timeline.iter().filter(|event| event.execution_id == Some(identity.execution_id));
        Self {
            who: (
                identity.kind,
                stage.map(|stage| stage.stage_index),
                identity.agent_index,
                identity.agent_name,
            ),
            status: execution.status,
            analysis: execution.final_analysis.as_deref().map(plain),
            interactions: (execution.llm_interactions, execution.mcp_interactions),
            messages: messages.iter().map(|message| plain(&message.message.message.content)).collect(),
            timeline: own.map(|event| (event.entry.event_type, plain(&event.entry.content))).collect(),
        }
    }
}

/// A text without the mark of its session, and without what became of a restart: that may be unknown.
fn plain(text: &str, mark: &str) -> String {
    if text.contains("restarted") || text.contains("The outcome of this call is unknown") {
        return "restarted, or not".to_owned();
    }
    text.replace(mark, "mark")
}
