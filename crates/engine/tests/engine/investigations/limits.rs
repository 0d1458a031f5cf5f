//! What ends an agent, a stage or a session before it has its answer, each in its own way.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{LlmErrorKind, SessionStatus, TimelineEventType, WorkStatus};
use tarsy_testkit::{Asked, Said, both_engines};

use crate::investigations::lab::Lab;

fn never(asked: &Asked) -> Said {
    if asked.model == "a" { Said::Nothing } else { Said::Text("Done.".to_owned()) }
}

both_engines! {
    async fn two_iterations_without_an_answer_time_an_agent_out(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, iteration_timeout: 1s }
";
        let mut lab = Lab::start(database, chain, never).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert_eq!(lab.stages(&session).await[0].status, WorkStatus::TimedOut);
        assert_eq!(lab.executions(&session).await[0].status, WorkStatus::TimedOut);
        let calls = lab.store.llm_interaction_list(session.session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.error_kind).collect();
        assert_eq!(kinds, [Some(LlmErrorKind::Timeout), Some(LlmErrorKind::Timeout)]);
        lab.stop().await;
    }

    async fn a_tool_that_does_not_answer_is_a_result(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, iteration_timeout: 2s }
";
        let waits = |asked: &Asked| match asked.results() {
            0 if asked.model == "a" => Said::Calls(String::new(), vec![("shed__wait".to_owned(), json!({}))]),
            _ => Said::Text("It does not answer.".to_owned()),
        };
        let mut lab = Lab::start(database, chain, waits).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let results = lab.texts(&session, TimelineEventType::ToolResult).await;
        assert_eq!(results, ["the iteration ran out of time before it answered"]);
        lab.stop().await;
    }

    async fn a_stage_that_takes_too_long_ends_and_the_chain_goes_on(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, timeout: 2s }
      - { name: say, agent: b, llm_provider: b }
";
        let mut lab = Lab::start(database, chain, never).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        assert_eq!(session.error_message.as_deref(), Some("stage `look` ran out of time: the stage took longer than 2s"));
        let stages = lab.stages(&session).await;
        assert_eq!((stages[0].status, stages[1].status), (WorkStatus::TimedOut, WorkStatus::Completed));
        assert_eq!(lab.executions(&session).await[0].status, WorkStatus::TimedOut);
        lab.stop().await;
    }

    async fn a_session_that_takes_too_long_keeps_what_it_found(database) {
        let chain = "
    stages:
      - { name: say, agent: b, llm_provider: b }
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: c, llm_provider: c }
";
        let queue = "queue: { session_timeout: 6s, poll_interval: 100ms }";
        let mut lab = Lab::prepare(database, chain, queue, never).await;
        lab.begin();
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::TimedOut);
        assert_eq!(session.error_message.as_deref(), Some("the session took longer than 6s"));
        assert_eq!(session.final_analysis.as_deref(), Some("Done."));
        let stages: Vec<_> = lab.stages(&session).await.iter().map(|stage| stage.status).collect();
        assert_eq!(stages, [WorkStatus::Completed, WorkStatus::TimedOut, WorkStatus::Skipped]);
        lab.stop().await;
    }

    async fn a_session_that_spends_its_tokens_ends(database) {
        let chain = "
    token_budget: 250
    stages:
      - { name: look, agent: a, llm_provider: a }
";
        let curious = |asked: &Asked| {
            let look = json!({ "n": asked.results() });
            Said::Calls("On and on.".to_owned(), vec![("shed__look".to_owned(), look)])
        };
        let mut lab = Lab::start(database, chain, curious).await;
        let session = lab.investigate("boom").await;
        // Each call costs 110 tokens, and the last words are the result, labelled as what they are.
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert!(session.final_analysis.as_ref().unwrap().contains("On and on."), "{session:?}");
        let calls = lab.model.log().iter().filter(|asked| asked.model == "a").count();
        assert_eq!(calls, 3);
        assert_eq!(lab.model.log().len(), 3, "there is nothing left for a summary");
        let cut_short = "stage `look` was cut short: the token budget was spent before it concluded";
        assert_eq!(session.error_message.as_deref(), Some(cut_short));
        lab.stop().await;
    }

    async fn what_agents_have_spent_is_not_there_for_the_synthesis(database) {
        let chain = "
    token_budget: 220
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        synthesis: { llm_provider: merges }
";
        let mut lab = Lab::start(database, chain, |_: &Asked| Said::Text("It was the pod.".to_owned())).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = session.error_message.unwrap();
        assert!(message.ends_with("could not be merged: the token budget was spent before it began"), "{message}");
        assert!(session.final_analysis.unwrap().ends_with("It was the pod."));
        assert_eq!(lab.model.log().len(), 2);
        lab.stop().await;
    }

    async fn without_a_usable_model_a_session_fails_at_once(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: think, agent: b, llm_provider: google-default }
