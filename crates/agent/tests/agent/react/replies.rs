//! Parsing of replies: one rule of the format per test.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_agent::react::{Action, Intent, parse, parse_with_tools};
use tarsy_domain::ToolDefinition;

fn action(reply: &str) -> (Option<String>, Action) {
    let read = parse(reply);
    let Intent::Action(action) = read.intent else { panic!("{reply}\nis not an action") };
    (read.thought, action)
}

/// Returns the thought, action and input of a reply.
fn call(reply: &str) -> (Option<String>, String, String) {
    let (thought, Action { name, input, .. }) = action(reply);
    (thought, name, input)
}

fn parameters(reply: &str) -> Value {
    Value::Object(action(reply).1.parameters)
}

fn answer(reply: &str) -> (Option<String>, String) {
    let read = parse(reply);
    let Intent::FinalAnswer(answer) = read.intent else { panic!("{reply}\nis not an answer") };
    (read.thought, answer)
}

/// Returns the first line of the feedback on a malformed reply.
fn feedback(reply: &str) -> String {
    let read = parse(reply);
    let Intent::Malformed { feedback, .. } = read.intent else { panic!("{reply}\nis not malformed") };
    feedback.lines().next().unwrap().to_owned()
}

fn some(thought: &str) -> Option<String> {
    Some(thought.to_owned())
}

fn is_call(reply: &str, thought: &str, name: &str, input: &str) {
    assert_eq!(call(reply), (some(thought), name.into(), input.into()), "{reply}");
}

fn is_answer(reply: &str, thought: &str, text: &str) {
    assert_eq!(answer(reply), (some(thought), text.into()), "{reply}");
}

#[test]
fn headers_can_be_indented_and_followed_by_no_space_or_a_line_break() {
    for reply in [
        "Thought: look\nAction: k8s.pods\nAction Input: a: 1",
        "Thought:look\nAction:k8s.pods\nAction Input:a: 1",
        "Thought:\nlook\nAction:\nk8s.pods\nAction Input:\na: 1\n",
        "Thought\nlook\n\nAction:\n\nk8s.pods\n\nAction Input:\n\na: 1\n\n",
        "  Thought: look\n  Action: k8s.pods\n  Action Input: a: 1",
        "Thought: look\r\nAction: k8s.pods\r\nAction Input: a: 1\r\n",
        "Thought : look\nAction : k8s.pods\nAction Input : a: 1",
        "Sure, I can help.\n\nThought: look\nAction: k8s.pods\nAction Input: a: 1",
    ] {
        is_call(reply, "look", "k8s.pods", "a: 1");
    }
}

#[test]
fn headers_can_have_markdown_and_any_case() {
    for reply in [
        "**Thought:** look\n**Action:** k8s.pods\n**Action Input:** a: 1",
        "**Thought**: look\n**Action**: `k8s.pods`\n**Action Input**: a: 1",
        "*Thought:* look\n*Action:* **k8s.pods**\n*Action Input:* a: 1",
        "### Thought:\nlook\n### Action:\nk8s.pods\n### Action Input:\na: 1",
        "## Thought\nlook\n## Action\nk8s.pods\n## Action Input\na: 1",
        "thought: look\naction: k8s.pods\naction input: a: 1",
        "THOUGHT: look\nACTION: k8s.pods\nACTION INPUT: a: 1",
        "Thought：look\nAction：k8s.pods\nActionInput：a: 1",
        "`Thought:` look\n`Action:` k8s.pods\n`Action_Input:` a: 1",
    ] {
        is_call(reply, "look", "k8s.pods", "a: 1");
    }
    is_answer("**Thought:** done\n**Final Answer:** **Cause:** disk", "done", "**Cause:** disk");
    is_answer("thought: done\nfinal answer: all well", "done", "all well");
    is_answer("## Thought\ndone\n\n## Final Answer\n\nall well", "done", "all well");
}

