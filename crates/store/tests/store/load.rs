//! What is known about a store while it works: how much waits, how busy it is, what it has recorded.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{LlmErrorKind, Timestamp, TokenUsage};
use tarsy_store::{
    CallCounts, CalledModel, CalledServer, ClaimLimit, Durations, ModelCalls, QueueBacklog, QueueLimit,
    StepPayload, StoreError,
};
use tarsy_testkit::{answer, both_engines, execution, new_session, opening, tool_run};

const LEASE: Duration = Duration::from_micros(100);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// One call in the shortest bucket.
fn once(duration_ms: u64) -> Durations {
    let mut durations = Durations { sum_ms: duration_ms, ..Durations::default() };
    durations.buckets[0] = 1;
    durations
}

both_engines! {
    async fn what_waits_are_sessions_that_nobody_holds(database) {
        let store = &database.store;
        let waits = async |now: i64| store.queue_backlog(at(now)).await.unwrap();
        assert_eq!(waits(10).await, QueueBacklog { sessions: 0, oldest_since: None });
        for created in [3, 5] {
            store.session_insert(new_session(&created.to_string()), QueueLimit::Unlimited, at(created)).await.unwrap();
        }
        assert_eq!(waits(10).await, QueueBacklog { sessions: 2, oldest_since: Some(at(3)) });
        store.queue_claim("w", ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap();
        assert_eq!(waits(10).await, QueueBacklog { sessions: 1, oldest_since: Some(at(5)) });
        // The lease has run out: whoever held it is gone.
        assert_eq!(waits(110).await.sessions, 2);
    }

    async fn a_recorded_call_is_counted_and_a_refused_one_is_not(database) {
        let store = &database.store;
        store.session_insert(new_session("a"), QueueLimit::Unlimited, at(1)).await.unwrap();
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;
        let execution = execution();
        let id = execution.execution_id;
        store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
        let mut failed = answer(id, "", at(5));
        if let StepPayload::Model(call) = &mut failed.payload {
            call.error_kind = Some(LlmErrorKind::Timeout);
        }
        for step in [answer(id, "I look", at(4)), failed, tool_run(id, "three pods", at(6))] {
            store.step_record(lease, step, at(6)).await.unwrap();
        }
        let stale = tarsy_store::Lease { fence: lease.fence - 1, ..lease };
        store.step_record(stale, answer(id, "too late", at(7)), at(7)).await.unwrap_err();

        let usage = TokenUsage { input_tokens: 100, output_tokens: 20, thinking_tokens: 5, cached_tokens: 50 };
        let called = |outcome| CalledModel {
            provider: "replay".to_owned(), model: "recorded".to_owned(), outcome,
        };
        let calls = ModelCalls { durations: once(5), usage };
        let tool = CalledServer { server: "kubernetes-server".to_owned(), outcome: "ok" };
        assert_eq!(store.call_counts(), CallCounts {
            models: BTreeMap::from([(called("ok"), calls.clone()), (called("timeout"), calls)]),
            tools: BTreeMap::from([(tool, once(12))]),
        });
    }

    async fn a_store_answers_until_it_is_closed(database) {
        let store = &database.store;
        store.database_ping().await.unwrap();
        let load = store.database_load();
        // Connections of PostgreSQL go back to their pool a moment after they were used, so how many are is not known.
        assert!(load.connections >= 8 && load.connections_in_use <= load.connections, "{load:?}");
        assert_eq!(load.writes_waiting, 0);
    }
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let database = tarsy_testkit::TestDatabase::sqlite().await;
    database.store.close().await;
    assert!(matches!(database.store.database_ping().await, Err(StoreError::Closed)));
}
