//! What must hold after any disturbance, checked on the record, on the model's log and on the tools' log.

use std::collections::{HashMap, HashSet};
use std::fmt;

use tarsy_agent::{AgentRun, Ask, Happened, RunOutcome};
use tarsy_domain::{Channel, WorkStatus};
use tarsy_store::{Execution, Journal, JournalEntry, LlmResponse, Store};
use tarsy_testkit::Asked;

use crate::account::Account;
use crate::docket::{Docket, Entry};
use crate::place::Place;
use crate::undisturbed;
use crate::world::World;

/// The figures of a run that has passed.
pub(crate) struct Audit {
    sessions: usize,
    requests: usize,
    /// Answers that were written to their last byte.
    answered: usize,
    /// Requests that were made again, because whoever made them was gone.
    pub(crate) repeats: usize,
    tool_calls: usize,
    /// Restarts whose outcome nobody knows.
    pub(crate) unknown: usize,
    /// Requests that were made after another one had built on the answer.
    pub(crate) late: Vec<Place>,
}

impl fmt::Display for Audit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, requests, answered, repeats, tool_calls, unknown, late: _ } = self;
        write!(
            formatter,
            "{sessions} sessions, {requests} model requests ({answered} answered to the end, {repeats} made again), \
             {tool_calls} tool calls ({unknown} with an unknown outcome)"
        )
    }
}

impl Audit {
    /// Checks the record of every session by itself, and both logs.
    pub(crate) async fn of(world: &World, store: &Store, docket: &Docket) -> Self {
        world.until_nobody_is_left().await;
        let counts = store.session_counts().await.unwrap();
        assert_eq!(counts.values().sum::<u64>(), docket.entries.len() as u64, "lost or doubled: {counts:?}");
        let log = world.model.log();
        let Asks { seen, late } = Asks::of(&log);
        let mut unknown = 0;
        for entry in &docket.entries {
            check_record(store, entry).await;
            let recorded = store.llm_interaction_list(entry.session_id).await.unwrap().len();
            let asked = seen.keys().filter(|place| place.mark == entry.mark).count();
            assert_eq!(recorded, asked, "{} {}: recorded calls, different requests", entry.chain, entry.mark);
            let calls = store.mcp_interaction_list(entry.session_id).await.unwrap();
            let is_unknown = |error: &String| error.contains("unknown");
            unknown +=
                calls.iter().filter(|one| one.run.error_message.as_ref().is_some_and(is_unknown)).count();
        }
        Self {
            sessions: docket.entries.len(),
            requests: log.len(),
            answered: world.model.answered(),
            repeats: log.len() - seen.len(),
            tool_calls: check_restarts(world),
            unknown,
            late,
        }
    }

    /// The same, and that every session came to what it comes to when nobody disturbs it.
    pub(crate) async fn of_disturbed(world: &World, docket: &Docket) -> Self {
        let store = world.store().await;
        check_accounts(&store, &docket.entries).await;
        let audit = Self::of(world, &store, docket).await;
        store.close().await;
        audit
    }

    /// The same, and that no request was made again after its answer was known.
    pub(crate) async fn of_killed(world: &World, docket: &Docket) -> Self {
        let audit = Self::of_disturbed(world, docket).await;
        assert_eq!(audit.late, [], "answered, and made again");
        audit
    }
}

/// Checks that sessions came to what they come to when nobody disturbs them.
pub(crate) async fn check_accounts(store: &Store, entries: &[Entry]) {
    let undisturbed = undisturbed::accounts().await;
    for entry in entries {
        let account = Account::of(store, entry).await;
        let whole = &undisturbed[entry.chain];
        let expected = if entry.is_asked { whole.clone() } else { whole.without_chat() };
        account.must_be(&expected, &format!("{} {}", entry.chain, entry.mark));
    }
}

/// What the model was asked, by place, and what it was asked after another request had built on the answer.
#[derive(Default)]
struct Asks<'log> {
    seen: HashMap<Place, &'log Asked>,
    late: Vec<Place>,
}

impl<'log> Asks<'log> {
    fn of(log: &'log [Asked]) -> Self {
        let mut asks = Self::default();
        let mut phases: HashMap<String, u32> = HashMap::new();
        let mut depths: HashMap<(String, u32, String), usize> = HashMap::new();
        for asked in log {
            let place = Place::of(asked);
            let phase = phases.entry(place.mark.clone()).or_default();
            let depth = depths.entry((place.mark.clone(), place.phase, place.lane.clone())).or_default();
            if place.phase < *phase || place.depth < *depth {
                asks.late.push(place.clone());
            }
            *phase = place.phase.max(*phase);
            *depth = place.depth.max(*depth);
            let before = asks.seen.entry(place.clone()).or_insert(asked);
            assert_eq!(**before, *asked, "{place:?} was asked again in other words");
        }
        asks
    }
}

/// Checks that nothing was restarted twice. Answers how often any tool was called.
fn check_restarts(world: &World) -> usize {
    let calls = world.tools.calls();
    let restarts = calls.iter().filter(|(name, _)| name == "restart");
    let mut restarted = HashSet::new();
    for (_, arguments) in restarts {
        assert!(restarted.insert(arguments["mark"].to_string()), "restarted twice: {arguments}");
    }
    calls.len()
}

/// Checks that nothing is missing from a session's record, and that its runs can be built again from it.
async fn check_record(store: &Store, entry: &Entry) {
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
        check_gapless("an execution's timeline", own.filter_map(|event| event.sequence));
        check_journal(&execution, &store.journal_fetch(id).await.unwrap());
    }
}

fn check_gapless(what: &str, numbers: impl Iterator<Item = u64>) {
    for (number, expected) in numbers.zip(1..) {
        assert_eq!(number, expected, "a gap in {what}");
    }
}

/// Checks that a journal leads to the end that is recorded.
fn check_journal(execution: &Execution, journal: &Journal) {
    let happened: Vec<Happened> = journal.entries.iter().map(happened).collect();
    let run = AgentRun::rebuild(serde_json::from_str(&journal.setup).unwrap(), &happened).unwrap();
    if execution.status != WorkStatus::Completed {
        return;
    }
    let Ask::Done(RunOutcome::Completed { analysis, .. }) = run.next() else {
        panic!("by its journal {execution:?} is not at its end, but at {}", run.current_step());
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
