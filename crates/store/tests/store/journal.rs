//! Everything that is needed to resume a session: the journal, started calls, crashes, notes and signals.

use std::time::Duration;

use tarsy_domain::{
    Channel, EventType, ExecutionId, LlmCallKind, SessionId, StageId, TimelineEventId, TimelineEventType,
    Timestamp, TokenUsage, ToolResult, ToolStatus,
};
use tarsy_store::{
    CancelSignal, ClaimLimit, Claimed, ExecutionOpening, JournalEntry, Lease, LlmResponse, NewRunbook,
    NewTimelineEvent, QueueLimit, Step, StepPayload, Store, StoreError, SubmitOutcome,
};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening, tool_step};
use tokio::time::timeout;

const LEASE: Duration = Duration::from_micros(100);
const SOON: Duration = Duration::from_secs(20);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

async fn claim(store: &Store, micros: i64) -> Claimed {
    store.queue_claim("w", ClaimLimit::Unlimited, at(micros), LEASE).await.unwrap().unwrap()
}

async fn submit(store: &Store) -> SessionId {
    let session = new_session("a");
    let session_id = session.session_id;
    store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
    session_id
}

async fn begin(store: &Store, lease: Lease) -> ExecutionId {
    let execution = execution();
    let execution_id = execution.execution_id;
    let opening = ExecutionOpening { setup: r#"{"strategy":"react"}"#.to_owned(), ..opening() };
    store.execution_begin(lease, execution, opening, at(3)).await.unwrap();
    execution_id
}

fn note(stage_id: Option<StageId>) -> NewTimelineEvent {
    NewTimelineEvent {
        timeline_event_id: TimelineEventId::new(),
        stage_id,
        event_type: TimelineEventType::RoutingDecision,
        content: "because of a giraffe".to_owned(),
        metadata: "{}".to_owned(),
        created_at: at(4),
    }
}

both_engines! {
    async fn a_journal_contains_the_setup_and_every_step_in_order(database) {
        let store = &database.store;
        submit(store).await;
        let lease = claim(store, 2).await.lease;
        let execution_id = begin(store, lease).await;
        let awaiting_summary = tool_step(execution_id, "long", at(6));
        let StepPayload::Tool(mut run) = awaiting_summary.payload else { panic!() };
        run.delivered = None;
        let of = run.interaction_id;
        let steps = [
            model_step(execution_id, "thought", at(5)),
            Step { payload: StepPayload::Tool(run), ..tool_step(execution_id, "long", at(6)) },
        ];
        for step in steps {
            store.step_record(lease, step, at(6)).await.unwrap();
        }

        let journal = store.journal_fetch(execution_id).await.unwrap();
        assert_eq!(journal.setup, r#"{"strategy":"react"}"#);
        assert_eq!(store.setup_fetch(execution_id).await.unwrap(), Some(journal.setup.clone()));
        let [JournalEntry::Model(LlmResponse::Reply(_)), tool] = &journal.entries[..] else { panic!("{journal:?}") };
        let undelivered = JournalEntry::Undelivered {
            interaction_id: of,
            tool_call_id: "call-1".to_owned(),
            result: "long".to_owned(),
        };
        assert_eq!(*tool, undelivered);

        let summarized =  model_step(execution_id, "summary", at(7));
        let StepPayload::Model(call) = summarized.payload else { panic!() };
        let call = tarsy_store::LlmCall { kind: LlmCallKind::ToolSummary, ..call };
        let delivered = ToolResult { shortened: false,
            call_id: "call-1".to_owned(),
            content: "short".to_owned(),
            status: ToolStatus::Ok,
            usage: TokenUsage::default(),
        };
        let summary = StepPayload::Summary { call, of, delivered: delivered.clone() };
        let step = Step { payload: summary, ..model_step(execution_id, "summary", at(7)) };
        store.step_record(lease, step, at(7)).await.unwrap();

        // A summary is not a separate entry: its tool call contains the delivered result.
        let journal = store.journal_fetch(execution_id).await.unwrap();
        assert_eq!(journal.entries.len(), 2);
        assert_eq!(journal.entries[1], JournalEntry::Delivered(delivered.clone()));
        let results = store.recorded_result_list(lease.session_id).await.unwrap();
        let results: Vec<_> = results.iter().map(|one| (one.interaction_id, one.bytes, one.delivered.as_ref())).collect();
        assert_eq!(results, [(of, 4, Some(&delivered))]);
        assert_eq!(store.tool_call_list(execution_id).await.unwrap(), [of]);
        assert_eq!(store.tool_result_fetch(lease.session_id, of).await.unwrap().as_deref(), Some("long"));
        assert_eq!(store.session_fetch(lease.session_id).await.unwrap().unwrap().llm_interactions, 2);
    }

    async fn started_tool_calls_are_recorded(database) {
        let store = &database.store;
        submit(store).await;
        let lease = claim(store, 2).await.lease;
        let execution_id = begin(store, lease).await;
        store.tools_started(lease, execution_id, r#"["call-1"]"#.to_owned()).await.unwrap();
        let journal = store.journal_fetch(execution_id).await.unwrap();
        assert_eq!(journal.started_calls.as_deref(), Some(r#"["call-1"]"#));
        claim(store, 900).await;
        let late = store.tools_started(lease, execution_id, "[]".to_owned()).await;
        assert!(matches!(late, Err(StoreError::LeaseLost { .. })));
    }

    async fn crashes_are_counted_until_something_is_recorded(database) {
        let store = &database.store;
        submit(store).await;
        assert_eq!(claim(store, 2).await.crashes, 0);
        assert_eq!(claim(store, 300).await.crashes, 1);
        let second = claim(store, 600).await;
        assert_eq!(second.crashes, 2);
        begin(store, second.lease).await;
        let third = claim(store, 900).await;
        assert_eq!(third.crashes, 1, "recording the opening resets the count");
        store.queue_release(third.lease, at(910)).await.unwrap();
        assert_eq!(claim(store, 911).await.crashes, 0, "a released session did not crash");
    }

    async fn time_without_a_worker_is_recorded(database) {
        let store = &database.store;
        submit(store).await;
        assert_eq!(claim(store, 2).await.session.interrupted, Duration::ZERO);
        // The lease expired at 102.
        assert_eq!(claim(store, 300).await.session.interrupted, Duration::from_micros(198));
    }

    async fn notes_are_timeline_entries_and_searchable(database) {
        let store = &database.store;
        let session_id = submit(store).await;
        let lease = claim(store, 2).await.lease;
        let stage_id = store.stage_list(session_id).await.unwrap()[0].stage_id;
        store.stage_begin(lease, stage_id, Some(note(Some(stage_id))), at(5)).await.unwrap();
        let runbook =
            NewRunbook { text: "# Restart".to_owned(), note: Some(note(None)), masked_values: Some("{}".to_owned()) };
        store.runbook_record(lease, runbook, at(6)).await.unwrap();

        let timeline = store.timeline_list(session_id, 0, 10).await.unwrap();
        let positions: Vec<_> = timeline.iter().map(|entry| (entry.position, entry.sequence)).collect();
        assert_eq!(positions, [(1, None), (2, None)]);
        assert_eq!(store.stage_list(session_id).await.unwrap()[0].routing_reason.as_deref(), Some("because of a giraffe"));
        assert_eq!(store.runbook_fetch(session_id).await.unwrap().as_deref(), Some("# Restart"));
        let input = store.session_input_fetch(session_id).await.unwrap().unwrap();
        assert_eq!(input.masked_values.as_deref(), Some("{}"));
        let events = store.event_list(Channel::Session(session_id), 0, 10).await.unwrap();
        let notified = events.iter().filter(|event| event.event_type() == Some(EventType::TimelineEventCompleted)).count();
        assert_eq!(notified, 2);
        let found = tarsy_store::SessionFilter {
            search: tarsy_domain::SearchQuery::parse("giraffe"),
            ..tarsy_store::SessionFilter::default()
        };
        assert_eq!(store.session_list(&found, None, 10).await.unwrap().sessions.len(), 1);
    }

    async fn masked_values_only_grow(database) {
        let store = &database.store;
        let mut session = new_session("a");
        session.input.masked_values = Some("{\"1\":\"password#1\"}".to_owned());
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
        let lease = claim(store, 2).await.lease;
        let execution_id = begin(store, lease).await;
        let known = || async { store.session_input_fetch(session_id).await.unwrap().unwrap().masked_values };
        assert_eq!(known().await.as_deref(), Some("{\"1\":\"password#1\"}"));
        let two = "{\"1\":\"password#1\",\"2\":\"password#2\"}";
        let step = Step { masked_values: Some(two.to_owned()), ..model_step(execution_id, "x", at(5)) };
        store.step_record(lease, step, at(5)).await.unwrap();
        assert_eq!(known().await.as_deref(), Some(two));
        // A step that was prepared earlier and is written later has a shorter record.
        let step = Step { masked_values: Some("{}".to_owned()), ..model_step(execution_id, "y", at(6)) };
        store.step_record(lease, step, at(6)).await.unwrap();
        assert_eq!(known().await.as_deref(), Some(two));
    }

    async fn a_full_queue_accepts_only_known_alerts(database) {
        let store = &database.store;
        let insert = |id: &'static str| store.session_insert(new_session(id), QueueLimit::Sessions(2), at(1));
        assert!(matches!(insert("a").await.unwrap(), SubmitOutcome::Created(_)));
        assert!(matches!(insert("b").await.unwrap(), SubmitOutcome::Created(_)));
        assert_eq!(insert("c").await.unwrap(), SubmitOutcome::QueueFull);
        assert!(matches!(insert("a").await.unwrap(), SubmitOutcome::Existing(_)));
        claim(store, 2).await;
        assert!(matches!(insert("c").await.unwrap(), SubmitOutcome::Created(_)));
    }

    async fn signals_reach_waiting_processes(database) {
        // On PostgreSQL another process sends the signal; SQLite has only one process.
        let there = &database.another().await;
        let here = database.store.clone();
        let listening = tokio::spawn(async move { here.listen().await });
        let mut cancels = database.store.cancel_subscribe();
        let session_id = submit(there).await;
        timeout(SOON, database.store.queue_wait_for_work()).await.unwrap();
        claim(there, 2).await;
        // The first request is missed if listening started later, so it is repeated until a signal arrives.
        let signal = async {
            loop {
                there.session_cancel(session_id, None, at(3)).await.unwrap();
                let signal = timeout(Duration::from_millis(200), cancels.next()).await;
                if let Ok(Some(signal @ CancelSignal::Session(_))) = signal {
                    return signal;
                }
            }
        };
        assert_eq!(timeout(SOON, signal).await.unwrap(), CancelSignal::Session(session_id));
        listening.abort();
    }
}
