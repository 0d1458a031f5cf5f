//! Calls in the notations of other programs and chat templates.

use serde_json::json;
use tarsy_agent::react::parse;

use super::table::{Answer, Call, Feedback, Unknown, check, read};

#[test]
fn json_objects_are_calls() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop"}));
    check(&[
        (
            "Thought: look\nAction:\n```json\n{\n  \"action\": \"k8s.pods_list\",\n  \"action_input\": {\"namespace\": \"shop\"}\n}\n```",
            pods(),
        ),
        (
            "Action:\n```\n{\"action\": \"k8s.pods_list\", \"action_input\": {\"namespace\": \"shop\"}}\n```\nObservation: x",
            pods(),
        ),
        ("Action: {\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}", pods()),
        ("```json\n{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}\n```", pods()),
        (
            "I look at the pods.\n\n{\"name\": \"k8s.pods_list\", \"parameters\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        ("{\"tool\": \"k8s.pods_list\", \"input\": {\"namespace\": \"shop\"}}", pods()),
        (
            "{\"function\": {\"name\": \"k8s.pods_list\", \"arguments\": \"{\\\"namespace\\\": \\\"shop\\\"}\"}}",
            pods(),
        ),
        (
            "{\"type\": \"function\", \"name\": \"k8s__pods_list\", \"arguments\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        ("{\"tool_calls\": [{\"name\": \"k8s.pods_list\", \"args\": {\"namespace\": \"shop\"}}]}", pods()),
        (
            "{\"thought\": \"look\", \"action\": \"k8s.pods_list\", \"action_input\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        ("{\"actions\": [{\"name\": \"k8s.pods_list\", \"args\": {\"namespace\": \"shop\"}}]}", pods()),
        ("{'tool_name': 'k8s.pods_list', 'parameters': {'namespace': 'shop'},}", pods()),
        ("{\"name\": \"functions.k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}", pods()),
        ("{{\"action\": \"k8s.pods_list\", \"action_input\": {{\"namespace\": \"shop\"}}}}", pods()),
        ("{\"action\": \"k8s.pods_list\", \"namespace\": \"shop\"}", pods()),
        (
            "Thought: look\n```tool_call\n{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}\n```",
            pods(),
        ),
        ("{\"name\": \"k8s.nodes\"}", Call("k8s.nodes", json!({}))),
        ("{\"name\": \"k8s.nodes\", \"arguments\": null}", Call("k8s.nodes", json!({}))),
        (
            "{\"action\": \"Final Answer\", \"action_input\": \"the disk is full\"}",
            Answer("the disk is full"),
        ),
        (
            "Action:\n```json\n{\"action\": \"Final Answer\", \"action_input\": \"the disk\"}\n```",
            Answer("the disk"),
        ),
        ("{\"thought\": \"done\", \"final_answer\": \"the disk is full\"}", Answer("the disk is full")),
        ("{\"thought\": \"x\", \"action\": null, \"final_answer\": \"the disk\"}", Answer("the disk")),
        ("{\"name\": \"k8s.restart\", \"arguments\": {}}", Unknown("k8s.restart")),
    ]);
}

#[test]
fn tags_of_chat_templates_are_calls() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop"}));
    check(&[
        (
            "<tool_call>{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}</tool_call>",
            pods(),
        ),
        (
            "Thought: look\n<tool_call>\n{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}\n</tool_call>",
            pods(),
        ),
        (
            "I look.\n<tool_call>\n{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        (
            "<|python_tag|>{\"name\": \"k8s.pods_list\", \"parameters\": {\"namespace\": \"shop\"}}<|eom_id|>",
            pods(),
        ),
        ("<|python_tag|>k8s.pods_list(namespace=\"shop\")", pods()),
        ("[TOOL_CALLS] [{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}]", pods()),
        ("[TOOL_CALLS]k8s.pods_list{\"namespace\": \"shop\"}", pods()),
        ("[TOOL_CALLS]k8s.pods_list[ARGS]{\"namespace\": \"shop\"}", pods()),
        ("<function=k8s.pods_list>{\"namespace\": \"shop\"}</function>", pods()),
        ("<function=k8s.pods_list>\n<parameter=namespace>\nshop\n</parameter>\n</function>", pods()),
        (
            "<tool_call>\n<function=k8s.pods_list>\n<parameter=namespace>shop</parameter>\n</function>\n</tool_call>",
            pods(),
        ),
        (
            "<tool_call>k8s.pods_list\n<arg_key>namespace</arg_key>\n<arg_value>shop</arg_value>\n</tool_call>",
            pods(),
        ),
        ("<invoke name=\"k8s.pods_list\"><parameter name=\"namespace\">shop</parameter></invoke>", pods()),
        (
            "<function_call>{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}</function_call>",
            pods(),
        ),
        (
            "Action: <tool_call>{\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}</tool_call>",
            pods(),
        ),
        ("Action: functions.pods_list\nAction Input: {\"namespace\": \"shop\"}", pods()),
        (
            "<function=k8s.pod_logs><parameter=pod>web-0</parameter><parameter=namespace>shop</parameter><parameter=tail>5</parameter></function>",
            Call("k8s.pod_logs", json!({"pod": "web-0", "namespace": "shop", "tail": 5})),
        ),
        ("<tool_call>{\"name\": \"k8s.restart\", \"arguments\": {}}</tool_call>", Unknown("k8s.restart")),
        (
            "<tool_call>{\"name\": \"k8s.nodes\", \"arguments\": {\"a\" b}}</tool_call>",
            Feedback("the JSON of its tool call is broken"),
        ),
    ]);
}

#[test]
fn an_answer_that_shows_json_is_an_answer() {
    let shown = "Set this:\n```json\n{\"name\": \"k8s.nodes\", \"arguments\": {}}\n```\nand wait.";
    let answers = [
        shown,
        "The log says {\"name\": \"k8s.nodes\", \"arguments\": {}}",
        "{\"cause\": \"disk\", \"name\": \"web-0\"}",
    ];
    for answer in answers {
        let reply = format!("Thought: done\nFinal Answer: {answer}");
        assert_eq!(parse(&reply).intent, tarsy_agent::react::Intent::FinalAnswer(answer.to_owned()));
        assert_eq!(read(&reply).intent, tarsy_agent::react::Intent::FinalAnswer(answer.to_owned()));
    }
}

#[test]
fn json_in_prose_is_a_call_only_if_it_names_a_tool() {
    check(&[
        (
            "Thought: The pod says\n{\"name\": \"web-0\", \"arguments\": [\"-v\"]}\nand ends.",
            Feedback("no action"),
        ),
        ("Thought: It has\n```json\n{\"name\": \"web-0\", \"ready\": false}\n```", Feedback("no action")),
        ("Thought: x\n```json\n{\"name\": \"web-0\"}\n```\nFinal Answer: y", Answer("y")),
        ("Thought: The tag <tool is odd, and [TOOL] too.\nFinal Answer: y", Answer("y")),
        ("{\"kind\": \"Pod\", \"name\": \"web-0\"}", Feedback("it has no `Thought:`")),
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\", \"name\": \"k8s.nodes\"}",
            Call("k8s.pods_list", json!({"namespace": "shop", "name": "k8s.nodes"})),
        ),
    ]);
}

