//! Replies that end at the output limit of the model.

use insta::assert_snapshot;
use tarsy_agent::{AgentRun, Ask, ConclusionCause, Happened, RunOutcome, Setup};
use tarsy_domain::IterationStrategy::{NativeThinking, React, SingleCall};
use tarsy_domain::{ModelFailureKind, ModelReply};

use super::script::{calls, fails, limited, reply, returns, says, says_cut_off, setup, times_out};
use super::transcript::{sent_after, transcript};

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {}";

/// Returns the analysis of a script that ends the run.
fn concluded(setup: &Setup, script: &[Happened]) -> (String, ConclusionCause) {
    transcript(setup, script);
    let ask = AgentRun::rebuild(setup.clone(), script).unwrap().next();
    let Ask::Done(RunOutcome::Completed { analysis, conclusion }) = ask else { panic!("{ask:?}") };
    (analysis, conclusion)
}

fn cut_off_calls(text: &str, requested: &[(&str, &str, &str)]) -> Happened {
    let Happened::Replied(reply) = calls(text, "", requested) else { panic!("not a reply") };
    Happened::Replied(ModelReply { cut_off: true, ..reply })
}

#[test]
fn a_conclusion_that_was_cut_off_is_continued_in_every_loop() {
    for (strategy, first) in [
        (NativeThinking, "The disk of node-3 is fu"),
        (SingleCall, "The disk of node-3 is fu"),
        (React, "Thought: Enough.\nFinal Answer: The disk of node-3 is fu"),
    ] {
        let script = [says_cut_off(first), says("ll.\n\nClean it up.")];
        let expected = ("The disk of node-3 is full.\n\nClean it up.".to_owned(), ConclusionCause::Reached);
        assert_eq!(concluded(&setup(strategy), &script), expected, "{strategy}");
    }
    let script = [says_cut_off("Thought: Enough.\nFinal Answer: The disk is fu"), says("ll.")];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_forced_conclusion_that_was_cut_off_is_continued() {
    let script =
        [says(ASK_PODS), returns("react-1", "web-1"), says_cut_off("Final Answer: Mem"), says("ory.")];
    assert_eq!(concluded(&limited(React, 1), &script), ("Memory.".to_owned(), ConclusionCause::Forced));
    let asks = calls("", "", &[("a", "k8s.pods", "{}")]);
    let script = [asks, returns("a", "web-1"), says_cut_off("Mem"), says("ory.")];
    assert_eq!(
        concluded(&limited(NativeThinking, 1), &script),
        ("Memory.".to_owned(), ConclusionCause::Forced)
    );
}

#[test]
fn repeated_text_at_the_seam_is_dropped() {
    let script = [
        says_cut_off("## Cause\n\nThe disk of node-3 is fu"),
        says_cut_off("The disk of node-3 is full.\n\n## Act"),
        says("ions\n\nClean it up."),
    ];
    let (analysis, _) = concluded(&setup(NativeThinking), &script);
    assert_eq!(analysis, "## Cause\n\nThe disk of node-3 is full.\n\n## Actions\n\nClean it up.");
}

#[test]
fn an_answer_that_is_written_again_in_the_format_of_react_is_no_part_of_the_text() {
    let first = "Thought: Enough.\nFinal Answer: The disk of node-3 in the cluster is full because lo";
    let again =
        "Thought: I continue.\nFinal Answer: The disk of node-3 in the cluster is full because logs grow.";
    let (analysis, _) = concluded(&setup(React), &[says_cut_off(first), says(again)]);
    assert_eq!(analysis, "The disk of node-3 in the cluster is full because logs grow.");
}

#[test]
fn labels_and_calls_in_the_rest_of_an_answer_are_a_part_of_it() {
    let first = "Thought: Enough.\nFinal Answer: The disk is fu";
    for rest in [
        "ll.\nConclusion: clean it.",
        "ll.\nAnswer: clean it.\n\nThat is all.",
        "ll. The log has:\nAction: k8s.pods\nAction Input: {}",
        "ll.\n\nFinal Answer: clean it.",
    ] {
        let (analysis, _) = concluded(&setup(React), &[says_cut_off(first), says(rest)]);
        assert_eq!(analysis, format!("The disk is fu{rest}"));
    }
}

#[test]
fn a_conclusion_that_stays_incomplete_says_so_in_its_last_line() {
    let script = [says_cut_off("one, "), says_cut_off("two, "), says_cut_off("three\n```\nco")];
    assert_snapshot!(transcript(&setup(SingleCall), &script));
}

#[test]
fn limits_hold_for_continuations() {
    let cut_off = |setup: &Setup, script: &[Happened]| {
        let (analysis, conclusion) = concluded(setup, script);
        assert_eq!(conclusion, ConclusionCause::CutOff);
        assert!(analysis.starts_with("The disk is fu\n\n**This analysis is incomplete:**"), "{analysis}");
    };
    // Iterations, attempts, and the token budget.
    cut_off(&limited(NativeThinking, 1), &[says_cut_off("The disk is fu")]);
    let busy = || fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)");
    cut_off(&setup(SingleCall), &[busy(), busy(), says_cut_off("The disk is fu")]);
    let mut small = setup(NativeThinking);
    small.limits.token_budget = Some(100);
    cut_off(&small, &[says_cut_off("The disk is fu")]);
}

