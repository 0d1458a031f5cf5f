//! Chains, stages and agents: what runs, in which order, and the outcome.

use serde_json::{Value, json};
use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, WorkStatus};
use tarsy_store::SessionInput;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

const ONE_STAGE: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

const THREE_STAGES: &str = "
    stages:
      - { name: collect, agent: a, llm_provider: a }
      - { name: analyze, agent: b, llm_provider: b }
      - { name: conclude, agent: c, llm_provider: c }
";

/// Returns the reply of an agent that calls a tool once and then concludes.
fn look_then_conclude(request: &ScriptedRequest) -> ScriptedReply {
    match request.model.as_str() {
        "sums-up" => ScriptedReply::Text("In short: memory.".to_owned()),
        "merges" => ScriptedReply::Text("All agree.".to_owned()),
        model if request.results() == 0 => ScriptedReply::Calls(
            "I look.".to_owned(),
            vec![("shed__look".to_owned(), json!({ "by": model }))],
        ),
        model => ScriptedReply::Text(format!("{model} found it.")),
    }
}

both_engines! {
    async fn runs_a_chain_of_one_stage(database) {
        let mut engine = TestEngine::start(database, ONE_STAGE, look_then_conclude).await;
        let session = engine.investigate(r#"{"pod": "shop-1"}"#).await;

        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("a found it."));
        assert_eq!(session.executive_summary.as_deref(), Some("In short: memory."));
        assert_eq!((session.llm_interactions, session.mcp_interactions), (3, 1));
        assert_eq!((session.stages_done, session.stages_failed), (1, 0));
        let kinds: Vec<_> =
            engine.timeline(&session).await.iter().map(|event| event.entry.event_type).collect();
        use TimelineEventType::{ExecutiveSummary, FinalAnalysis, LlmResponse, ToolCall, ToolResult};
        assert_eq!(kinds, [LlmResponse, ToolCall, ToolResult, FinalAnalysis, ExecutiveSummary]);
        assert_eq!(engine.texts(&session, ToolResult).await, [r#"seen: {"by":"a"}"#]);
        assert_eq!(engine.tools.calls().len(), 1);
        engine.stop().await;
    }

    async fn later_stages_get_the_results_of_earlier_ones(database) {
        let mut engine = TestEngine::start(database, THREE_STAGES, look_then_conclude).await;
        let session = engine.investigate("boom").await;

        assert_eq!(session.status, SessionStatus::Completed);
        assert_eq!(session.final_analysis.as_deref(), Some("c found it."));
        let log = engine.model.log();
        let last = log.iter().find(|request| request.model == "c").unwrap();
        assert!(last.text().contains("a found it.") && last.text().contains("b found it."), "{}", last.text());
        let first = log.iter().find(|request| request.model == "a").unwrap();
        assert!(first.text().contains("boom") && !first.text().contains("found it."));
        engine.stop().await;
    }

    async fn an_action_agent_of_a_recorded_chain_does_not_run(database) {
        let mut engine = TestEngine::start(database, THREE_STAGES, look_then_conclude).await;
        let with_action = |input: &mut SessionInput| {
            let mut chain: Value = serde_json::from_str(&input.chain_snapshot).unwrap();
            chain["stages"][1]["agents"][0]["agent_type"] = json!("action");
            input.chain_snapshot = chain.to_string();
        };
        let session_id = engine.submit_with("boom", with_action).await;
        let session = engine.wait_for_end(session_id).await;

        assert_eq!(session.status, SessionStatus::Failed);
        let reason = session.error_message.as_deref().unwrap();
        assert!(reason.contains("agent `b` of stage `analyze` is of type `action`"), "{reason}");
        assert!(engine.model.log().iter().all(|request| request.model == "a"));
        assert_eq!(engine.tools.calls().len(), 1);
        engine.stop().await;
    }

    async fn parallel_agents_are_merged_by_the_synthesis(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }, { name: c, llm_provider: c }]
        synthesis: { llm_provider: merges }
";
        let fails = |request: &ScriptedRequest| if request.model == "b" { ScriptedReply::Error(400) } else { look_then_conclude(request) };
        let mut engine = TestEngine::start(database, chain, fails).await;
        let session = engine.investigate("boom").await;

        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("All agree."));
        let executions = engine.executions(&session).await;
        let of = |kind| executions.iter().filter(|one| one.identity.kind == kind).collect::<Vec<_>>();
        let mut agents: Vec<_> = of(ExecutionKind::Agent).iter().map(|one| (one.identity.agent_index, one.status)).collect();
        agents.sort_unstable();
        use WorkStatus::{Completed, Failed};
        assert_eq!(agents, [(0, Completed), (1, Failed), (2, Completed)]);
        assert_eq!(of(ExecutionKind::Synthesis).len(), 1);
        let merged = engine.model.log().into_iter().find(|request| request.model == "merges").unwrap().text();
        assert!(merged.contains("a found it.") && merged.contains("I look.") && merged.contains("400"), "{merged}");
        engine.stop().await;
    }

    async fn the_policy_all_requires_every_agent_to_succeed(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        success_policy: all
";
        let fails = |request: &ScriptedRequest| if request.model == "b" { ScriptedReply::Error(400) } else { look_then_conclude(request) };
        let mut engine = TestEngine::start(database, chain, fails).await;
        let session = engine.investigate("boom").await;

        assert_eq!(session.status, SessionStatus::Failed);
        let analysis = session.final_analysis.unwrap();
        let expected = "**No conclusion was reached.** Stage `look` has no result. The texts of its agents:\n\n### a\n\na found it.";
        assert_eq!(analysis, expected);
        let message = session.error_message.unwrap();
        assert!(message.starts_with("stage `look` failed: 1 of 2 agents failed: b: "), "{message}");
        assert!(!engine.model.log().iter().any(|request| request.model == "sums-up"), "without an analysis there is no summary");
        engine.stop().await;
    }

    async fn replicas_have_their_own_names_and_are_merged(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, replicas: 3, synthesis: { llm_provider: merges } }
