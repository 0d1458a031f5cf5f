//! Plans: operations that do not name their session or lease yet.
//!
//! proptest shrinks plans, which are small numbers that select among the sessions and leases that exist when
//! a plan runs. They select from all leases that ever existed, including outdated ones, so that the fence is
//! tested.

use std::time::Duration;

use proptest::prelude::*;
use tarsy_domain::{Channel, ChatMessageId, SearchQuery, SessionId, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    ChatMessage, ClaimLimit, Lease, NewExecution, RetentionPolicy, SessionFilter, SessionOutcome, SessionSort,
};
use tarsy_testkit::{execution, model_step, new_session, tool_step};

use super::action::Action;

const TEXTS: [&str; 5] =
    ["pod api-7 CrashLoop", "disk full on node-3", "", "api.shop.svc is slow, node-3 too", "Größe 1e5 é"];
const QUERIES: [&str; 6] = ["api", "node 3", "crash", "größe", "shop slow", "nothing"];
const ENDS: [SessionStatus; 5] = [
    SessionStatus::Completed,
    SessionStatus::CompletedWithErrors,
    SessionStatus::Failed,
    SessionStatus::TimedOut,
    SessionStatus::Cancelled,
];

#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Submit { alert: u8, kind: u8, text: usize },
    Claim { limit: Option<u32> },
    Renew,
    Release(usize),
    Begin(usize),
    Answer { pick: usize, text: usize },
    RunTool { pick: usize, text: usize },
    StageBegin(usize, usize),
    StageFinish(usize, usize, usize),
    Finish(usize, usize),
    Cancel(usize),
    Delete(usize),
    Say(usize),
    Reply(usize),
    Sweep { sessions: u64, events: u64, batch: u32 },
    List { status: Option<usize>, kind: Option<u8>, query: Option<usize>, oldest: bool, page_size: u32 },
    Events { pick: usize, after: u64 },
}

/// The sessions, leases and executions that a plan can select.
pub(crate) struct Known {
    pub(crate) sessions: Vec<SessionId>,
    pub(crate) leases: Vec<Lease>,
    pub(crate) executions: Vec<(SessionId, NewExecution)>,
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let pick = || 0usize..64;
    let text = || 0..TEXTS.len();
    prop_oneof![
        5 => (0u8..8, 0u8..3, text()).prop_map(|(alert, kind, text)| Plan::Submit { alert, kind, text }),
        5 => prop::option::of(1u32..4).prop_map(|limit| Plan::Claim { limit }),
        2 => Just(Plan::Renew),
        1 => pick().prop_map(Plan::Release),
        3 => pick().prop_map(Plan::Begin),
        4 => (pick(), text()).prop_map(|(pick, text)| Plan::Answer { pick, text }),
        2 => (pick(), text()).prop_map(|(pick, text)| Plan::RunTool { pick, text }),
        2 => (pick(), 0usize..3).prop_map(|(pick, stage)| Plan::StageBegin(pick, stage)),
        2 => (pick(), 0usize..2, 0usize..7).prop_map(|(pick, stage, end)| Plan::StageFinish(pick, stage, end)),
        2 => (pick(), 0..ENDS.len()).prop_map(|(pick, end)| Plan::Finish(pick, end)),
        2 => pick().prop_map(Plan::Cancel),
        1 => pick().prop_map(Plan::Delete),
        2 => pick().prop_map(Plan::Say),
        2 => pick().prop_map(Plan::Reply),
        1 => (0u64..400, 0u64..400, 1u32..6)
            .prop_map(|(sessions, events, batch)| Plan::Sweep { sessions, events, batch }),
        2 => (
            prop::option::of(0..SessionStatus::ALL.len()),
            prop::option::of(0u8..3),
            prop::option::of(0..QUERIES.len()),
            any::<bool>(),
            1u32..5,
        )
            .prop_map(|(status, kind, query, oldest, page_size)| Plan::List {
                status, kind, query, oldest, page_size,
            }),
        1 => (pick(), 0u64..8).prop_map(|(pick, after)| Plan::Events { pick, after }),
    ]
}