#[test]
fn a_failure_while_continuing_keeps_what_was_written() {
    let cases = [
        vec![times_out(), times_out()],
        vec![fails(ModelFailureKind::Credentials, "the key is not valid (401)")],
        vec![says("")],
    ];
    for failures in cases {
        let script = [&[says_cut_off("The disk is fu")], &failures[..]].concat();
        let (analysis, conclusion) = concluded(&setup(NativeThinking), &script);
        assert_eq!(conclusion, ConclusionCause::CutOff, "{script:?}");
        assert!(analysis.starts_with("The disk is fu\n\n"), "{analysis}");
    }
}

#[test]
fn a_model_may_call_a_tool_instead_of_continuing() {
    let asks = calls("", "", &[("a", "k8s.pods", "{}")]);
    let script = [says_cut_off("I think that"), asks, returns("a", "web-1"), says("Memory.")];
    assert_eq!(concluded(&setup(NativeThinking), &script).0, "Memory.");
    let script = [
        says_cut_off("Final Answer: I think"),
        says(ASK_PODS),
        returns("react-2", "x"),
        says("Final Answer: Memory."),
    ];
    assert_eq!(concluded(&setup(React), &script).0, "Memory.");
}

#[test]
fn a_tool_call_that_was_cut_off_is_not_executed() {
    let script = [
        cut_off_calls("I look.", &[("a", "k8s.pods", "{\"namespace\": \"sho")]),
        cut_off_calls("", &[("a", "k8s.pods", "{}"), ("b", "k8s.logs", "")]),
        says("Memory."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
    let script = [
        says_cut_off("Action: k8s.pods\nAction Input: {\"namespace\": \"sho"),
        says("Final Answer: Memory."),
    ];
    assert_snapshot!(
        "a_tool_call_that_was_cut_off_is_not_executed_react",
        transcript(&setup(React), &script)
    );
}

#[test]
fn a_complete_tool_call_of_a_reply_that_was_cut_off_is_executed() {
    let whole = cut_off_calls("", &[("a", "k8s.pods", "{\"namespace\": \"shop\"}")]);
    let invented = says_cut_off(&format!("{ASK_PODS}\nObservation: web-1 web-2 web-3 we"));
    for (setup, happened) in
        [(setup(NativeThinking), whole), (setup(React), invented), (setup(React), says_cut_off(ASK_PODS))]
    {
        let run = AgentRun::rebuild(setup, &[happened]).unwrap();
        assert!(matches!(run.next(), Ask::Tools(_)), "{:?}", run.next());
    }
}

#[test]
fn a_thought_without_an_action_gets_feedback_to_be_shorter() {
    let script =
        [says_cut_off("Thought: There are very many possibilities, and"), says("Final Answer: Memory.")];
    let sent = sent_after(&setup(React), &script[..1]);
    assert!(sent.contains("Write a shorter reply: a `Thought:` of at most two sentences"), "{sent}");
    assert_eq!(concluded(&setup(React), &script).0, "Memory.");
}

#[test]
fn a_forced_conclusion_that_calls_a_tool_is_not_asked_for_an_action() {
    let begun = [says(ASK_PODS), returns("react-1", "web-1"), says_cut_off(ASK_PODS)];
    let sent = sent_after(&limited(React, 1), &begun);
    assert!(!sent.contains("`Action:` with its"), "{sent}");
}

#[test]
fn reasoning_that_reaches_the_output_limit_gets_feedback_to_think_less() {
    let mut thinking = reply("");
    thinking.thinking = "Very long.".to_owned();
    thinking.cut_off = true;
    let sent = sent_after(&setup(NativeThinking), &[Happened::Replied(thinking)]);
    assert!(sent.contains("reached the output limit before it contained any text. Think less."), "{sent}");
}
