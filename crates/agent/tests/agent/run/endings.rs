//! Limits, failures, and how a run ends.

use insta::assert_snapshot;
use tarsy_agent::{AgentRun, Ask, AtLimit, FailureCause, Happened, Purpose, RunOutcome, Setup};
use tarsy_domain::IterationStrategy::{NativeThinking, React, SingleCall};
use tarsy_domain::{ModelFailureKind, ToolStatus};

use super::script::{calls, fails, limited, returns, says, setup, times_out, tool_result};
use super::transcript::{sent_after, transcript};

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {}";

#[test]
fn two_timeouts_in_a_row_end_the_run() {
    let script = [says(ASK_PODS), returns("react-1", "web-1 Running"), times_out(), times_out()];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn timeouts_with_a_reply_in_between_do_not_end_the_run() {
    let script = [
        times_out(),
        says(ASK_PODS),
        returns("react-1", "web-1 Running"),
        times_out(),
        says("Final Answer: All is well."),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn two_turns_of_tools_that_all_time_out_end_the_run() {
    let script = [pods_and_logs(), slow("a"), slow("b"), pods_and_logs(), slow("a"), slow("b")];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn a_turn_with_one_result_is_no_timeout() {
    let known_and_unknown = || calls("", "", &[("a", "k8s.pods", "{}"), ("b", "k8s.nodes", "{}")]);
    for script in [
        vec![pods_and_logs(), slow("a"), slow("b"), pods_and_logs(), slow("a"), returns("b", "OOMKilled")],
        vec![known_and_unknown(), slow("a"), known_and_unknown(), slow("a")],
    ] {
        assert!(continues(&setup(NativeThinking), &script));
    }
}

#[test]
fn timeouts_of_tools_and_of_the_model_are_counted_separately() {
    assert!(continues(&setup(NativeThinking), &[pods_and_logs(), slow("a"), slow("b"), times_out()]));
}

#[test]
fn only_consecutive_timeouts_count() {
    let broken = || fails(ModelFailureKind::Network, "connection reset");
    for between in [says(""), broken()] {
        assert!(continues(&setup(NativeThinking), &[times_out(), between, times_out()]));
    }
    assert!(continues(&setup(NativeThinking), &[says(""), says(""), broken(), says(""), says("")]));
}

fn pods_and_logs() -> Happened {
    calls("", "", &[("a", "k8s.pods", "{}"), ("b", "k8s.logs", "{}")])
}

fn slow(id: &str) -> Happened {
    tool_result(id, "no answer within 60 s", ToolStatus::TimedOut)
}

fn continues(setup: &Setup, script: &[Happened]) -> bool {
    matches!(AgentRun::rebuild(setup.clone(), script).unwrap().next(), Ask::Model(_))
}

#[test]
fn model_errors_lead_to_growing_pauses() {
    let script = [
        fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)"),
        fails(ModelFailureKind::RateLimit, "too many requests (429)"),
        fails(ModelFailureKind::Network, "connection reset"),
        says("All is well."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn pauses_stop_growing_at_a_minute() {
    let failures = vec![fails(ModelFailureKind::Network, "connection reset"); 9];
    let mut setup = setup(NativeThinking);
    setup.rules.max_failed_calls = None;
    let run = AgentRun::rebuild(setup, &failures).unwrap();
    let Ask::Model(ask) = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(ask.pause.as_secs(), 60);
}

#[test]
fn invalid_credentials_end_the_run_immediately() {
    let script = [fails(ModelFailureKind::Credentials, "the key in GOOGLE_API_KEY is not valid (401)")];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn an_empty_reply_is_requested_again() {
    assert_snapshot!(transcript(&setup(NativeThinking), &[says(" \n"), says("All is well.")]));
}

#[test]
fn a_third_empty_reply_ends_the_run() {
    assert_snapshot!(transcript(&setup(React), &[says(""), says(""), says("")]));
}

#[test]
fn the_iteration_limit_forces_a_conclusion() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 OOMKilled"),
        says(ASK_PODS),
        returns("react-2", "web-1 Running"),
        says("Thought: I have to stop.\nFinal Answer: Probably memory."),
    ];
    assert_snapshot!(transcript(&limited(React, 2), &script));
}

#[test]
fn a_forced_conclusion_has_no_tools_and_needs_no_format() {
    let script = [
        calls("", "", &[("a", "k8s.pods", "{}")]),
        returns("a", "web-1 OOMKilled"),
        calls("Probably memory.", "", &[("b", "k8s.logs", "{}")]),
    ];
    assert_snapshot!(transcript(&limited(NativeThinking, 1), &script));
}

#[test]
fn a_forced_conclusion_that_calls_a_tool_is_requested_again() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 OOMKilled"),
        says(&format!("<think>Hm.</think>{ASK_PODS}")),
        says("Thought: Probably memory."),
    ];
    assert_snapshot!(transcript(&limited(React, 1), &script));
}

#[test]
fn a_missing_conclusion_fails_the_run_at_the_third_attempt() {
    let begun = [says(ASK_PODS), returns("react-1", "web-1 OOMKilled")];
    let busy = || fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)");
    let attempts = [
        [busy(), busy(), busy()],
        [says(ASK_PODS), says(ASK_PODS), says(ASK_PODS)],
        [busy(), says(""), busy()],
        [busy(), busy(), says("")],
    ];
    for attempts in attempts {
        let script = [&begun[..], &attempts[..]].concat();
        assert!(continues(&limited(React, 1), &script[..4]));
        let Ask::Done(RunOutcome::Failed { partial, .. }) =
            AgentRun::rebuild(limited(React, 1), &script).unwrap().next()
        else {
            panic!("{script:?}")
        };
        assert_eq!(partial.as_deref(), Some("First the pods."));
    }
}

#[test]
fn a_single_shot_has_at_most_three_attempts() {
    let broken = || fails(ModelFailureKind::Network, "connection reset");
    let script = [broken(), broken(), says("")];
    assert!(continues(&setup(SingleCall), &script[..2]));
    assert!(!continues(&setup(SingleCall), &script));
}

#[test]
fn failures_during_a_forced_conclusion_get_no_feedback() {
    let mut script = vec![says(ASK_PODS), returns("react-1", "web-1 OOMKilled")];
    let before = sent_after(&limited(React, 1), &script);
    script.push(fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)"));
    assert_eq!(sent_after(&limited(React, 1), &script), before);
}

#[test]
fn an_empty_reply_failure_counts_as_an_empty_reply() {
    let reported = fails(ModelFailureKind::EmptyReply, "the model's reply is empty");
    let (setup, events) = (setup(NativeThinking), [reported]);
    assert_eq!(sent_after(&setup, &events), sent_after(&setup, &[says("")]));
}

#[test]
fn the_limit_after_a_failure_fails_the_run() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 OOMKilled"),
        fails(ModelFailureKind::ContentFiltered, "the provider withheld the reply"),
    ];
    assert_snapshot!(transcript(&limited(React, 2), &script));
}