#[test]
fn a_header_in_the_middle_of_a_line_counts_after_a_sentence() {
    is_call("Thought: Look now.Action: k8s.pods\nAction Input: {}", "Look now.", "k8s.pods", "{}");
    is_call("Thought: Look! Action: k8s.pods\nAction Input: {}", "Look!", "k8s.pods", "{}");
    is_call("Thought: See `x`.**Action:** k8s.pods\nAction Input: {}", "See `x`.", "k8s.pods", "{}");
    is_call("Thought: (Look?) Action: k8s.pods\nAction Input: {}", "(Look?)", "k8s.pods", "{}");
    is_call("Thought: Look. Action: k8s.pods. Action Input: {}", "Look.", "k8s.pods", "{}");
    is_answer("Thought: 磁盘已满。Final Answer: disk", "磁盘已满。", "disk");
    is_answer("Thought: One. Thought: two. Final Answer: ok", "One. Thought: two.", "ok");
    assert!(feedback(&"One. Thought: two".repeat(100_000)).contains("it has a thought"));
    assert_eq!(call("OK. Thought: Look. Action: k8s.pods Action Input: {}").0, some("Look."));
}

#[test]
fn header_words_in_prose_are_prose() {
    for prose in [
        "The best action: look at it.",
        "I know what Action: means.",
        "Recommended Action: none.",
        "Done. action: nothing.",
        "Actions: many.",
        "Thoughts: many. Final Answers: few.",
        "* Action: in a list",
        "Then comes\naction\nand a\nthought\nof mine.",
    ] {
        let reply = format!("Thought: Start.\n{prose}\nGo on.\nFinal Answer: ok");
        is_answer(&reply, &format!("Start.\n{prose}\nGo on."), "ok");
    }
}

#[test]
fn action_and_input_can_share_a_line() {
    is_call("Thought: x\nAction: k8s.pods Action Input: {\"a\": 1}", "x", "k8s.pods", "{\"a\": 1}");
    is_call("Thought: x\nAction: k8s.pods, action input: a=1", "x", "k8s.pods", "a=1");
    is_call("Thought: x\nAction: k8s.pods **Action Input:** a=1", "x", "k8s.pods", "a=1");
}

#[test]
fn an_action_can_be_written_as_a_function_call() {
    let cases = [
        ("Action: k8s.pods({\"namespace\": \"shop\"})", json!({"namespace": "shop"})),
        ("Action: k8s.pods(namespace=\"shop\", limit=5)", json!({"namespace": "shop", "limit": 5})),
        ("Action: `k8s.pods(namespace=\"a) b\")` to look", json!({"namespace": "a) b"})),
        ("Action: k8s.pods({\n  \"namespace\": \"shop\"\n})\n", json!({"namespace": "shop"})),
        ("Action: k8s.pods()", json!({})),
        ("Action: k8s.pods()\nAction Input: namespace: shop", json!({"namespace": "shop"})),
        ("Action: k8s.pods(limit=5)\nAction Input:", json!({"limit": 5})),
    ];
    for (reply, expected) in cases {
        assert_eq!(call(reply).1, "k8s.pods", "{reply}");
        assert_eq!(parameters(reply), expected, "{reply}");
    }
}

#[test]
fn json_after_a_tool_name_is_its_input() {
    let input = "{\"namespace\": \"x y\"}";
    for reply in [
        "Action: k8s.pods {\"namespace\": \"x y\"}",
        "Action: k8s.pods\n{\"namespace\": \"x y\"}\n",
        "Action: `k8s.pods` {\"namespace\": \"x y\"}",
        "Action: k8s.pods{\"namespace\": \"x y\"}",
        "Action: k8s.pods\n```json\n{\"namespace\": \"x y\"}\n```",
        "Action: k8s.pods {'namespace': 'x y'}\nThis lists the pods.",
        "Action: k8s.pods {\"namespace\": \"x y\"}\nAction Input:",
        "Action: k8s.pods {\"namespace\": \"x y\"}\nFinal Answer: no",
        "Action: k8s.pods {\"namespace\": \"other\"}\nAction Input: {\"namespace\": \"x y\"}",
    ] {
        assert_eq!(call(reply).1, "k8s.pods", "{reply}");
        assert_eq!(parameters(reply), json!({"namespace": "x y"}), "{reply}");
    }
    let (_, name, read) = call(&format!("Action: k8s.pods {input}\nObservation: none"));
    assert_eq!((name.as_str(), read.as_str()), ("k8s.pods", input));
    for reply in ["Action: k8s.pods {all of them}", "Action: k8s.pods with {\"a\": 1}"] {
        assert!(feedback(reply).contains("no `Action Input:`"), "{reply}");
    }
}

