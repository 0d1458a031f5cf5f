//! The text of a session whose stages failed, were skipped, or were not merged.

use serde_json::json;
use tarsy_domain::{ExecutionKind, SessionStatus, Timestamp, WorkStatus};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const PARALLEL: &str = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        synthesis: { llm_provider: merges }
";

/// The second agent has no usable provider: its API key is not set.
const ONE_UNUSABLE: &str = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: google-default }]
        synthesis: { llm_provider: merges }
      - { name: conclude, agent: c, llm_provider: c }
";

/// Calls a tool once and concludes; `merges` replies with `merged`.
fn investigates(request: &ScriptedRequest, merged: ScriptedReply) -> ScriptedReply {
    match request.model.as_str() {
        "merges" => merged,
        "sums-up" => ScriptedReply::Text("In short.".to_owned()),
        model if request.results() == 0 => ScriptedReply::Calls(
            "I look.".to_owned(),
            vec![("shed__look".to_owned(), json!({ "by": model }))],
        ),
        model => ScriptedReply::Text(format!("{model} found it.")),
    }
}

const BOTH_FINDINGS: &str = "### a\n\na found it.\n\n### b\n\nb found it.";

both_engines! {
    async fn only_the_agent_with_an_unusable_provider_fails(database) {
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Text("All agree.".to_owned()));
        let mut engine = TestEngine::start(database, ONE_UNUSABLE, script).await;
        let session = engine.investigate("boom").await;

        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("c found it."));
        let executions = engine.executions(&session).await;
        let unusable = executions.iter().find(|one| one.identity.agent_name == "b").unwrap();
        assert_eq!(unusable.status, WorkStatus::Failed);
        let error = unusable.error_message.as_deref().unwrap();
        assert!(error.contains("GOOGLE_API_KEY"), "{error}");
        let prompt = engine.model.log().into_iter().find(|request| request.model == "merges").unwrap().text();
        assert!(prompt.contains("GOOGLE_API_KEY"), "{prompt}");
        engine.stop().await;
    }

    async fn the_success_policy_counts_an_agent_with_an_unusable_provider(database) {
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Text("All agree.".to_owned()));
        let chain = ONE_UNUSABLE.replace("      - { name: conclude", "        success_policy: all\n      - { name: conclude");
        let mut engine = TestEngine::start(database, &chain, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        let message = session.error_message.as_deref().unwrap();
        assert!(message.starts_with("stage `look` failed: 1 of 2 agents failed: b: "), "{message}");
        assert_eq!(session.final_analysis.as_deref(), Some("c found it."));
        engine.stop().await;
    }

    async fn a_session_whose_agents_all_have_unusable_providers_fails_with_their_reasons(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: google-default }, { name: b, llm_provider: openai-default }]
      - { name: conclude, agent: c, llm_provider: anthropic-default }
";
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Hang);
        let mut engine = TestEngine::start(database, chain, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = session.error_message.clone().unwrap();
        for name in ["GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
            assert!(message.contains(name), "{message}");
        }
        let executions = engine.executions(&session).await;
        let agents = executions.iter().filter(|one| one.identity.kind == ExecutionKind::Agent);
        assert_eq!(agents.filter(|one| one.status == WorkStatus::Failed).count(), 3);
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }

    async fn a_session_cancelled_during_the_synthesis_reports_the_findings_of_every_agent(database) {
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Hang);
        let mut engine = TestEngine::start(database, PARALLEL, script).await;
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(5)).await.unwrap();
        engine.store.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Cancelled);
        let analysis = session.final_analysis.unwrap();
        assert!(analysis.starts_with("**No conclusion was reached.**"), "{analysis}");
        assert!(analysis.ends_with(BOTH_FINDINGS), "{analysis}");
        engine.stop().await;
    }

    async fn a_session_that_times_out_during_the_synthesis_reports_the_findings_of_every_agent(database) {
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Hang);
        let queue = "queue: { session_timeout: 4s, poll_interval: 100ms }";
        let mut engine = TestEngine::prepare(database, PARALLEL, queue, script).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::TimedOut);
        let analysis = session.final_analysis.unwrap();
        assert!(analysis.ends_with(BOTH_FINDINGS), "{analysis}");
        engine.stop().await;
    }

    async fn a_session_whose_synthesis_failed_reports_the_findings_of_every_agent(database) {
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Error(400));
        let mut engine = TestEngine::start(database, PARALLEL, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let analysis = session.final_analysis.unwrap();
        assert!(analysis.ends_with(BOTH_FINDINGS), "{analysis}");
        engine.stop().await;
    }

    async fn unmerged_findings_are_reported_before_the_analysis_of_an_earlier_stage(database) {
        let chain = PARALLEL.replacen("    stages:", "    stages:\n      - { name: collect, agent: c, llm_provider: c }", 1);
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Error(400));
        let mut engine = TestEngine::start(database, &chain, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        let analysis = session.final_analysis.unwrap();
        let (findings, earlier) = (analysis.find(BOTH_FINDINGS), analysis.find("c found it."));
        assert!(findings.is_some() && findings < earlier, "{analysis}");
        engine.stop().await;
    }

    async fn a_session_whose_stages_were_all_skipped_says_which_and_why(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, when: 'severity == \"critical\"' }
      - { name: conclude, agent: c, llm_provider: c, when: 'stages.look.status == \"completed\"' }
";
        let script = |request: &ScriptedRequest| investigates(request, ScriptedReply::Hang);
        let mut engine = TestEngine::start(database, chain, script).await;
        let session = engine.investigate(r#"{"severity": "info"}"#).await;
        assert_eq!(session.status, SessionStatus::Completed);
        let expected = "**Nothing was investigated.** All stages of the chain were skipped:\n\n\
                        - `look`: its condition does not hold: severity == \"critical\"\n\
                        - `conclude`: its condition does not hold: stages.look.status == \"completed\"";
        assert_eq!(session.final_analysis.as_deref(), Some(expected));
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }
}
