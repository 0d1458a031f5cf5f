//! Stopping a session, wherever it is.

use serde_json::json;
use tarsy_domain::{LlmErrorKind, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{CancelOutcome, ExecutionOutcome, NewExecution};
use tarsy_testkit::{Asked, Said, both_engines, execution, opening};
use tokio::time::timeout;

use crate::investigations::lab::{Lab, SOON};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

/// Leases are looked at so seldom that only a push, or a look at the record, is in time.
const ONLY_PUSHES: &str = "queue: { heartbeat_interval: 10m, poll_interval: 50ms }";

async fn cancel(lab: &Lab, session_id: tarsy_domain::SessionId) -> CancelOutcome {
    lab.store.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap()
}

/// The session ends as cancelled, and so does everything in it.
async fn is_cancelled(lab: &Lab, session_id: tarsy_domain::SessionId) {
    let session = lab.ended(session_id).await;
    assert_eq!(session.status, SessionStatus::Cancelled, "{session:?}");
    assert_eq!(session.error_message.as_deref(), Some("cancelled by ann"));
    let stages: Vec<_> = lab.stages(&session).await.iter().map(|stage| stage.status).collect();
    assert_eq!(stages, [WorkStatus::Cancelled, WorkStatus::Cancelled]);
    let executions = lab.executions(&session).await;
    assert!(executions.iter().all(|one| one.status == WorkStatus::Cancelled), "{executions:?}");
}

both_engines! {
    async fn before_anybody_began(database) {
        let lab = Lab::prepare(database, CHAIN, "", |_: &Asked| Said::Nothing).await;
        let session_id = lab.submit("boom").await;
        assert_eq!(cancel(&lab, session_id).await, CancelOutcome::Cancelled);
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Cancelled);
        assert!(lab.stages(&session).await.iter().all(|stage| stage.status == WorkStatus::Cancelled));
    }

    async fn in_a_model_call(database) {
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Nothing).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(1)).await.unwrap();
        assert_eq!(cancel(&lab, session_id).await, CancelOutcome::Requested);
        timeout(SOON, lab.model.left(1)).await.unwrap();
        is_cancelled(&lab, session_id).await;
        let calls = lab.store.llm_interaction_list(session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.error_kind).collect();
        assert_eq!(kinds, [Some(LlmErrorKind::Stopped)]);
        lab.stop().await;
    }

    async fn in_a_tool_call(database) {
        let waits = |_: &Asked| Said::Calls(String::new(), vec![("shed__wait".to_owned(), json!({}))]);
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, waits).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.tools.called(1)).await.unwrap();
        cancel(&lab, session_id).await;
        is_cancelled(&lab, session_id).await;
        lab.stop().await;
    }

    async fn what_was_said_until_then_is_kept(database) {
        let kept = "**No conclusion was reached.** The last thing that a said:\n\nIt smells of memory.";
        let says = |_: &Asked| {
            Said::Calls("It smells of memory.".to_owned(), vec![("shed__wait".to_owned(), json!({}))])
        };
        let impatient = "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms }";
        let mut lab = Lab::prepare(database, CHAIN, impatient, says).await;
        lab.begin();
        let at_work = lab.submit("boom").await;
        timeout(SOON, lab.tools.called(1)).await.unwrap();
        cancel(&lab, at_work).await;
        assert_eq!(lab.ended(at_work).await.final_analysis.as_deref(), Some(kept));

        let parked = lab.submit("boom").await;
        timeout(SOON, lab.tools.called(2)).await.unwrap();
        lab.stop().await;
        cancel(&lab, parked).await;
        lab.begin();
        assert_eq!(lab.ended(parked).await.final_analysis.as_deref(), Some(kept));
        lab.stop().await;
    }

    async fn in_a_pause_between_attempts(database) {
        // The provider says that it is overloaded, and is asked again after a pause that grows.
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Error(503)).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(2)).await.unwrap();
        cancel(&lab, session_id).await;
        is_cancelled(&lab, session_id).await;
        lab.stop().await;
    }

    async fn from_another_process(database) {
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Nothing).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(1)).await.unwrap();
        let elsewhere = database.another().await;
        elsewhere.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap();
        is_cancelled(&lab, session_id).await;
        lab.stop().await;
    }

    async fn while_the_connection_for_pushes_is_broken(database) {
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Nothing).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(1)).await.unwrap();
        let elsewhere = database.another().await;
        database.cut_connections().await;
        // The connections of the one who asks are broken too; it tries until one is new.
        let asks = || elsewhere.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now());
        while asks().await.is_err() {}
        is_cancelled(&lab, session_id).await;
        lab.stop().await;
    }

    async fn before_anybody_goes_on_with_it(database) {
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Nothing).await;
        let session_id = lab.submit("boom").await;
        lab.claim_and_vanish().await;
        assert_eq!(cancel(&lab, session_id).await, CancelOutcome::Requested);
        lab.begin();
        is_cancelled(&lab, session_id).await;
        assert_eq!(lab.model.log().len(), 0);
        lab.stop().await;
    }

    async fn with_the_end_of_its_agent_recorded_and_not_its_own(database) {
        let mut lab = Lab::prepare(database, CHAIN, ONLY_PUSHES, |_: &Asked| Said::Nothing).await;
        let session_id = lab.submit("boom").await;
        let claimed = lab.claim_and_vanish().await;
        let (lease, at) = (claimed.lease, Timestamp::now());
        let stage_id = lab.stages(&claimed.session).await[0].stage_id;
        lab.store.stage_begin(lease, stage_id, None, at).await.unwrap();
        let begun = NewExecution { stage_id: Some(stage_id), ..execution() };
        let execution_id = begun.execution_id;
        lab.store.execution_begin(lease, begun, opening(), at).await.unwrap();
        cancel(&lab, session_id).await;
        let stopped =
            ExecutionOutcome { status: WorkStatus::Cancelled, final_analysis: None, error_message: None };
        lab.store.execution_finish(lease, execution_id, stopped, at).await.unwrap();
        lab.begin();
        is_cancelled(&lab, session_id).await;
        assert_eq!(lab.model.log().len(), 0);
        lab.stop().await;
    }
}
