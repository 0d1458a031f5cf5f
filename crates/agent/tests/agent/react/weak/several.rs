//! Replies with more than one action, and answers with an invented continuation.

use serde_json::json;

use super::table::{Answer, Call, check, read};

const LIST: &str = "Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\"}";

#[test]
fn the_first_action_is_executed_and_the_others_are_named() {
    let cases = [
        (format!("Thought: one\n{LIST}\nThought: two\nAction: k8s.nodes\nAction Input: {{}}"), vec!["k8s.nodes"]),
        (format!("{LIST}\nAction: k8s.nodes"), vec!["k8s.nodes"]),
        (format!("{LIST}\nAction Input: {{\"namespace\": \"db\"}}"), vec!["k8s.pods_list"]),
        (format!("{LIST}\n{LIST}"), vec![]),
        (format!("{LIST}\n<tool_call>{{\"name\": \"nodes\", \"arguments\": {{}}}}</tool_call>"), vec!["k8s.nodes"]),
        (
            "[TOOL_CALLS] [{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}, {\"name\": \"k8s.nodes\", \"arguments\": {}}]"
                .to_owned(),
            vec!["k8s.nodes"],
        ),
        (format!("{LIST}\nObservation: three pods\nAction: k8s.nodes\nAction Input: {{}}"), vec![]),
        (format!("Thought: none needed\nAction: None\nAction Input: None\n{LIST}"), vec![]),
    ];
    for (reply, not_executed) in cases {
        check(&[(&reply, Call("k8s.pods_list", json!({"namespace": "shop"})))]);
        assert_eq!(read(&reply).not_executed, not_executed, "{reply}");
    }
}

#[test]
fn the_thought_of_the_first_action_counts() {
    let reply = format!("Thought: one\n{LIST}\nThought: two\nAction: k8s.nodes\nAction Input: {{}}");
    assert_eq!(read(&reply).thought.as_deref(), Some("one"));
}

#[test]
fn an_invented_turn_after_an_answer_is_removed() {
    check(&[
        (
            "Thought: x\nFinal Answer: the disk\n\nQuestion: and now?\nThought: y\nFinal Answer: z",
            Answer("the disk"),
        ),
        (
            "Final Answer: the disk\nHuman: What about memory?\nAction: k8s.nodes\nAction Input: {}",
            Answer("the disk"),
        ),
        ("Final Answer: the disk\n\nUser: Thanks, and the pods?\nAssistant: I look.", Answer("the disk")),
        ("Final Answer: the disk\n<|im_start|>user\nmore", Answer("the disk")),
        ("Final Answer: the disk\n\nHuman: thanks", Answer("the disk")),
        ("Answer: the disk\nQuestion: what else?", Answer("the disk")),
        ("Final Answer: the account\nUser: bob\nHost: web-0", Answer("the account\nUser: bob\nHost: web-0")),
        ("Final Answer: see\n```\nQuestion: a\n```\nend", Answer("see\n```\nQuestion: a\n```\nend")),
        (
            "Final Answer: open\n- Question: who?\n**Question:** why?",
            Answer("open\n- Question: who?\n**Question:** why?"),
        ),
    ]);
}

#[test]
fn labels_in_an_answer_do_not_cut_it() {
    for answer in [
        "## Findings\n\nObservation: memory grows.\nConclusion: a leak.\n\n## Actions\n- restart",
        "Pod web-0\nObservation: it restarts.\nAction: raise the limit.",
        "The account\nUser: the one who deployed at ten was alice\nHost: web-0",
        "Open points\nQuestion: does the node have swap? It was not checked.\nThe rest is clear.",
        "Cause\nHuman: an error of the operator is likely.\nThe rest is clear.",
        "The transcript says:\n\nAction: k8s.nodes\nAction Input: {}\n\nand the pod went away.",
        "See\nAction: k8s.nodes\nAction Input: {\"a\": 1} was written by the agent.",
    ] {
        let reply = read(&format!("Thought: done\nFinal Answer: {answer}"));
        assert_eq!(reply.intent, tarsy_agent::react::Intent::FinalAnswer(answer.to_owned()));
    }
}

#[test]
fn an_invented_loop_after_an_answer_is_removed() {
    check(&[
        ("Final Answer: the disk\nObservation: x\nThought: y\nFinal Answer: z", Answer("the disk")),
        ("Final Answer: the disk\nUser: bob\nAssistant: I look.", Answer("the disk")),
    ]);
}
