//! The queue: claims, leases and fences.

use std::collections::BTreeSet;
use std::time::Duration;

use tarsy_domain::{SessionId, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    ClaimLimit, ExecutionOutcome, QueueLimit, SessionOutcome, StageOutcome, Store, StoreError,
};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening};

const LEASE: Duration = Duration::from_micros(100);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

async fn submit_many(store: &Store, count: i64) -> Vec<SessionId> {
    let mut ids = Vec::new();
    for number in 0..count {
        let session = new_session(&format!("alert-{number}"));
        ids.push(session.session_id);
        store.session_insert(session, QueueLimit::Unlimited, at(number)).await.unwrap();
    }
    ids
}

/// Claims sessions until the queue is empty, and returns those that this worker got.
async fn claim_all(store: Store, worker: String) -> Vec<SessionId> {
    let mut claimed = Vec::new();
    let hour = Duration::from_secs(3600);
    while let Some(claim) = store.queue_claim(&worker, ClaimLimit::Unlimited, at(10_000), hour).await.unwrap()
    {
        assert_eq!(claim.session.worker.as_deref(), Some(worker.as_str()));
        claimed.push(claim.lease.session_id);
    }
    claimed
}

both_engines! {
    async fn concurrent_workers_claim_each_session_exactly_once(database) {
        let expected: BTreeSet<_> = submit_many(&database.store, 500).await.into_iter().collect();

        let workers: Vec<_> =
            (0..8).map(|number| tokio::spawn(claim_all(database.store.clone(), format!("w{number}")))).collect();
        let mut claimed = Vec::new();
        for worker in workers {
            claimed.extend(worker.await.unwrap());
        }

        assert_eq!(claimed.len(), 500);
        assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    async fn the_limit_over_all_workers_is_exact(database) {
        submit_many(&database.store, 40).await;
        let workers: Vec<_> = (0..8)
            .map(|number| {
                let store = database.store.clone();
                tokio::spawn(async move {
                    let mut claimed = 0;
                    for _ in 0..5 {
                        let claim = store
                            .queue_claim(&format!("w{number}"), ClaimLimit::Sessions(7), at(50), LEASE)
                            .await
                            .unwrap();
                        claimed += usize::from(claim.is_some());
                    }
                    claimed
                })
            })
            .collect();
        let mut claimed = 0;
        for worker in workers {
            claimed += worker.await.unwrap();
        }
        assert_eq!(claimed, 7);
    }

    async fn claims_the_oldest_session_first_and_none_before_its_time(database) {
        let ids = submit_many(&database.store, 3).await;
        let claim = |now| database.store.queue_claim("w", ClaimLimit::Unlimited, at(now), LEASE);

        assert_eq!(claim(-1).await.unwrap(), None);
        for expected in ids {
            assert_eq!(claim(10).await.unwrap().unwrap().lease.session_id, expected);
        }
        assert_eq!(claim(10).await.unwrap(), None);
    }

    async fn claims_expired_sessions_before_new_ones(database) {
        let ids = submit_many(&database.store, 2).await;
        let store = &database.store;
        let first = store.queue_claim("dead", ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap();

        let taken_over = store.queue_claim("heir", ClaimLimit::Unlimited, at(110), LEASE).await.unwrap().unwrap();

        assert_eq!(taken_over.lease.session_id, ids[0]);
        assert!(taken_over.lease.fence > first.lease.fence);
        assert_eq!(taken_over.session.started_at, Some(at(10)));
        assert_eq!(taken_over.session.worker.as_deref(), Some("heir"));
    }

    async fn a_renewed_lease_does_not_expire(database) {
        let ids = submit_many(&database.store, 3).await;
        let store = &database.store;
        for worker in ["w", "w", "v"] {
            store.queue_claim(worker, ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap();
        }
        let mut kept = store.queue_renew("w", at(90), LEASE).await.unwrap();
        kept.sort_by_key(|(lease, _)| lease.session_id);
        assert_eq!(kept.iter().map(|(lease, _)| lease.session_id).collect::<Vec<_>>(), ids[..2]);

        let lost = store.queue_claim("x", ClaimLimit::Unlimited, at(150), LEASE).await.unwrap().unwrap();
        assert_eq!(lost.lease.session_id, ids[2], "the other worker did not renew");
        assert_eq!(store.queue_claim("x", ClaimLimit::Unlimited, at(151), LEASE).await.unwrap(), None);
        assert!(store.queue_claim("x", ClaimLimit::Unlimited, at(190), LEASE).await.unwrap().is_some());
    }

    async fn a_released_session_is_claimable_immediately(database) {
        let ids = submit_many(&database.store, 1).await;
        let store = &database.store;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap().lease;
        store.queue_release(lease, at(20)).await.unwrap();

        let next = store.queue_claim("v", ClaimLimit::Unlimited, at(20), LEASE).await.unwrap().unwrap();

        assert_eq!(next.lease.session_id, ids[0]);
        assert_eq!(next.session.status, SessionStatus::InProgress);
    }

    async fn every_write_with_an_outdated_fence_is_rejected(database) {
        submit_many(&database.store, 1).await;
        let store = &database.store;
        let paused = store.queue_claim("paused", ClaimLimit::Unlimited, at(10), LEASE).await.unwrap().unwrap().lease;
        let execution = execution();
        let execution_id = execution.execution_id;
        store.execution_begin(paused, execution, opening(), at(11)).await.unwrap();
        let heir = store.queue_claim("heir", ClaimLimit::Unlimited, at(200), LEASE).await.unwrap().unwrap().lease;
        let before = store.session_fetch(heir.session_id).await.unwrap();

        let stage_id = store.stage_list(heir.session_id).await.unwrap()[0].stage_id;
        let execution_outcome = ExecutionOutcome {
            status: WorkStatus::Completed, final_analysis: None, error_message: None,
        };
        let stage_outcome = StageOutcome {
            status: WorkStatus::Skipped, analysis: None, error_message: None, routing_reason: None,
        };
        let session_outcome = SessionOutcome {
            status: SessionStatus::Completed, final_analysis: None, executive_summary: None, error_message: None,
        };

        let refusals = [
            store.step_record(paused, model_step(execution_id, "late", at(201)), at(201)).await.map(drop),
            store.queue_release(paused, at(201)).await,
            store.execution_begin(paused, self::execution(), opening(), at(201)).await,
            store.execution_finish(paused, execution_id, execution_outcome, at(201)).await,
            store.stage_begin(paused, stage_id, None, at(201)).await,
            store.stage_finish(paused, stage_id, stage_outcome, None, at(201)).await,
            store.session_finish(paused, session_outcome, at(201)).await,
        ];

        assert_eq!(store.queue_renew("paused", at(201), LEASE).await.unwrap(), []);
        for refusal in refusals {
            assert!(matches!(refusal, Err(StoreError::LeaseLost { .. })), "{refusal:?}");
        }
        assert_eq!(store.session_fetch(heir.session_id).await.unwrap(), before);
        assert_eq!(store.message_list(execution_id).await.unwrap(), []);
        store.step_record(heir, model_step(execution_id, "on time", at(202)), at(202)).await.unwrap();
    }
}