#[test]
fn quotes_and_prose_around_a_tool_name_are_removed() {
    for action in [
        "`k8s.pods`",
        "\"k8s.pods\"",
        "[k8s.pods]",
        "k8s.pods to see what runs",
        "k8s.pods (all of them)",
        "k8s.pods\nThis lists the pods.",
        "k8s.pods.",
        "Use the `k8s.pods` tool",
        "I will, e.g. now, call k8s.pods",
        "\n```\nk8s.pods\n```",
    ] {
        let reply = format!("Action: {action}\nAction Input: {{}}");
        assert_eq!(call(&reply), (None, "k8s.pods".into(), "{}".into()), "{reply}");
    }
}

#[test]
fn a_tool_name_can_have_more_than_one_dot() {
    assert_eq!(call("Action: srv.group.tool\nAction Input:").1, "srv.group.tool");
}

#[test]
fn a_sentence_that_mentions_a_tool_does_not_replace_a_name() {
    let reply = parse("Action: pods_list as in example.com\nAction Input: {}");
    assert!(matches!(reply.intent, Intent::UnknownTool { action, .. } if action.name == "pods_list"));
}

#[test]
fn an_empty_input_is_a_call_without_parameters() {
    for input in ["", " ", "\n\n", " {}", " none", " N/A", "\n```json\n{}\n```"] {
        assert_eq!(parameters(&format!("Action: k8s.pods\nAction Input:{input}")), json!({}), "{input:?}");
    }
}

#[test]
fn the_first_action_counts_with_its_thought_and_input() {
    let reply =
        "Thought: one\nAction: a.one\nAction Input: x: 1\nThought: two\nAction: a.two\nAction Input: y: 2";
    is_call(reply, "one", "a.one", "x: 1");
    assert_eq!(parse(reply).not_executed, ["a.two"]);
    let afterthought = "Thought: one\nAction: a.one\nAction Input: x: 1\nThought: and then I see";
    is_call(afterthought, "one", "a.one", "x: 1");
    let incomplete = "Action: a.one\nAction: a.two\nAction Input: x: 1";
    assert_eq!(call(incomplete), (None, "a.two".into(), "x: 1".into()));
}

#[test]
fn an_empty_thought_does_not_replace_an_earlier_one() {
    is_call("Thought: one\nThought:\nAction: a.b\nAction Input: {}", "one", "a.b", "{}");
    is_call("Thought:\nAction: a.b\nAction Input: {}", "", "a.b", "{}");
    assert_eq!(call("Action: a.b\nAction Input: {}").0, None);
}

#[test]
fn a_complete_action_takes_precedence_over_a_final_answer() {
    is_call("Thought: x\nAction: a.b\nAction Input: {}\nFinal Answer: no", "x", "a.b", "{}");
    is_call("Thought: x\nFinal Answer: no\nAction: a.b\nAction Input: {}", "x", "a.b", "{}");
    is_call(
        "Thought: x\nFinal Answer: no\nThought: wait\nAction: a.b\nAction Input: {}",
        "wait",
        "a.b",
        "{}",
    );
    is_call(
        "Final Answer: no\nThought: y\nAction: a.b\nAction Input: {}\nFinal Answer: no",
        "y",
        "a.b",
        "{}",
    );
    is_call("Thought: x\nAction: a.b\nAction Input: {}\nFinal Answer: no\nAction: c.d", "x", "a.b", "{}");
}

#[test]
fn a_final_answer_takes_precedence_over_an_incomplete_action() {
    is_answer("Thought: x\nAction: a.b\nFinal Answer: yes", "x", "yes");
    is_answer("Thought: x\nAction: None\nAction Input: None\nFinal Answer: yes", "x", "yes");
    is_answer("Thought: x\nAction: no action needed\nAction Input: -\nFinal Answer: yes", "x", "yes");
    is_answer("Thought: x\nFinal Answer: yes\nAction: a.b", "x", "yes\nAction: a.b");
    is_answer("Thought: x\na.b\nAction Input: {}\nFinal Answer: yes", "x", "yes");
    is_answer("Thought: x\nFinal Answer: yes\na.b\nAction Input: {}", "x", "yes\na.b\nAction Input: {}");
    is_answer(
        "Thought: x\nFinal Answer: yes\nAction\na.b\nAction Input: {}",
        "x",
        "yes\nAction\na.b\nAction Input: {}",
    );
}