";
        let mut lab = Lab::start(database, chain, never).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = session.error_message.clone().unwrap();
        assert!(message.contains("GOOGLE_API_KEY"), "{message}");
        assert_eq!(lab.model.log().len(), 0);
        let stages: Vec<_> = lab.stages(&session).await.iter().map(|stage| stage.status).collect();
        assert_eq!(stages, [WorkStatus::Skipped, WorkStatus::Skipped]);
        lab.stop().await;
    }

    async fn another_provider_answers_for_one_that_cannot(database) {
        let chain = "
    fallback_providers: [{ provider: b }]
    stages:
      - { name: look, agent: a, llm_provider: a }
";
        let refuses = |asked: &Asked| match asked.model.as_str() {
            "a" => Said::Error(401),
            model => Said::Text(format!("{model} answers.")),
        };
        let mut lab = Lab::start(database, chain, refuses).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.final_analysis.as_deref(), Some("b answers."));
        let warnings = lab.texts(&session, TimelineEventType::Warning).await;
        assert!(warnings[0].starts_with("a could not answer (credentials): "), "{warnings:?}");
        let call = &lab.store.llm_interaction_list(session.session_id).await.unwrap()[0].call;
        assert_eq!((call.provider.as_str(), call.model.as_str()), ("b", "b"));
        lab.stop().await;
    }

    async fn so_many_sessions_run_at_once_and_no_more(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";
        let slow = |_: &Asked| Said::After(Duration::from_millis(300), Box::new(Said::Text("Done.".to_owned())));
        let queue = "queue: { worker_count: 8, max_concurrent_sessions: 2, poll_interval: 50ms }";
        let mut lab = Lab::prepare(database, chain, queue, slow).await;
        for _ in 0..6 {
            lab.submit("boom").await;
        }
        lab.begin();
        let mut most = 0;
        loop {
            let counts = lab.store.session_counts().await.unwrap();
            most = most.max(counts.get(&SessionStatus::InProgress).copied().unwrap_or_default());
            if counts.get(&SessionStatus::Completed) == Some(&6) {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(most, 2);
        lab.stop().await;
    }

    async fn a_summary_that_nobody_can_write_takes_nothing_away(database) {
        let chain = "
    stages:
      - { name: say, agent: b, llm_provider: b }
";
        let mut lab = Lab::summarised_by(database, "google-default", chain, "", never).await;
        lab.begin();
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!((session.final_analysis.as_deref(), session.executive_summary.as_deref()), (Some("Done."), None));
        let warning = lab.texts(&session, TimelineEventType::Warning).await.pop().unwrap();
        assert!(warning.starts_with("The executive summary could not be written: "), "{warning}");
        assert!(warning.contains("GOOGLE_API_KEY"), "{warning}");
        lab.stop().await;
    }

    async fn a_summary_that_takes_too_long_takes_nothing_away(database) {
        let chain = "
    stages:
      - { name: say, agent: b, llm_provider: b }
";
        let silent = |asked: &Asked| match asked.model.as_str() {
            "sums-up" => Said::Nothing,
            _ => Said::Text("Done.".to_owned()),
        };
        let queue = "queue: { session_timeout: 4s, poll_interval: 100ms }";
        let mut lab = Lab::prepare(database, chain, queue, silent).await;
        lab.begin();
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("Done."));
        let warnings = lab.texts(&session, TimelineEventType::Warning).await;
        assert_eq!(warnings, ["The executive summary could not be written: the session ran out of time"]);
        lab.stop().await;
    }
}
