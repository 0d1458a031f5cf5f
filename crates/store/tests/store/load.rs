//! The backlog, the load and the counters of a store.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{LlmErrorKind, Timestamp, TokenUsage};
use tarsy_store::{
    CallCounts, CalledModel, CalledServer, ClaimLimit, Durations, ModelCalls, QueueBacklog, QueueLimit,
    StepPayload, StoreError,
};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening, tool_step};

const LEASE: Duration = Duration::from_micros(100);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Returns a histogram of one call in the shortest bucket.
fn once(duration_ms: u64) -> Durations {
    let mut durations = Durations { sum_ms: duration_ms, ..Durations::default() };
    durations.buckets[0] = 1;
    durations
}

both_engines! {
    async fn the_backlog_counts_claimable_sessions(database) {
        let store = &database.store;
        let waits = async |now: i64| store.queue_backlog(at(now)).await.unwrap();
        assert_eq!(waits(10).await, QueueBacklog { sessions: 0, oldest_since: None });
        for created in [3, 5] {
            store.session_insert(new_session(&created.to_string()), QueueLimit::Unlimited, at(created)).await.unwrap();
        }
        assert_eq!(waits(10).await, QueueBacklog { sessions: 2, oldest_since: Some(at(3)) });
        store.queue_claim("w", ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap();
        assert_eq!(waits(10).await, QueueBacklog { sessions: 1, oldest_since: Some(at(5)) });
        // The lease has expired.
        assert_eq!(waits(110).await.sessions, 2);
    }

    async fn counts_recorded_calls_but_not_rejected_ones(database) {
        let store = &database.store;
        store.session_insert(new_session("a"), QueueLimit::Unlimited, at(1)).await.unwrap();
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;
        let execution = execution();
        let id = execution.execution_id;
        store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
        let mut failed = model_step(id, "", at(5));
        if let StepPayload::Model(call) = &mut failed.payload {
            call.error_kind = Some(LlmErrorKind::Timeout);
        }
        for step in [model_step(id, "I look", at(4)), failed, tool_step(id, "three pods", at(6))] {
            store.step_record(lease, step, at(6)).await.unwrap();
        }
        let stale = tarsy_store::Lease { fence: lease.fence - 1, ..lease };
        store.step_record(stale, model_step(id, "too late", at(7)), at(7)).await.unwrap_err();

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

    async fn a_ping_succeeds_until_the_store_is_closed(database) {
        let store = &database.store;
        store.database_ping().await.unwrap();
        let load = store.database_load();
        // PostgreSQL connections return to the pool asynchronously, so the number in use is not
        // deterministic.
        assert!(load.connections >= 8 && load.connections_in_use <= load.connections, "{load:?}");
        assert_eq!(load.writes_waiting, 0);
    }
}

#[tokio::test]
async fn a_closed_store_reports_that_it_is_closed() {
    let database = tarsy_testkit::TestDatabase::sqlite().await;
    database.store.close().await;
    assert!(matches!(database.store.database_ping().await, Err(StoreError::Closed)));
}