#[test]
fn a_final_answer_takes_precedence_over_an_action_without_a_server() {
    is_answer("Thought: x\nAction: Finish\nAction Input: {}\nFinal Answer: The report", "x", "The report");
    is_answer("Thought: x\nAction: Provide final answer\nAction Input: n/a\nFinal Answer: yes", "x", "yes");
    let report = "Out of memory.\n\n**Action:** increase memory\n**Action Input:** none needed";
    is_answer(&format!("Thought: x\nFinal Answer: {report}"), "x", report);
    is_call(
        "Thought: x\nAction: a.b\nAction Input: {}\nFinal Answer: no\nAction: Finish\nAction Input:",
        "x",
        "a.b",
        "{}",
    );
    for reply in ["Action: Finish\nAction Input: {}", "Action: Finish\nAction Input: {}\nFinal Answer:"] {
        assert!(matches!(parse(reply).intent, Intent::UnknownTool { .. }), "{reply}");
    }
}

#[test]
fn header_words_inside_a_final_answer_do_not_cut_it() {
    for body in [
        "Cause: disk.\nThought: none was given.\n\nFinal Answer: twice.",
        "Cause: disk. Action: clean up. Action Input: /var",
        "Recommended Action: clean up\n\n    Action: a.b\n    Action Input: {}\n\nend",
        "Write:\n```\nThought: x\nAction: a.b\nAction Input: {}\n```\nso it was.",
        "action: clean\naction input: disk",
        "Seen:\n**Observation:** the disk is full.\n[Based on the log]",
        "Seen:\n```\nObservation: x\n```\nend",
        "code:\n\n    if x:\n        y()",
    ] {
        is_answer(&format!("Thought: x\nFinal Answer: {body}"), "x", body);
    }
}

#[test]
fn a_final_answer_keeps_its_indentation() {
    is_answer("Thought: x\nFinal Answer:\n    deep\n  less\n", "x", "    deep\n  less");
}

#[test]
fn an_invented_observation_ends_the_reply() {
    for invented in [
        "Observation: three pods\nThought: fine\nFinal Answer: no",
        "  Observation: x",
        "**Observation:** x\nAction: c.d\nAction Input: {}",
        "OBSERVATION:\nx",
        "[Based on the result, three pods]\nThought: fine",
    ] {
        let reply = format!("Thought: x\nAction: a.b\n  Action Input: c: 1\n\n{invented}");
        is_call(&reply, "x", "a.b", "c: 1");
    }
    is_answer("Thought: x\nFinal Answer: yes\nObservation: no\nThought: no", "x", "yes");
}

#[test]
fn an_observation_before_any_action_is_prose() {
    is_call(
        "Observation: I see the pod is down.\nThought: check\nAction: k8s.pods\nAction Input: {}",
        "check",
        "k8s.pods",
        "{}",
    );
    let between = "Thought: a\nObservation: b\nThought: c\nAction: k8s.pods\nAction Input: {}";
    is_call(between, "c", "k8s.pods", "{}");
    is_call("Thought: a\nObservation: b\nAction: k8s.pods\nAction Input: {}", "a", "k8s.pods", "{}");
    is_call("Thought: a\nObservation: b\nk8s.pods\nAction Input: {}", "a", "k8s.pods", "{}");
    is_answer("Thought: a\n[Based on the alert]\nFinal Answer: yes", "a\n[Based on the alert]", "yes");
    let twice = "Observation: a\nAction: k8s.pods\nAction Input: {}\nObservation: b\nFinal Answer: no";
    assert_eq!(call(twice), (None, "k8s.pods".into(), "{}".into()));
}

#[test]
fn feedback_on_a_reply_that_is_cut_before_its_action() {
    for reply in [
        "Thought: x\nAction: a.b\nObservation: y\nAction: a.b\nAction Input: {}",
        "Thought: x\nAction Input: {}\nObservation: y\nFinal Answer: no",
        "Thought: x\nAction: a.b\n[Based on the result]\nFinal Answer: no",
        "Thought: x\nFinal Answer:\nObservation: y\nFinal Answer: no",
    ] {
        assert!(feedback(reply).contains("it stops where a result begins (`Observation:`)"), "{reply}");
    }
}

#[test]
fn repeated_feedback_is_not_an_invented_observation() {
    let reply = parse("Thought: x");
    let Intent::Malformed { feedback, .. } = &reply.intent else { panic!("{reply:?}") };
    let hint = feedback.lines().next().unwrap();
    let echoed = format!("Observation: {hint}\nThought: now\nAction: a.b\nAction Input: {{}}");
    is_call(&echoed, "now", "a.b", "{}");
}

