//! Sessions that are given back, or whose worker is lost, and go on elsewhere.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{SessionStatus, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::{ClaimLimit, StageOutcome};
use tarsy_testkit::{Asked, Said, both_engines};
use tokio::time::timeout;

use crate::investigations::lab::{Brake, Lab, SOON};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

const IMPATIENT: &str =
    "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms, heartbeat_interval: 200ms }";

both_engines! {
    async fn a_parked_session_goes_on_at_its_next_step(database) {
        let brake = Brake::default();
        let pulled = brake.clone();
        let script = move |asked: &Asked| match (asked.model.as_str(), asked.results()) {
            ("a" | "b", 0) => Said::Calls("I look.".to_owned(), vec![("shed__look".to_owned(), json!({}))]),
            ("b", _) => pulled.or(Said::Text("b found it.".to_owned())),
            (model, _) => Said::Text(format!("{model} found it.")),
        };
        let mut lab = Lab::prepare(database, CHAIN, IMPATIENT, script).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(4)).await.unwrap();
        lab.stop().await;
        let parked = lab.until(session_id, |_| true).await;
        assert_eq!((parked.status, parked.worker), (SessionStatus::InProgress, None));

        brake.release();
        lab.begin();
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("b found it."));
        // Only the call that was under way was made again.
        let asked: Vec<_> = lab.model.log().iter().map(|asked| (asked.model.clone(), asked.results())).collect();
        let expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 1), ("sums-up", 0)];
        assert_eq!(asked, expected.map(|(model, results)| (model.to_owned(), results)));
        assert_eq!(lab.tools.calls().len(), 2);
        lab.stop().await;
    }

    async fn a_safe_tool_call_is_made_again_and_another_is_not(database) {
        for (tool, calls) in [("shed__wait", 2), ("shed__restart", 1)] {
            let script = move |asked: &Asked| match (asked.model.as_str(), asked.results()) {
                ("a", 0) => Said::Calls(
                    "I act.".to_owned(),
                    vec![("shed__wait".to_owned(), json!({})), (tool.to_owned(), json!({}))],
                ),
                (model, _) => Said::Text(format!("{model} is done.")),
            };
            let timeouts = format!("{IMPATIENT}\ndefaults: {{ iteration_timeout: 3s }}");
            let mut lab = Lab::prepare(database, CHAIN, &timeouts, script).await;
            lab.begin();
            let session_id = lab.submit("boom").await;
            timeout(SOON, lab.tools.called(2)).await.unwrap();
            lab.stop().await;
            lab.begin();
            let session = lab.ended(session_id).await;
            assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
            let made = lab.tools.calls().iter().filter(|(name, _)| tool.ends_with(name.as_str())).count();
            let results = lab.texts(&session, TimelineEventType::ToolResult).await;
            if tool == "shed__restart" {
                assert_eq!(made, calls);
                assert!(results[1].starts_with("The outcome of this call is unknown"), "{results:?}");
            } else {
                assert_eq!(made, 2 * calls);
            }
            lab.stop().await;
        }
    }

    async fn finished_agents_of_a_stage_are_not_run_again(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        synthesis: { llm_provider: merges }
";
        let brake = Brake::default();
        let pulled = brake.clone();
        let script = move |asked: &Asked| match asked.model.as_str() {
            "b" => pulled.or(Said::Text("b found it.".to_owned())),
            model => Said::Text(format!("{model} found it.")),
        };
        let mut lab = Lab::prepare(database, chain, IMPATIENT, script).await;
        lab.begin();
        let session_id = lab.submit("boom").await;
        timeout(SOON, lab.model.asked(2)).await.unwrap();
        lab.until(session_id, |session| session.llm_interactions == 1).await;
        lab.stop().await;
        brake.release();
        lab.begin();
        let session = lab.ended(session_id).await;
        assert_eq!(session.final_analysis.as_deref(), Some("merges found it."));
        let asked = lab.model.log().iter().filter(|asked| asked.model == "a").count();
        assert_eq!(asked, 1);
        lab.stop().await;
    }

    async fn a_session_that_loses_every_worker_is_given_up_with_what_it_found(database) {
        let mut lab = Lab::prepare(database, CHAIN, IMPATIENT, |_: &Asked| Said::Nothing).await;
        let session_id = lab.submit("boom").await;
        let claimed = lab.claim_and_vanish().await;
        let (lease, at) = (claimed.lease, Timestamp::now());
        let stage_id = lab.stages(&claimed.session).await[0].stage_id;
        lab.store.stage_begin(lease, stage_id, None, at).await.unwrap();
        let found = StageOutcome {
            status: WorkStatus::Completed,
            analysis: Some("It was the pod.".to_owned()),
            error_message: None,
            routing_reason: None,
        };
        lab.store.stage_finish(lease, stage_id, found, None, at).await.unwrap();
        lab.claim_and_vanish().await;
        lab.claim_and_vanish().await;
        lab.begin();
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert!(session.error_message.as_ref().unwrap().contains("lost 3 times in a row"), "{session:?}");
        assert_eq!(session.final_analysis.as_deref(), Some("It was the pod."));
        assert_eq!(lab.model.log().len(), 0);
        lab.stop().await;
    }

    async fn a_session_whose_worker_is_gone_is_looked_for_in_its_own_time(database) {
        let done = |_: &Asked| Said::Text("Done.".to_owned());
        let queue = "queue: { poll_interval: 10m, poll_interval_jitter: 0s, orphan_detection_interval: 100ms }";
        let mut lab = Lab::prepare(database, CHAIN, queue, done).await;
        let session_id = lab.submit("boom").await;
        let at = Timestamp::now();
        // The worker dies while the engine looks: nobody tells it when the lease runs out.
        let lease = Duration::from_secs(1);
        lab.store.queue_claim("gone", ClaimLimit::Unlimited, at, lease).await.unwrap().unwrap();
        lab.begin();
        assert_eq!(lab.ended(session_id).await.status, SessionStatus::Completed);
        lab.stop().await;
    }

    async fn a_session_that_nobody_can_read_ends_with_all_its_parts(database) {
        let mut lab = Lab::prepare(database, CHAIN, IMPATIENT, |_: &Asked| Said::Nothing).await;
        let session_id = lab.submit_with("boom", |input| input.chain_snapshot = "?".to_owned()).await;
        let claimed = lab.claim_and_vanish().await;
        let stage_id = lab.stages(&claimed.session).await[0].stage_id;
        lab.store.stage_begin(claimed.lease, stage_id, None, Timestamp::now()).await.unwrap();
        lab.begin();
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert!(session.error_message.as_ref().unwrap().contains("the chain of the session"), "{session:?}");
        let stages: Vec<_> = lab.stages(&session).await.iter().map(|stage| stage.status).collect();
        assert_eq!(stages, [WorkStatus::Failed, WorkStatus::Skipped]);
        assert_eq!((session.stages_done, session.stages_failed), (2, 1));
        lab.stop().await;
    }

    async fn a_stage_whose_time_was_up_does_not_begin_again(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        synthesis: { llm_provider: merges }
        timeout: 1m
";
        let says = |asked: &Asked| Said::Text(format!("{} found it.", asked.model));
        let mut lab = Lab::prepare(database, chain, IMPATIENT, says).await;
        let session_id = lab.submit("boom").await;
        let claimed = lab.claim_and_vanish().await;
        let stage_id = lab.stages(&claimed.session).await[0].stage_id;
        let long_ago = Timestamp::now().before(Duration::from_secs(120));
        lab.store.stage_begin(claimed.lease, stage_id, None, long_ago).await.unwrap();
        lab.begin();
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = "stage `look` ran out of time: the stage took longer than 1m";
        assert_eq!(session.error_message.as_deref(), Some(message));
        assert_eq!(lab.model.log().len(), 0);
        lab.stop().await;
    }
}
