//! Headers with bullets, quotes, numbers and other labels.

use serde_json::json;

use super::table::{Answer, Call, Feedback, check, read};

#[test]
fn headers_can_have_bullets_quotes_and_numbers() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop"}));
    check(&[
        ("- Thought: look\n- Action: k8s.pods_list\n- Action Input: {\"namespace\": \"shop\"}", pods()),
        ("* Thought: look\n* Action: k8s.pods_list\n* Action Input: {\"namespace\": \"shop\"}", pods()),
        ("• Action: k8s.pods_list\n• Action Input: {\"namespace\": \"shop\"}", pods()),
        ("> Thought: look\n> Action: k8s.pods_list\n> Action Input: {\"namespace\": \"shop\"}", pods()),
        ("> Action: k8s.pods_list\n> Action Input: {\n>   \"namespace\": \"shop\"\n> }", pods()),
        ("1. Thought: look\n2. Action: k8s.pods_list\n3. Action Input: {\"namespace\": \"shop\"}", pods()),
        ("1) Action: k8s.pods_list\n2) Action Input: namespace: shop", pods()),
        (
            "1. **Thought:** look\n2. **Action:** `k8s.pods_list`\n3. **Action Input:** namespace: shop",
            pods(),
        ),
        ("Thought 1: look\nAction 1: k8s.pods_list\nAction Input 1: {\"namespace\": \"shop\"}", pods()),
        ("Thought #2: look\nAction #2: k8s.pods_list\nAction Input #2: {\"namespace\": \"shop\"}", pods()),
        ("Step 1:\nThought: look\nAction (1): k8s.pods_list\nAction Input (1): namespace: shop", pods()),
        ("### Thought: look\n### Action: k8s.pods_list\n### Action Input: namespace: shop", pods()),
        ("__Action__: k8s.pods_list\n__Action Input__: namespace: shop", pods()),
        ("Thought: I look at the pods.\n- Action: k8s.pods_list\n- Action Input: namespace: shop", pods()),
        ("- Thought: done\n- Final Answer: the disk is full", Answer("the disk is full")),
        ("> Final Answer: the disk is full\n> Clean it.", Answer("the disk is full\nClean it.")),
        ("Thought 3: done\nFinal Answer 3: the disk is full", Answer("the disk is full")),
        (
            "- Action: k8s.nodes\n- Action Input: {}\n- Observation: 3 nodes\n- Final Answer: fine",
            Call("k8s.nodes", json!({})),
        ),
    ]);
}

#[test]
fn other_labels_are_headers() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop"}));
    check(&[
        ("Thought: look\nTool: k8s.pods_list\nTool Input: {\"namespace\": \"shop\"}", pods()),
        ("Thought: look\nTool Name: k8s.pods_list\nParameters: {\"namespace\": \"shop\"}", pods()),
        ("Tool: k8s.pods_list\nArguments: namespace: shop", pods()),
        ("Action: k8s.pods_list\nArgs: namespace=shop", pods()),
        ("Action: k8s.pods_list\nInput: {\"namespace\": \"shop\"}", pods()),
        ("**Tool:** `k8s.pods_list`\n**Parameters:**\n```json\n{\"namespace\": \"shop\"}\n```", pods()),
        ("Action: k8s.pods_list Arguments: {\"namespace\": \"shop\"}", pods()),
        ("action: k8s.pods_list\nparameters: {\"namespace\": \"shop\"}", pods()),
        ("Function: k8s.pods_list\nArguments: {\"namespace\": \"shop\"}", pods()),
        ("### Thought\nlook\n### Tool\nk8s.pods_list\n### Parameters\n{\"namespace\": \"shop\"}", pods()),
        ("Action: k8s.pods_list[shop]", pods()),
        ("思考：先看 Pod。\n行动：k8s.pods_list\n行动输入：{\"namespace\": \"shop\"}", pods()),
        ("思考: 先看\n动作: k8s.pods_list\n动作输入: {\"namespace\": \"shop\"}", pods()),
        ("思考：先看\n工具：k8s.pods_list\n参数：{\"namespace\": \"shop\"}", pods()),
        ("行动：k8s.nodes\n行动输入：{}\n观察：三个节点\n最终答案：正常", Call("k8s.nodes", json!({}))),
        ("思考：完成\n最终答案：磁盘已满", Answer("磁盘已满")),
        ("思考：完成\n答案：磁盘已满", Answer("磁盘已满")),
        ("Thought: done\nAnswer: the disk is full", Answer("the disk is full")),
        ("Thought: done\nConclusion: the disk is full\n- clean it", Answer("the disk is full\n- clean it")),
        ("Thought: done\nFinal Response: the disk is full", Answer("the disk is full")),
        ("Answer: the disk is full", Answer("the disk is full")),
        ("Thought: done\n**Answer:** the disk is full", Answer("the disk is full")),
    ]);
}