#[test]
fn the_iteration_limit_fails_a_run_without_forced_conclusion() {
    let mut setup = limited(React, 1);
    setup.limits.at_limit = AtLimit::Fail;
    assert_snapshot!(transcript(&setup, &[says(ASK_PODS), returns("react-1", "web-1 OOMKilled")]));
}

#[test]
fn a_spent_budget_ends_with_a_labeled_partial_conclusion() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(200);
    let script = [
        calls("I look at the pods.", "", &[("a", "k8s.pods", "{}")]),
        returns("a", "web-1 OOMKilled"),
        calls("It looks like memory. I check the logs.", "", &[("b", "k8s.logs", "{}")]),
    ];
    assert_snapshot!(transcript(&setup, &script));
}

#[test]
fn a_budget_that_is_spent_before_any_text_fails_the_run() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(50);
    assert_snapshot!(transcript(&setup, &[says("")]));
}

#[test]
fn a_run_without_budget_makes_no_model_call() {
    let mut setup = setup(SingleCall);
    setup.limits.token_budget = Some(0);
    let Ask::Done(RunOutcome::Failed { error, cause, .. }) = AgentRun::new(setup).next() else {
        panic!("the run goes on")
    };
    assert_eq!(
        (error.as_str(), cause),
        ("the token budget was used up before the agent started", FailureCause::BudgetSpent)
    );
}

#[test]
fn summaries_of_tool_results_spend_the_budget_too() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(200);
    let asks = calls("I look at the pods.", "", &[("a", "k8s.pods", "{}")]);
    let mut answer = returns("a", "a summary");
    assert!(continues(&setup, &[asks.clone(), answer.clone()]));
    if let Happened::ToolReturned(result) = &mut answer {
        result.usage.input_tokens = 200;
    }
    assert!(!continues(&setup, &[asks, answer]));
}