#[test]
fn the_text_before_a_call_is_its_thought() {
    let call = "{\"name\": \"k8s.nodes\", \"arguments\": {}}";
    for reply in [
        format!("Thought: I look.\n<tool_call>{call}</tool_call>"),
        format!("I look.\n```json\n{call}\n```"),
        format!("I look.\n\n{call}\n"),
        "{\"thought\": \"I look.\", \"action\": \"k8s.nodes\", \"action_input\": {}}".to_owned(),
    ] {
        assert_eq!(read(&reply).thought.as_deref(), Some("I look."), "{reply}");
    }
}

#[test]
fn a_quoted_call_is_not_executed() {
    let call = "<tool_call>{\"name\": \"k8s.nodes\", \"arguments\": {}}</tool_call>";
    let json = "{\"name\": \"k8s.nodes\", \"arguments\": {}}";
    for thought in [
        format!("The log contains `{call}`, an injection."),
        format!("The log shows:\n{call}\nThat is data."),
        format!("The log shows:\n```\n10:02 {call}\n```"),
        format!("The log shows:\n> {call}"),
        format!("The log says \"{call}\""),
        format!("The audit log has {json} at 10:02."),
    ] {
        check(&[(&format!("Thought: {thought}\nFinal Answer: the disk"), Answer("the disk"))]);
    }
    for reply in [
        format!("## Cause\n\nThe log contains `{call}`.\n\n## Actions\n\nRotate keys."),
        format!(
            "## Cause\n\nThe log shows:\n\n```json\n{json}\n```\n\nSo a person did it.\n\n## Actions\n\nNone."
        ),
        format!("The audit log has {json} at 10:02, so a person did it."),
    ] {
        check(&[(&reply, Feedback("it has no `Thought:`"))]);
    }
}

#[test]
fn a_call_before_an_answer_or_a_sentence_is_executed() {
    let call = "<tool_call>{\"name\": \"k8s.nodes\", \"arguments\": {}}</tool_call>";
    let json = "{\"name\": \"k8s.nodes\", \"arguments\": {}}";
    for reply in [
        format!("Thought: I look.\n{call}\nFinal Answer: all nodes are fine"),
        format!("I look at the nodes. {call}"),
        format!("I look.\n{call}\n<tool_response>\nnode-1\n</tool_response>\nAll is well.\n\nReally."),
        format!("I look.\n\n```json\n{json}\n```\n\nThis lists the nodes."),
        format!("I call {json}"),
        format!("functools[{json}]"),
        format!("```\n{call}\n```"),
        "```tool_code\nprint(k8s.nodes())\n```".to_owned(),
        "```tool_code\nk8s.nodes()\n```".to_owned(),
    ] {
        check(&[(&reply, Call("k8s.nodes", json!({})))]);
    }
}
