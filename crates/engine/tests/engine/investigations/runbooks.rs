//! The runbook of a session: fetched once, masked, and kept for whoever goes on.

use serde_json::json;
use tarsy_domain::{SessionStatus, TimelineEventType};
use tarsy_testkit::{Asked, Said, both_engines};
use tokio::time::timeout;

use crate::investigations::lab::{Brake, Lab, SOON};
use crate::runbook::peer::{Answer, Peer};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

/// Shaped like secrets, and nobody's.
const IN_THE_RUNBOOK: &str = "glpat-Zx9Qw3Er7Ty1Ui5Op2As";
const IN_A_RESULT: &str = "glpat-Mn4Bv8Cx2Za6Lk1Jh5Gf";

/// Runbooks come from this server, and are not kept between sessions. Sessions are parked at once.
fn settings(peer: &Peer) -> String {
    format!(
        "queue: {{ graceful_shutdown_timeout: 0s, poll_interval: 50ms }}
system: {{ runbooks: {{ cache_ttl: 0s, allowed_domains: ['{}'] }} }}",
        peer.host
    )
}

both_engines! {
    async fn a_runbook_is_fetched_once_masked_and_kept(database) {
        let runbook = format!("# Restart\n\ntoken: {IN_THE_RUNBOOK}\n");
        let peer = Peer::start([("/restart.md", Answer::text(runbook))]).await;
        let brake = Brake::default();
        let pulled = brake.clone();
        let script = move |asked: &Asked| match (asked.model.as_str(), asked.results()) {
            ("a", 0) => {
                pulled.or(Said::Calls("I look.".to_owned(), vec![("shed__leak".to_owned(), json!({}))]))
            }
            _ => Said::Text("Done.".to_owned()),
        };
        let mut lab = Lab::prepare(database, CHAIN, &settings(&peer), script).await;
        lab.tools.plant(&format!("token: {IN_A_RESULT}"));
        lab.begin();
        let address = peer.at("/restart.md");
        let session_id = lab.submit_with("boom", |input| input.runbook = Some(address)).await;
        timeout(SOON, lab.model.asked(1)).await.unwrap();
        // Nothing but the runbook is recorded yet.
        lab.stop().await;
        brake.release();
        lab.begin();
        let session = lab.ended(session_id).await;

        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(peer.requests().len(), 1);
        let log = lab.model.log();
        let last = log.iter().rfind(|asked| asked.model == "a").unwrap().text();
        assert!(last.contains("# Restart"), "{last}");
        assert!(!last.contains(IN_THE_RUNBOOK) && !last.contains(IN_A_RESULT), "{last}");
        let placeholders: Vec<_> = last.match_indices("[MASKED:").map(|(at, _)| &last[at..]).collect();
        let numbers: Vec<_> = placeholders.iter().map(|text| text.split(['#', ']']).nth(1).unwrap()).collect();
        assert_eq!(numbers, ["1", "2"], "two values have two names: {last}");
        lab.stop().await;
    }

    async fn a_runbook_that_cannot_be_had_is_a_warning(database) {
        let peer = Peer::start([]).await;
        let done = |_: &Asked| Said::Text("Done.".to_owned());
        let mut lab = Lab::prepare(database, CHAIN, &settings(&peer), done).await;
        lab.begin();
        let address = peer.at("/gone.md");
        let session_id = lab.submit_with("boom", |input| input.runbook = Some(address)).await;
        let session = lab.ended(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let warnings = lab.texts(&session, TimelineEventType::Warning).await;
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("/gone.md could not be used: "), "{warnings:?}");
        lab.stop().await;
    }
}
