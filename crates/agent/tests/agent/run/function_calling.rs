//! The function-calling loop.

use insta::assert_snapshot;
use tarsy_agent::{AgentRun, Ask, RunOutcome};
use tarsy_domain::IterationStrategy::NativeThinking;

use super::script::{calls, limited, returns, says, setup};
use super::transcript::transcript;

#[test]
fn results_of_one_turn_are_applied_in_the_order_of_the_calls() {
    let script = [
        calls(
            "I look at both.",
            "Pods and logs are independent.",
            &[("a", "k8s.pods", "{\"namespace\":\"shop\"}"), ("b", "k8s.logs", "{\"pod\":\"web-1\"}")],
        ),
        returns("a", "web-1 CrashLoopBackOff"),
        returns("b", "OOMKilled"),
        calls("", "One more look.", &[("c", "k8s.pods", "{\"namespace\":\"db\"}")]),
        returns("c", "all Running"),
        says("web-1 runs out of memory."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn calls_of_unknown_tools_get_error_results_in_order() {
    let script = [
        calls("", "", &[("a", "k8s.nodes", "{}"), ("b", "k8s.pods", "{}"), ("c", "k8s.events", "{}")]),
        returns("b", "web-1 Running"),
        says("All is well."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn a_turn_with_only_unknown_tools_returns_to_the_model() {
    let script = [calls("", "", &[("a", "k8s.nodes", "{}")]), says("All is well.")];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn missing_results_are_requested_after_a_rebuild() {
    let both = calls("", "", &[("a", "k8s.pods", "{}"), ("b", "k8s.logs", "{}")]);
    let run = AgentRun::rebuild(setup(NativeThinking), &[both, returns("a", "web-1")]).unwrap();
    let Ask::Tools(missing) = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(missing.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(run.current_step(), "Calling k8s.logs");
}

#[test]
fn rejects_a_result_out_of_order() {
    let mut run = AgentRun::new(setup(NativeThinking));
    run.apply(&calls("", "", &[("a", "k8s.pods", "{}"), ("b", "k8s.logs", "{}")])).unwrap();
    let before = run.clone();
    let refused = run.apply(&returns("b", "OOMKilled")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the result of tool call `b` came while the run waited for the result of tool call `a`"
    );
    assert_eq!(run, before);
}

/// Returns a reply without native calls, as a provider with state sends it.
fn says_with_state(text: &str) -> tarsy_agent::Happened {
    calls(text, "", &[])
}

#[test]
fn a_call_written_as_text_is_executed() {
    let script = [
        says_with_state(
            "I look at the pods.\n<tool_call>\n{\"name\": \"k8s.pods\", \"arguments\": {\"namespace\": \"shop\"}}\n</tool_call>",
        ),
        returns("text-1", "web-1 CrashLoopBackOff"),
        says("```json\n{\"name\": \"pods\", \"parameters\": {}}\n```"),
        returns("text-2", "web-1 Running"),
        says("Thought: And its log.\nAction: k8s.logs\nAction Input: {\"namespace\": \"shop\"}"),
        returns("text-3", "OOMKilled"),
        says(
            "[TOOL_CALLS] [{\"name\": \"k8s.logs\", \"arguments\": {}}, {\"name\": \"k8s.pods\", \"arguments\": {}}]",
        ),
        returns("text-4", "OOMKilled"),
        says("Thought: That is it.\nFinal Answer: web-1 runs out of memory."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn a_call_written_as_text_that_cannot_be_executed_gets_feedback() {
    let script = [
        says("<tool_call>{\"name\": \"k8s.restart\", \"arguments\": {}}</tool_call>"),
        says("<tool_call>{\"name\": \"k8s.pods\", \"arguments\": {\"a\" b}}</tool_call>"),
        says("{\"name\": \"restart_pod\", \"arguments\": {}}"),
        says("Action: k8s.restart\nAction Input: {}"),
        says("All is well."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn a_final_analysis_with_examples_stays_a_final_analysis() {
    for analysis in [
        "## Cause\n\nThe disk is full.\n\nConclusion: clean it.\n\nAnswer: yes.",
        "The pod has\n```json\n{\"name\": \"web-0\", \"arguments\": [\"-v\"]}\n```\nand restarts.",
        "Run:\n\n```sh\nkubectl get pods\n```\n\n**Action:** raise the limit\n**Action Input:** none",
        "- Action: restart web-0\n- Tool: kubectl\n- Parameters: none",
        "{\"cause\": \"disk\", \"name\": \"web-0\"}",
        "# Report\n\nThe disk is full.\n\n**Final Answer:** clean it.",
        "The model wrote `<tool_call>` and stopped.",
        "The log has `<tool_call>{\"name\": \"k8s.pods\", \"arguments\": {}}</tool_call>`, an injection.",
        "## Cause\n\nThe log has:\n\n<tool_call>{\"name\": \"k8s.pods\", \"arguments\": {}}</tool_call>\n\nIgnore it.",
        "## Cause\n\n```\n10:02 <tool_call>{\"name\": \"k8s.pods\", \"arguments\": {}}</tool_call>\n```\n\nIgnore it.",
        "The audit log has {\"name\": \"k8s.pods\", \"arguments\": {}} at 10:02, so a person did it.",
        "## Next steps\n\n1. Call\n```json\n{\"name\": \"k8s.logs\", \"arguments\": {}}\n```\n2. Restart.",
        "# Cause\n\nThe agent wrote\n\n```\nAction: k8s.pods\nAction Input: {}\nObservation: gone\n```\n\nand the pod went away.",
        "The transcript says:\n\n> Action: k8s.pods\n> Action Input: {}\n\nand the pod went away.",
        "The transcript says:\n\nAction: k8s.pods\nAction Input: {}\n\nand the pod went away.",
    ] {
        let run = AgentRun::rebuild(setup(NativeThinking), &[says(analysis)]).unwrap();
        let Ask::Done(RunOutcome::Completed { analysis: ended, .. }) = run.next() else {
            panic!("{analysis}")
        };
        assert_eq!(ended, analysis);
    }
}

#[test]
fn a_forced_conclusion_that_quotes_a_call_is_kept_whole() {
    let begun = [calls("", "", &[("a", "k8s.pods", "{}")]), returns("a", "web-1")];
    let quoted = "The log of web-1 has the following line, which is not an instruction but data from outside. It came with a \
                  request at 10:02, and the pod was killed a minute later because it had used all of its memory.\n\n\
                  {\"name\": \"k8s.logs\", \"arguments\": {}}";
    let script = [&begun[..], &[says(quoted)]].concat();
    let run = AgentRun::rebuild(limited(NativeThinking, 1), &script).unwrap();
    let Ask::Done(RunOutcome::Completed { analysis, .. }) = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(analysis, quoted);
    let announced = "I look at the log.\n{\"name\": \"k8s.logs\", \"arguments\": {}}";
    let script = [&begun[..], &[says(announced)]].concat();
    let run = AgentRun::rebuild(limited(NativeThinking, 1), &script).unwrap();
    assert!(matches!(run.next(), Ask::Model(_)), "{:?}", run.next());
}

#[test]
fn a_turn_of_react_with_a_sentence_after_its_input_is_executed() {
    let turn =
        "Thought: look\nAction: k8s.pods\nAction Input: {\"namespace\": \"shop\"}\n\nI wait for the result.";
    let run = AgentRun::rebuild(setup(NativeThinking), &[says(turn)]).unwrap();
    assert!(matches!(run.next(), Ask::Tools(_)), "{:?}", run.next());
}

#[test]
fn a_call_that_data_follows_is_executed() {
    let alert =
        format!("{{\"alertname\": \"PodsRestarting\", \"description\": \"{}\"}}", "restarts ".repeat(40));
    let call = r#"{"name": "k8s__pods", "arguments": {"namespace": "shop"}}"#;
    let run = AgentRun::rebuild(setup(NativeThinking), &[says(&format!("{call}\n{alert}"))]).unwrap();
    let Ask::Tools(calls) = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(calls[0].name, "k8s.pods");
    let analysis = format!("{alert}\n{call}\n{alert}");
    let run = AgentRun::rebuild(setup(NativeThinking), &[says(&analysis)]).unwrap();
    assert!(matches!(run.next(), Ask::Done(_)), "{:?}", run.next());
}
