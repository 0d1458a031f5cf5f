//! Steps: each is written atomically.

use std::time::Duration;

use tarsy_domain::{
    Channel, EventType, ExecutionId, Message, MessageId, TimelineEventType, Timestamp, TokenUsage, ToolCall,
    WorkStatus,
};
use tarsy_store::{
    ClaimLimit, ExecutionOutcome, Lease, NewMessage, QueueLimit, Step, StepPayload, StepReceipt, Store,
    StoreError,
};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening, tool_step};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Creates a claimed session with one active execution.
async fn active_execution(store: &Store, alert_id: &str) -> (Lease, ExecutionId) {
    let session_id = {
        let session = new_session(alert_id);
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
        session_id
    };
    let hour = Duration::from_secs(3600);
    let claimed = store.queue_claim("w", ClaimLimit::Unlimited, at(2), hour).await.unwrap().unwrap();
    assert_eq!(claimed.lease.session_id, session_id);
    let execution = execution();
    let execution_id = execution.execution_id;
    store.execution_begin(claimed.lease, execution, opening(), at(3)).await.unwrap();
    (claimed.lease, execution_id)
}

both_engines! {
    async fn a_step_writes_all_its_parts_and_updates_the_totals(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let thought = model_step(execution_id, "I look at the pods", at(10));
        let observation = tool_step(execution_id, "three pods are down", at(11));

        store.step_record(lease, thought.clone(), at(10)).await.unwrap();
        let receipt = store.step_record(lease, observation.clone(), at(11)).await.unwrap();

        let last_event_id = store.event_last_id(Channel::Session(lease.session_id)).await.unwrap();
        assert_eq!(
            receipt,
            StepReceipt {
                last_message_sequence: 2, last_timeline_sequence: 3, last_timeline_position: 3, last_event_id,
            }
        );
        let session = store.session_fetch(lease.session_id).await.unwrap().unwrap();
        assert_eq!((session.llm_interactions, session.mcp_interactions, session.timeline_events), (1, 1, 3));
        let usage = TokenUsage { input_tokens: 100, output_tokens: 20, thinking_tokens: 5, cached_tokens: 50 };
        assert_eq!(session.usage, usage);
        assert_eq!(session.current_step.as_deref(), Some("Thinking"));

        let [execution] = &store.execution_list(lease.session_id).await.unwrap()[..] else { panic!() };
        assert_eq!((execution.llm_interactions, execution.mcp_interactions), (1, 1));
        assert_eq!(execution.usage, usage);

        let StepPayload::Model(call) = &thought.payload else { panic!() };
        let recorded = store.llm_interaction_list(lease.session_id).await.unwrap();
        assert_eq!(recorded.len(), 1);
        assert_eq!((&recorded[0].call, recorded[0].execution_id), (call, execution_id));
        let StepPayload::Tool(run) = &observation.payload else { panic!() };
        assert_eq!(&store.mcp_interaction_list(lease.session_id).await.unwrap()[0].run, run);
    }

    async fn messages_and_timeline_are_numbered_without_gaps(database) {
        let store = &database.store;
        let (lease, first) = active_execution(store, "a").await;
        let second = execution();
        let second_id = second.execution_id;
        store.execution_begin(lease, second, opening(), at(4)).await.unwrap();
        for execution_id in [first, second_id, first] {
            store.step_record(lease, tool_step(execution_id, "x", at(5)), at(5)).await.unwrap();
        }

        let timeline = store.timeline_list(lease.session_id, 0, 100).await.unwrap();
        let positions: Vec<_> = timeline.iter().map(|event| event.position).collect();
        assert_eq!(positions, [1, 2, 3, 4, 5, 6]);
        let of_first: Vec<_> =
            timeline.iter().filter(|event| event.execution_id == Some(first)).map(|event| event.sequence).collect();
        assert_eq!(of_first, [Some(1), Some(2), Some(3), Some(4)]);
        let sequences: Vec<_> =
            store.message_list(first).await.unwrap().iter().map(|message| message.sequence).collect();
        assert_eq!(sequences, [1, 2]);
        let page = store.timeline_list(lease.session_id, 2, 3).await.unwrap();
        assert_eq!(page.iter().map(|event| event.position).collect::<Vec<_>>(), [3, 4, 5]);
    }

    async fn a_message_keeps_tool_calls_and_provider_state_byte_for_byte(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let spoken = Message {
            tool_calls: vec![ToolCall {
                id: "call_1".into(), name: "k8s.pods".into(), arguments: "{ \"b\":1,\"a\" : 1.0 }".into(),
            }],
            provider_state: Some("{\"z\": 1,  \"signature\":\"\\u0000é==\",\"a\":[1e400]}".into()),
            ..Message::assistant("Let me check.")
        };
        let message = NewMessage { message_id: MessageId::new(), message: spoken };
        let step = Step { messages: vec![message.clone()], ..model_step(execution_id, "", at(5)) };

        store.step_record(lease, step, at(5)).await.unwrap();

        let [recorded] = &store.message_list(execution_id).await.unwrap()[..] else { panic!() };
        assert_eq!(recorded.message, message);
    }

    async fn a_step_that_fails_halfway_writes_nothing(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let first = model_step(execution_id, "first", at(5));
        store.step_record(lease, first.clone(), at(5)).await.unwrap();
        let before = (
            store.session_fetch(lease.session_id).await.unwrap(),
            store.event_last_id(Channel::Session(lease.session_id)).await.unwrap(),
        );

        // The id of the interaction is not unique, so the step fails after the totals were updated.
        let mut broken = model_step(execution_id, "second", at(6));
        broken.payload = first.payload;
        let error = store.step_record(lease, broken, at(6)).await.unwrap_err();

        assert!(matches!(error, StoreError::Rejected(_)), "{error:?}");
        let after = (
            store.session_fetch(lease.session_id).await.unwrap(),
            store.event_last_id(Channel::Session(lease.session_id)).await.unwrap(),
        );
        assert_eq!(after, before);
        assert_eq!(store.llm_interaction_list(lease.session_id).await.unwrap().len(), 1);
        assert_eq!(store.message_list(execution_id).await.unwrap().len(), 1);
    }

    async fn a_failing_step_does_not_affect_concurrent_steps(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let taken = model_step(execution_id, "first", at(5));
        store.step_record(lease, taken.clone(), at(5)).await.unwrap();

        let steps = (0..64).map(|number| {
            let mut step = model_step(execution_id, &format!("step {number}"), at(6));
            if number % 2 == 1 {
                step.payload = taken.payload.clone();
            }
            let store = store.clone();
            tokio::spawn(async move { (number % 2 == 0, store.step_record(lease, step, at(6)).await) })
        });
        for step in steps.collect::<Vec<_>>() {
            let (sound, outcome) = step.await.unwrap();
            assert_eq!(outcome.is_ok(), sound, "{outcome:?}");
        }

        let session = store.session_fetch(lease.session_id).await.unwrap().unwrap();
        assert_eq!((session.llm_interactions, session.timeline_events), (33, 33));
        let sequences: Vec<_> =
            store.message_list(execution_id).await.unwrap().iter().map(|message| message.sequence).collect();
        assert_eq!(sequences, (1..=33).collect::<Vec<_>>());
        let events = store.event_list(Channel::Session(lease.session_id), 0, 1000).await.unwrap();
        let ids: Vec<_> = events.iter().map(|event| event.event_id).collect();
        assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
    }

    async fn rejects_a_step_of_an_unknown_execution(database) {
        let store = &database.store;
        let (lease, _) = active_execution(store, "a").await;
        let unknown = ExecutionId::new();
        let error = store.step_record(lease, model_step(unknown, "x", at(5)), at(5)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("there is no execution {unknown}"));
    }

    async fn events_can_be_read_in_pages(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        store.step_record(lease, model_step(execution_id, "x", at(5)), at(5)).await.unwrap();
        let channel = Channel::Session(lease.session_id);

        let mut seen = Vec::new();
        let mut last = 0;
        loop {
            let page = store.event_list(channel, last, 2).await.unwrap();
            let Some(event) = page.last() else { break };
            last = event.event_id;
            seen.extend(page.into_iter().map(|event| (event.event_id, event.event_type().unwrap())));
        }

        assert_eq!(
            seen,
            [
                (1, EventType::SessionStatus),
                (2, EventType::SessionStatus),
                (3, EventType::ExecutionStatus),
                (4, EventType::SessionProgress),
                (5, EventType::InteractionCreated),
                (6, EventType::TimelineEventCompleted),
                (7, EventType::SessionProgress),
            ]
        );
    }

    async fn an_execution_ends_once(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let outcome = ExecutionOutcome {
            status: WorkStatus::Completed, final_analysis: Some("done".into()), error_message: None,
        };
        store.execution_finish(lease, execution_id, outcome.clone(), at(9)).await.unwrap();

        assert!(store.execution_finish(lease, execution_id, outcome, at(10)).await.is_err());
        let late = store.step_record(lease, model_step(execution_id, "late", at(11)), at(11)).await.unwrap_err();
        assert_eq!(late.to_string(), format!("execution {execution_id} cannot become active: it is completed"));
        let [execution] = &store.execution_list(lease.session_id).await.unwrap()[..] else { panic!() };
        assert_eq!((execution.status, execution.completed_at), (WorkStatus::Completed, Some(at(9))));
        assert_eq!(execution.final_analysis.as_deref(), Some("done"));
    }

    async fn a_result_of_several_megabytes_is_stored_completely(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store, "a").await;
        let flood: String = (0..400_000).map(|number| format!("w{number} ")).collect();
        store.step_record(lease, tool_step(execution_id, &flood, at(5)), at(5)).await.unwrap();

        let timeline = store.timeline_list(lease.session_id, 0, 10).await.unwrap();
        assert_eq!(timeline[1].entry.event_type, TimelineEventType::ToolResult);
        assert!(timeline[1].entry.content == flood);
    }
}