#[test]
fn failed_calls_spend_the_budget_too() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(200);
    let mut broken = fails(ModelFailureKind::Network, "the stream broke");
    if let Happened::ModelFailed(failure) = &mut broken {
        failure.usage.input_tokens = 200;
    }
    assert!(!continues(&setup, &[broken]));
}

#[test]
fn the_partial_conclusion_falls_back_to_the_thinking() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(100);
    let script = [calls("", "It looks like memory.", &[("a", "k8s.pods", "{}")])];
    let Ask::Done(RunOutcome::Completed { analysis, .. }) = AgentRun::rebuild(setup, &script).unwrap().next()
    else {
        panic!("the run goes on")
    };
    assert!(analysis.ends_with("It looks like memory."), "{analysis}");
}

#[test]
fn a_final_answer_that_spends_the_budget_counts() {
    let mut setup = setup(SingleCall);
    setup.limits.token_budget = Some(1);
    assert_snapshot!(transcript(&setup, &[says("All is well.")]));
}

#[test]
fn a_broken_stream_keeps_its_partial_text() {
    let mut broken = fails(ModelFailureKind::Repetition, "the model repeated itself");
    if let Happened::ModelFailed(failure) = &mut broken {
        failure.partial_text = "The cause is prob".to_owned();
    }
    assert_snapshot!(transcript(&limited(NativeThinking, 1), &[broken]));
}

/// Returns turns of pairs of calls; the results repeat from the third turn on.
fn alternating_turns(turns: usize) -> Vec<Happened> {
    let turns = (0..turns).flat_map(|turn| {
        let tool = if turn % 2 == 0 { "k8s.pods" } else { "k8s.logs" };
        [calls("", "", &[("a", tool, "{}")]), returns("a", tool)]
    });
    turns.collect()
}

#[test]
fn an_agent_that_only_repeats_its_calls_must_conclude() {
    let answer = says("The disk is full.");
    let script: Vec<Happened> = alternating_turns(6).into_iter().chain([answer]).collect();
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn an_agent_that_repeats_an_unusable_reply_must_conclude() {
    let unusable = || says("Thought: I look at the pods first.");
    let begun: Vec<Happened> = (0..4).map(|_| unusable()).collect();
    assert!(is_at_an_iteration(&setup(React), &begun));
    assert!(!is_at_an_iteration(&setup(React), &[&begun[..], &[unusable()]].concat()));
}

#[test]
fn results_that_differ_only_a_little_let_an_agent_repeat_its_calls_for_longer() {
    let turn =
        |age: usize| [calls("", "", &[("a", "k8s.pods", "{}")]), returns("a", &format!("web-1 {age}s"))];
    let turns = |count: usize| (0..count).flat_map(turn).collect::<Vec<Happened>>();
    assert!(is_at_an_iteration(&setup(NativeThinking), &turns(8)));
    assert!(!is_at_an_iteration(&setup(NativeThinking), &turns(9)));
}

#[test]
fn a_new_result_between_repetitions_lets_an_agent_continue() {
    let news = [calls("", "", &[("a", "k8s.pods", r#"{"namespace":"shop"}"#)]), returns("a", "web-1")];
    let script: Vec<Happened> =
        alternating_turns(5).into_iter().chain(news).chain(alternating_turns(3)).collect();
    assert!(is_at_an_iteration(&setup(NativeThinking), &script));
}

#[test]
fn repetitions_do_not_end_a_run_without_forced_conclusion_or_of_an_earlier_version() {
    let mut without_conclusion = setup(NativeThinking);
    without_conclusion.limits.at_limit = AtLimit::Fail;
    let mut earlier = setup(NativeThinking);
    earlier.rules.max_turns_without_news = None;
    for setup in [without_conclusion, earlier] {
        assert!(is_at_an_iteration(&setup, &alternating_turns(9)));
    }
}

fn is_at_an_iteration(setup: &Setup, script: &[Happened]) -> bool {
    let run = AgentRun::rebuild(setup.clone(), script).unwrap();
    matches!(run.next(), Ask::Model(ask) if ask.purpose == Purpose::Iteration)
}