impl Plan {
    /// Returns the action; `None` if there is nothing to select.
    pub(crate) fn action(&self, known: &Known) -> Option<Action> {
        let lease = |pick: usize| choose(&known.leases, pick).copied();
        let session = |pick: usize| choose(&known.sessions, pick).copied();
        Some(match *self {
            Self::Submit { alert, kind, text } => submit(alert, kind, text),
            Self::Claim { limit } => Action::Claim(limit.map_or(ClaimLimit::Unlimited, ClaimLimit::Sessions)),
            Self::Renew => Action::Renew,
            Self::Release(pick) => Action::Release(lease(pick)?),
            Self::Begin(pick) => Action::Begin(lease(pick)?, execution()),
            Self::Answer { pick, text } => record(known, pick, |execution| {
                model_step(execution.execution_id, TEXTS[text], Timestamp::from_micros(5))
            })?,
            Self::RunTool { pick, text } => record(known, pick, |execution| {
                tool_step(execution.execution_id, TEXTS[text], Timestamp::from_micros(6))
            })?,
            Self::StageBegin(pick, stage) => Action::StageBegin(lease(pick)?, stage.min(1)),
            Self::StageFinish(pick, stage, end) => {
                Action::StageFinish(lease(pick)?, stage, WorkStatus::ALL[end])
            }
            Self::Finish(pick, end) => Action::Finish(lease(pick)?, finish(ENDS[end])),
            Self::Cancel(pick) => Action::Cancel(session(pick)?),
            Self::Delete(pick) => Action::Delete(session(pick)?),
            Self::Say(pick) => Action::Ask(session(pick)?, question()),
            Self::Reply(pick) => Action::Answer(lease(pick)?, ChatMessage { author: None, ..question() }),
            Self::Sweep { sessions, events, batch } => Action::Sweep(RetentionPolicy {
                sessions: Duration::from_micros(sessions),
                events: Duration::from_micros(events),
                batch,
            }),
            Self::List { status, kind, query, oldest, page_size } => {
                Action::List(filter(status, kind, query, oldest), page_size)
            }
            Self::Events { pick, after } => {
                Action::Events(session(pick).map_or(Channel::Sessions, Channel::Session), after)
            }
        })
    }
}

fn choose<T>(from: &[T], pick: usize) -> Option<&T> {
    // The newest first, because the older ones have mostly ended.
    from.iter().rev().nth(pick % from.len().max(1))
}

fn submit(alert: u8, kind: u8, text: usize) -> Action {
    let mut session = new_session(&format!("alert-{alert}"));
    session.alert_type = format!("type-{kind}");
    session.author = (kind > 0).then(|| format!("author-{kind}"));
    session.input.alert_data = TEXTS[text].to_owned();
    Action::Submit(session)
}

/// Returns a step of a known execution, with any lease of its session.
fn record(known: &Known, pick: usize, step: impl Fn(&NewExecution) -> tarsy_store::Step) -> Option<Action> {
    let (session_id, execution) = choose(&known.executions, pick)?;
    let leases: Vec<Lease> = known.leases.iter().copied().filter(|l| l.session_id == *session_id).collect();
    Some(Action::Record(*choose(&leases, pick / 7)?, Box::new(step(execution))))
}

fn finish(status: SessionStatus) -> SessionOutcome {
    SessionOutcome {
        status,
        final_analysis: (status != SessionStatus::Failed).then(|| "the node-3 disk was full".to_owned()),
        executive_summary: None,
        error_message: (status == SessionStatus::Failed).then(|| "no model answered".to_owned()),
    }
}

fn question() -> ChatMessage {
    ChatMessage {
        chat_message_id: ChatMessageId::new(),
        author: Some("someone".to_owned()),
        execution_id: None,
        content: "why?".to_owned(),
        created_at: Timestamp::from_micros(1_000_000),
    }
}

fn filter(status: Option<usize>, kind: Option<u8>, query: Option<usize>, oldest: bool) -> SessionFilter {
    SessionFilter {
        statuses: status.map(|index| SessionStatus::ALL[index]).into_iter().collect(),
        alert_types: kind.map(|kind| format!("type-{kind}")).into_iter().collect(),
        search: query.and_then(|index| SearchQuery::parse(QUERIES[index])),
        sort: if oldest { SessionSort::Oldest } else { SessionSort::Newest },
        ..SessionFilter::default()
    }
}