";
        let mut engine = TestEngine::start(database, chain, look_then_conclude).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let executions = engine.executions(&session).await;
        let mut names: Vec<_> = executions.iter().map(|one| one.identity.agent_name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names[names.len() - 3..], ["a-1", "a-2", "a-3"]);
        assert_eq!(engine.tools.calls().len(), 3);
        engine.stop().await;
    }

    async fn a_condition_decides_whether_a_stage_runs(database) {
        let chain = "
    stages:
      - { name: collect, agent: a, llm_provider: a }
      - { name: deep, agent: b, llm_provider: b, when: 'severity == \"critical\"' }
      - { name: conclude, agent: c, llm_provider: c, when: 'stages.collect.analysis contains \"found it\"' }
";
        let mut engine = TestEngine::start(database, chain, look_then_conclude).await;
        let session = engine.investigate(r#"{"severity": "info"}"#).await;

        assert_eq!(session.status, SessionStatus::Completed);
        assert_eq!((session.stages_done, session.stages_failed), (3, 0));
        let stages = engine.stages(&session).await;
        assert_eq!(stages[1].status, WorkStatus::Skipped);
        let decisions = engine.texts(&session, TimelineEventType::RoutingDecision).await;
        assert_eq!(
            decisions,
            [
                "Stage `deep` is skipped: its condition does not hold: severity == \"critical\"",
                "Stage `conclude` runs: its condition holds: stages.collect.analysis contains \"found it\"",
            ]
        );
        let critical = engine.investigate(r#"{"labels": {"severity": "critical"}}"#).await;
        assert_eq!(engine.stages(&critical).await[1].status, WorkStatus::Completed);
        engine.stop().await;
    }

    async fn a_failed_stage_is_passed_on_or_stops_the_chain(database) {
        let fails = |request: &ScriptedRequest| if request.model == "b" { ScriptedReply::Error(400) } else { look_then_conclude(request) };
        let mut engine = TestEngine::start(database, THREE_STAGES, fails).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        assert_eq!(session.final_analysis.as_deref(), Some("c found it."));
        assert!(session.error_message.unwrap().starts_with("stage `analyze` failed: "));
        let prompt = engine.model.log().into_iter().find(|request| request.model == "c").unwrap().text();
        assert!(prompt.contains("Agent b of stage analyze failed: "), "{prompt}");
        engine.stop().await;

        let chain = format!("{THREE_STAGES}    on_stage_failure: stop\n");
        let mut engine = TestEngine::start(database, &chain, fails).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        assert_eq!(session.final_analysis.as_deref(), Some("a found it."));
        let stages = engine.stages(&session).await;
        let reason = stages[2].routing_reason.as_deref();
        assert_eq!(reason, Some("stage `analyze` failed, and the chain stops at a failure"));
        engine.stop().await;
    }

    async fn an_agent_at_its_iteration_limit_is_forced_to_conclude(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, max_iterations: 2 }
";
        let never_done = |request: &ScriptedRequest| match request.model.as_str() {
            "sums-up" => ScriptedReply::Text("Short.".to_owned()),
            _ if request.results() < 2 => {
                ScriptedReply::Calls(String::new(), vec![("shed__look".to_owned(), json!({ "n": request.results() }))])
            }
            _ => ScriptedReply::Text("My best guess.".to_owned()),
        };
        let mut engine = TestEngine::start(database, chain, never_done).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("My best guess."));
        let calls = engine.store.llm_interaction_list(session.session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.kind.as_str()).collect();
        assert_eq!(kinds, ["iteration", "iteration", "forced_conclusion", "iteration"]);
        engine.stop().await;
    }

    async fn a_react_agent_calls_tools_in_its_text(database) {
        let chain = "
    stages:
      - { name: look, agent: reacts, llm_provider: reacts }
";
        let reacts = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("sums-up", _) => ScriptedReply::Text("Short.".to_owned()),
            (_, 0) => ScriptedReply::Text("Thought: I look.\nAction: shed.look\nAction Input: {\"pod\": 1}".to_owned()),
            _ => ScriptedReply::Text("Thought: I know.\nFinal Answer: It was the pod.".to_owned()),
        };
        let mut engine = TestEngine::start(database, chain, reacts).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.final_analysis.as_deref(), Some("It was the pod."));
        assert_eq!(engine.tools.calls(), [("look".to_owned(), json!({ "pod": 1 }))]);
        engine.stop().await;
    }

    async fn an_alert_can_select_its_servers_and_tools(database) {
        let looks_around = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a", 0) => {
                let calls = ["shed__look", "annex__look", "annex__fail"].map(|name| (name.to_owned(), json!({})));
                ScriptedReply::Calls("I look.".to_owned(), calls.to_vec())
            }
            _ => ScriptedReply::Text("Done.".to_owned()),
        };
        let mut engine = TestEngine::start(database, ONE_STAGE, looks_around).await;
        let chosen = json!({ "servers": [{ "name": "annex", "tools": ["look"] }, { "name": "nowhere" }] });
        let session_id = engine.submit_with("boom", |input| input.mcp_selection = Some(chosen.to_string())).await;
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(engine.tools.calls(), [("look".to_owned(), json!({}))]);
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[1].starts_with("seen: "), "{results:?}");
        let warnings = engine.texts(&session, TimelineEventType::Warning).await;
        assert_eq!(warnings, ["The tools of MCP server `nowhere` are not available: it is not configured"]);
        engine.stop().await;
    }
}
