//! Checks the record, the requests to the model and the tool calls after a disturbance.

use std::collections::{HashMap, HashSet};
use std::fmt;

use tarsy_agent::{AgentRun, Ask, Happened, RunOutcome};
use tarsy_domain::{Channel, WorkStatus};
use tarsy_store::{Execution, Journal, JournalEntry, LlmResponse, Store};
use tarsy_testkit::ScriptedRequest;

use crate::baseline;
use crate::environment::TestEnvironment;
use crate::normalized::NormalizedSession;
use crate::position::RequestPosition;
use crate::sessions::{SessionSet, TestSession};

/// The statistics of a run.
pub(crate) struct Audit {
    sessions: usize,
    requests: usize,
    /// Replies that were sent completely.
    completed: usize,
    /// Requests that were repeated after a kill.
    pub(crate) repeats: usize,
    tool_calls: usize,
    /// Tool calls with an unknown outcome.
    pub(crate) unknown: usize,
    /// Requests that were repeated after a later request had used their reply.
    pub(crate) late: Vec<RequestPosition>,
}

impl fmt::Display for Audit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, requests, completed, repeats, tool_calls, unknown, late: _ } = self;
        write!(
            formatter,
            "{sessions} sessions, {requests} model requests ({completed} completed, {repeats} repeated), \
             {tool_calls} tool calls ({unknown} with an unknown outcome)"
        )
    }
}

impl Audit {
    /// Checks the record of each session, and both logs.
    pub(crate) async fn of(environment: &TestEnvironment, store: &Store, sessions: &SessionSet) -> Self {
        environment.wait_for_child_processes().await;
        let counts = store.session_counts().await.unwrap();
        assert_eq!(
            counts.values().sum::<u64>(),
            sessions.entries.len() as u64,
            "lost or duplicated sessions: {counts:?}"
        );
        let log = environment.model.log();
        let RequestLog { seen, late } = RequestLog::of(&log);
        let mut unknown = 0;
        for entry in &sessions.entries {
            check_record(store, entry).await;
            let recorded = store.llm_interaction_list(entry.session_id).await.unwrap().len();
            let requested = seen.keys().filter(|position| position.mark == entry.mark).count();
            assert_eq!(
                recorded, requested,
                "{} {}: recorded calls and distinct requests",
                entry.chain, entry.mark
            );
            let calls = store.mcp_interaction_list(entry.session_id).await.unwrap();
            let is_unknown = |error: &String| error.contains("unknown");
            unknown +=
                calls.iter().filter(|one| one.run.error_message.as_ref().is_some_and(is_unknown)).count();
        }
        Self {
            sessions: sessions.entries.len(),
            requests: log.len(),
            completed: environment.model.completed_replies(),
            repeats: log.len() - seen.len(),
            tool_calls: check_restarts(environment),
            unknown,
            late,
        }
    }

    /// Also checks that every session has the outcome of an undisturbed one.
    pub(crate) async fn of_disturbed(environment: &TestEnvironment, sessions: &SessionSet) -> Self {
        let store = environment.store().await;
        check_outcomes(&store, &sessions.entries).await;
        let audit = Self::of(environment, &store, sessions).await;
        store.close().await;
        audit
    }

    /// Also checks that no request was repeated after its reply was recorded.
    pub(crate) async fn of_killed(environment: &TestEnvironment, sessions: &SessionSet) -> Self {
        let audit = Self::of_disturbed(environment, sessions).await;
        assert_eq!(audit.late, [], "requests were repeated after their reply was used");
        audit
    }
}

/// Checks that sessions have the outcome of undisturbed ones.
pub(crate) async fn check_outcomes(store: &Store, entries: &[TestSession]) {
    let undisturbed = baseline::sessions().await;
    for entry in entries {
        let session = NormalizedSession::of(store, entry).await;
        let complete = &undisturbed[entry.chain];
        let expected = if entry.has_question { complete.clone() } else { complete.without_chat() };
        session.assert_equals(&expected, &format!("{} {}", entry.chain, entry.mark));
    }
}