#[test]
fn an_action_can_be_the_final_answer() {
    check(&[
        ("Thought: done\nAction: Final Answer\nAction Input: the disk is full", Answer("the disk is full")),
        (
            "Thought: done\nAction: Final Answer\nThe disk is full.\n\nClean it.",
            Answer("The disk is full.\n\nClean it."),
        ),
        ("Thought: done\nAction: Final Answer: the disk is full", Answer("the disk is full")),
        (
            "Action: final_answer\nAction Input: {\"answer\": \"the disk is full\"}",
            Answer("the disk is full"),
        ),
        ("Action: Finish[the disk is full]", Answer("the disk is full")),
        ("Action: Finish\nAction Input: the disk is full", Answer("the disk is full")),
        ("Action: Final Answer\nAction Input: \"the disk is full\"", Answer("the disk is full")),
        ("Action: Final Answer", Feedback("nothing stands after `Final Answer:`")),
    ]);
}

#[test]
fn prose_is_not_a_header() {
    check(&[
        (
            "Thought: x\nFinal Answer: ## Cause\nDisk.\nConclusion: clean it.\nAnswer: now.",
            Answer("## Cause\nDisk.\nConclusion: clean it.\nAnswer: now."),
        ),
        (
            "Final Answer: Steps\n- Action: clean up\n- Action Input: none\n1. Tool: df\n2. Parameters: -h",
            Answer("Steps\n- Action: clean up\n- Action Input: none\n1. Tool: df\n2. Parameters: -h"),
        ),
        (
            "Final Answer: see\n> Action: k8s.nodes\n> Action Input: {}",
            Answer("see\n> Action: k8s.nodes\n> Action Input: {}"),
        ),
        ("Thought: The answer: unknown. My conclusion: look.", Feedback("no action and no final answer")),
        ("Thought: x\nInput: a lot of traffic", Feedback("no action and no final answer")),
        ("Thought: x\nParameters: unknown so far", Feedback("no action and no final answer")),
        ("Thought: x\nTool: one of the many would help", Feedback("no action and no final answer")),
        ("Thought: x\n- Action: look at the pods first", Feedback("no action and no final answer")),
        (
            "Thought: x\n- Observation: pods restart\n- Hypothesis: memory",
            Feedback("no action and no final answer"),
        ),
        (
            "Action: k8s.pod_logs\nAction Input:\npod: web-0\nnamespace: shop\nInput: x",
            Call("k8s.pod_logs", json!({"pod": "web-0", "namespace": "shop", "Input": "x"})),
        ),
        (
            "Action: k8s.pods_list\nAction Input:\nnamespace: shop\nrules:\n- Action: deny\n- Thought: x",
            Call(
                "k8s.pods_list",
                json!({"namespace": "shop", "rules": [{"Action": "deny"}, {"Thought": "x"}]}),
            ),
        ),
        ("Thought: x\nConclusion: I need data.\nFinal Answer: the disk", Answer("the disk")),
        (
            "# Report\n\nThe disk is full.\n\n## Details\n\nMany logs.\n\nConclusion: clean it.",
            Feedback("it has no `Thought:`"),
        ),
        ("## 分析\n\n观察：Pod 反复重启。\n结论：内存不足。", Feedback("it has no `Thought:`")),
    ]);
}

#[test]
fn a_thought_keeps_lists_and_labels_that_are_prose() {
    for prose in ["* Action: in a list", "- Observation: it restarts", "Tool: one of many", "Input: much"] {
        let reply = read(&format!("Thought: Start.\n{prose}\nGo on.\nFinal Answer: ok"));
        assert_eq!(reply.thought.as_deref(), Some(&*format!("Start.\n{prose}\nGo on.")));
    }
}

#[test]
fn the_last_part_of_a_report_is_not_the_answer() {
    check(&[
        (
            "Thought: I am done.\n\n**Root cause:** memory.\n\n**Impact:** slow.\n\n**Conclusion:** raise it.",
            Feedback("no action and no final answer"),
        ),
        (
            "Thought: I am done.\n1. **Cause**: memory\n2. **Conclusion**: raise it",
            Feedback("no final answer"),
        ),
        (
            "**Cause**: memory.\n**Impact**: slow.\n**Conclusion**: raise it.",
            Feedback("it has no `Thought:`"),
        ),
        ("The pod ran out of memory.\nConclusion: raise the limit.", Feedback("it has no `Thought:`")),
        ("Thought: I am done.\n**Conclusion:** the disk", Answer("the disk")),
        ("Thought: I thought.\n\nAnd more.\n\nAnswer: the disk", Answer("the disk")),
    ]);
}

#[test]
fn the_placeholder_of_the_prompt_is_no_answer() {
    check(&[
        (
            "Thought: <why this is enough>\nFinal Answer: <your answer in Markdown>",
            Feedback("nothing stands after `Final Answer:`"),
        ),
        ("Final Answer: <none>", Answer("<none>")),
    ]);
}