#[test]
fn an_action_without_a_header_is_recovered() {
    is_call("Thought: x\na.b\nAction Input: {}", "x", "a.b", "{}");
    is_call("Thought: x\n\n`a.b`\n\nAction Input: {}", "x", "a.b", "{}");
    is_call("Thought: x\nAction\na.b\nAction Input: {}", "x", "a.b", "{}");
    is_call("Thought: Look now.Action\n a.b\nAction Input: {}", "Look now.", "a.b", "{}");
    assert_eq!(call("a.b\nAction Input: {}"), (None, "a.b".into(), "{}".into()));
    let second = "Thought: x\nAction: a.b\nAction Input: {}\nThought: y\nc.d\nAction Input: e: 1";
    is_call(second, "x", "a.b", "{}");
    assert_eq!(parse(second).not_executed, ["c.d"]);
    for name in ["a b", "a.", ".b", "a..b", "a.b.c", "a.b c", "ab", "see a.b"] {
        let reply = format!("Thought: x\nAction\n{name}\nAction Input: {{}}");
        assert!(feedback(&reply).contains("`Action Input:` has no `Action:`"), "{reply}");
    }
}

#[test]
fn keys_of_an_input_that_look_like_headers_are_keys() {
    let reply =
        "Thought: x\nAction: a.b\nAction Input:\naction: restart\nthought: none\nrule:\n  Action: deny\n";
    is_call(reply, "x", "a.b", "action: restart\nthought: none\nrule:\n  Action: deny");
    let text =
        "Thought: x\nAction: a.b\nAction Input: {\"body\": \"It fell. Action: call Bob. Final Answer: no\"}";
    assert_eq!(parameters(text), json!({"body": "It fell. Action: call Bob. Final Answer: no"}));
}

#[test]
fn nested_input_keeps_its_structure() {
    let reply = "Action: a.b\nAction Input:\n  labels:\n    app: web\n    tier: db\n  args:\n  - -v\n  - x\n";
    assert_eq!(parameters(reply), json!({"labels": {"app": "web", "tier": "db"}, "args": ["-v", "x"]}));
    let aligned = "Action: a.b\nAction Input: namespace: x\n              selector:\n                app: web\nThis lists the pods.";
    assert_eq!(parameters(aligned), json!({"namespace": "x", "selector": {"app": "web"}}));
}

#[test]
fn fences_around_a_reply_or_its_parts_are_removed() {
    for reply in [
        "```\nThought: x\nAction: a.b\nAction Input: c: 1\n```",
        "```text\nThought: x\nAction: a.b\nAction Input: c: 1\n```\n",
        "Thought: x\n```\nAction: a.b\nAction Input: c: 1\n```",
    ] {
        is_call(reply, "x", "a.b", "c: 1");
    }
    is_answer("```\nThought: x\nFinal Answer: yes\n```", "x", "yes");
    is_answer("```\nThought: x\nFinal Answer: see\n```sh\nls\n```\n```", "x", "see\n```sh\nls\n```");
    let nested = "```\nThought: x\nAction: a.b\nAction Input:\n```json\n{\"c\": 1}\n```\n```";
    assert_eq!(parameters(nested), json!({"c": 1}));
}

#[test]
fn a_thinking_block_is_the_thought_of_a_reply_without_one() {
    let reply = "<think>\nI could do Action: x.y\nAction: c.d\nAction Input: {}\n</think>\n\nAction: a.b\nAction Input: {}";
    let thinking = "I could do Action: x.y\nAction: c.d\nAction Input: {}";
    is_call(reply, thinking, "a.b", "{}");
    is_answer("<think>hm</think>Thought: x\nFinal Answer: yes", "x", "yes");
    is_answer("Action: c.d\nAction Input: {}\n</think>\nThought: x\nFinal Answer: yes", "x", "yes");
    is_answer("<think>never closed\nThought: x\nFinal Answer: yes", "x", "yes");
    is_answer("Thought: x\nFinal Answer: the tag </think> ends it", "x", "the tag </think> ends it");
}

#[test]
fn a_name_without_a_server_is_an_unknown_tool_that_keeps_its_input() {
    let reply = parse("Thought: x\nAction: pods\nAction Input: a, b: c");
    let Intent::UnknownTool { action, feedback } = reply.intent else { panic!("not unknown") };
    assert_eq!((action.name.as_str(), action.input.as_str()), ("pods", "a, b: c"));
    assert_eq!(feedback, "Unknown tool `pods`. The name of a tool has the form `server.tool`.");
}