/// The requests to the model by position, and those that were repeated too late.
#[derive(Default)]
struct RequestLog<'log> {
    seen: HashMap<RequestPosition, &'log ScriptedRequest>,
    late: Vec<RequestPosition>,
}

impl<'log> RequestLog<'log> {
    fn of(log: &'log [ScriptedRequest]) -> Self {
        let mut requests = Self::default();
        let mut phases: HashMap<String, u32> = HashMap::new();
        let mut depths: HashMap<(String, u32, String), usize> = HashMap::new();
        for request in log {
            let position = RequestPosition::of(request);
            let phase = phases.entry(position.mark.clone()).or_default();
            let depth =
                depths.entry((position.mark.clone(), position.phase, position.lane.clone())).or_default();
            if position.phase < *phase || position.depth < *depth {
                requests.late.push(position.clone());
            }
            *phase = position.phase.max(*phase);
            *depth = position.depth.max(*depth);
            let first = requests.seen.entry(position.clone()).or_insert(request);
            assert_eq!(**first, *request, "{position:?} was repeated with another text");
        }
        requests
    }
}

/// Checks that nothing was restarted twice. Returns the number of tool calls.
fn check_restarts(environment: &TestEnvironment) -> usize {
    let calls = environment.tools.calls();
    let restarts = calls.iter().filter(|(name, _)| name == "restart");
    let mut restarted = HashSet::new();
    for (_, arguments) in restarts {
        assert!(restarted.insert(arguments["mark"].to_string()), "restarted twice: {arguments}");
    }
    calls.len()
}

/// Checks that the record of a session is complete and that its runs can be rebuilt from it.
async fn check_record(store: &Store, entry: &TestSession) {
    let session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
    let timeline = store.timeline_list(entry.session_id, 0, 10_000).await.unwrap();
    check_gapless("timeline", timeline.iter().map(|event| event.position));
    assert_eq!(timeline.len() as u64, session.timeline_events);
    let channel = Channel::Session(entry.session_id);
    let events = store.event_list(channel, 0, 10_000).await.unwrap();
    check_gapless("events", events.iter().map(|event| event.event_id));
    assert_eq!(events.len() as u64, store.event_last_id(channel).await.unwrap());
    for execution in store.execution_list(entry.session_id).await.unwrap() {
        let id = execution.identity.execution_id;
        let messages = store.message_list(id).await.unwrap();
        check_gapless("messages", messages.iter().map(|message| message.sequence));
        let own = timeline.iter().filter(|event| event.execution_id == Some(id));
        check_gapless("timeline of an execution", own.filter_map(|event| event.sequence));
        check_journal(&execution, &store.journal_fetch(id).await.unwrap());
    }
}

fn check_gapless(what: &str, numbers: impl Iterator<Item = u64>) {
    for (number, expected) in numbers.zip(1..) {
        assert_eq!(number, expected, "gap in {what}");
    }
}

/// Checks that a journal leads to the recorded result.
fn check_journal(execution: &Execution, journal: &Journal) {
    let happened: Vec<Happened> = journal.entries.iter().map(happened).collect();
    let run = AgentRun::rebuild(serde_json::from_str(&journal.setup).unwrap(), &happened).unwrap();
    if execution.status != WorkStatus::Completed {
        return;
    }
    let Ask::Done(RunOutcome::Completed { analysis, .. }) = run.next() else {
        panic!("the journal of {execution:?} ends at {}", run.current_step());
    };
    assert_eq!(Some(analysis), execution.final_analysis);
}

fn happened(entry: &JournalEntry) -> Happened {
    match entry {
        JournalEntry::Model(LlmResponse::Reply(reply)) => Happened::Replied(reply.clone()),
        JournalEntry::Model(LlmResponse::Failure(failure)) => Happened::ModelFailed(failure.clone()),
        JournalEntry::Delivered(result) => Happened::ToolReturned(result.clone()),
        JournalEntry::Undelivered { tool_call_id, .. } => {
            panic!("the result of {tool_call_id} was not delivered")
        }
    }
}