fn tool(name: &str, description: &str) -> Arc<ToolDefinition> {
    let (name, description) = (name.to_owned(), description.to_owned());
    Arc::new(ToolDefinition { name, description, input_schema: json!({ "type": "object" }) })
}

#[test]
fn actions_are_resolved_among_the_available_tools() {
    let tools = [tool("k8s.pods_list", ""), tool("k8s.pods_log", ""), tool("web.search", "")];
    for action in
        ["k8s.pods_list", "pods_list", "K8s.Pods-List", "k8s__pods_list", "k8s/pods_list", "tools.pods_list"]
    {
        let reply = parse_with_tools(&format!("Action: {action}\nAction Input: {{}}"), &tools);
        assert!(matches!(reply.intent, Intent::Action(found) if found.name == "k8s.pods_list"), "{action}");
    }
}

#[test]
fn feedback_on_an_unknown_tool_describes_the_nearest_and_names_the_others() {
    let long = format!("Runs {} queries. More.", "many ".repeat(100));
    let mut tools = vec![
        tool("k8s.pods_list", "Lists pods. With their\nstatus."),
        tool("k8s.pods_log", &long),
        tool("web.search", "Searches the web."),
        tool("k8s.nodes_list", "Lists nodes."),
    ];
    tools.extend((0..200).map(|number| tool(&format!("other.t{number}"), "Is another one.")));
    let reply = parse_with_tools("Action: k8s.pod_list\nAction Input: {}", &tools);
    let Intent::UnknownTool { action, feedback } = reply.intent else { panic!("not unknown") };
    assert_eq!(action.name, "k8s.pod_list");
    let lines: Vec<&str> = feedback.lines().collect();
    assert_eq!(lines[0], "Unknown tool `k8s.pod_list`. The nearest tools:");
    assert_eq!(lines[1], "- `k8s.pods_list`: Lists pods.");
    assert_eq!(lines[2], "- `k8s.nodes_list`: Lists nodes.");
    assert!(lines[3].starts_with("- `k8s.pods_log`: Runs many many") && lines[3].len() < 150, "{}", lines[3]);
    assert!(lines[4].starts_with("Other tools: web.search, other.t0, other.t1, "), "{}", lines[4]);
    assert!(lines[4].ends_with(", and 101 more."), "{}", lines[4]);
}

#[test]
fn a_few_tools_are_all_described() {
    let tools = [tool("k8s.pods", "Lists pods."), tool("web.search", "")];
    let reply = parse_with_tools("Action: restart\nAction Input: {}", &tools);
    let Intent::UnknownTool { feedback, .. } = reply.intent else { panic!("not unknown") };
    assert_eq!(
        feedback,
        "Unknown tool `restart`. The nearest tools:\n- `k8s.pods`: Lists pods.\n- `web.search`"
    );
}

#[test]
fn without_tools_every_tool_is_unknown() {
    let reply = parse_with_tools("Action: a.b\nAction Input: {}", &[]);
    let Intent::UnknownTool { feedback, .. } = reply.intent else { panic!("not unknown") };
    assert_eq!(feedback, "Unknown tool `a.b`. No tools are available: give your final answer.");
}

#[test]
fn feedback_says_what_is_missing_and_repeats_the_format() {
    let cases = [
        ("", "it has no `Thought:`"),
        ("Just prose.", "it has no `Thought:`"),
        ("Thought: x", "it has a thought, but no action and no final answer"),
        ("Thought: x\nAction: a.b", "its `Action:` has no `Action Input:`"),
        ("Thought: x\nAction Input: {}", "its `Action Input:` has no `Action:`"),
        ("Thought: x\nAction:\nAction Input: {}", "its `Action Input:` has no `Action:`"),
        ("Thought: x\nFinal Answer:", "it is incomplete"),
        ("Thought: x\nAction: none\nAction Input: {}", "its `Action Input:` has no `Action:`"),
    ];
    for (reply, missing) in cases {
        assert!(feedback(reply).contains(missing), "{reply}\n{}", feedback(reply));
    }
    let Intent::Malformed { action, input, feedback } = parse("Thought: x\nAction: a.b").intent else {
        panic!("not malformed")
    };
    assert_eq!((action, input), (some("a.b"), None));
    for line in ["Action: server.tool", "Action Input: {\"parameter\": \"value\"}", "Final Answer: "] {
        assert!(feedback.contains(line), "{feedback}");
    }
}
