//! Each strategy with its real prompt, from start to end.

use std::num::NonZeroU32;
use std::sync::Arc;

use insta::assert_snapshot;
use tarsy_agent::{
    AgentResult, AtLimit, ChatExchange, ChatTask, Limits, PromptAgent, PromptAlert, PromptInput,
    PromptServer, Prompts, RunRules, Setup, StagePosition, StageResult, Task, TrailEntry,
    format_for_strategy, format_investigation,
};
use tarsy_domain::{IterationStrategy, PromptProfile, TimelineEventType, ToolDefinition, WorkStatus};

use super::script::{calls, returns, says, tool};
use super::transcript::transcript;

const ALERT: &str = "{\"alertname\": \"PodCrashLooping\", \"namespace\": \"shop\", \"pod\": \"web-1\"}";
const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {\"namespace\": \"shop\"}";
const ANSWER: &str = "Thought: That is it.\nFinal Answer: web-1 runs out of memory.";

#[test]
fn react() {
    let script = [says(ASK_PODS), returns("react-1", "web-1 OOMKilled"), says(ANSWER)];
    assert_snapshot!(transcript(&first_stage(IterationStrategy::React), &script));
}

#[test]
fn react_stage() {
    let script = [says(ASK_PODS), returns("react-1", "web-1 OOMKilled"), says(ANSWER)];
    assert_snapshot!(transcript(&first_stage(IterationStrategy::ReactStage), &script));
}

#[test]
fn native_thinking() {
    let script = [
        calls("", "The pods first.", &[("a", "k8s.pods", "{\"namespace\":\"shop\"}")]),
        returns("a", "web-1 OOMKilled"),
        says("web-1 runs out of memory."),
    ];
    assert_snapshot!(transcript(&first_stage(IterationStrategy::NativeThinking), &script));
}

#[test]
fn react_final_analysis() {
    let earlier =
        [stage("data-collection", vec![agent("KubernetesAgent", Ok("web-1 was killed at its limit."))])];
    let setup = with_earlier(IterationStrategy::ReactFinalAnalysis, &earlier);
    assert_snapshot!(transcript(&setup, &[says("## Root cause\n\nThe limit is too low.")]));
}

#[test]
fn single_call() {
    assert_snapshot!(transcript(
        &first_stage(IterationStrategy::SingleCall),
        &[says("web-1 runs out of memory.")]
    ));
}

#[test]
fn synthesis_of_three_agents_of_which_one_failed() {
    let agents = vec![
        agent("KubernetesAgent-1", Ok("web-1 was killed at its limit.")),
        agent("KubernetesAgent-2", Err("two calls in a row got no answer in time")),
        agent("LogAgent", Ok("The cache grows without end since 10:02.")),
    ];
    let setup = with_earlier(IterationStrategy::Synthesis, &[stage("data-collection", agents)]);
    assert_snapshot!(transcript(&setup, &[says("The cache fills the memory; two of three agents show it.")]));
}

#[test]
fn chat() {
    let stages = [stage("analysis", vec![agent("KubernetesAgent", Ok("web-1 was killed at its limit."))])];
    let investigation = format_investigation(&stages);
    let exchanges = [ChatExchange { question: "Which limit?", answer: "512 MiB." }];
    let task = Task::Chat(ChatTask {
        investigation: &investigation,
        exchanges: &exchanges,
        question: "Is it still so?",
    });
    let tools = tools();
    let setup = setup(&PromptInput { task, ..input(IterationStrategy::NativeThinking, &tools) });
    let script = [
        calls("I look again.", "", &[("a", "k8s.pods", "{\"namespace\":\"shop\"}")]),
        returns("a", "web-1 Running"),
        says("No: web-1 runs again."),
    ];
    assert_snapshot!(transcript(&setup, &script));
}

fn first_stage(strategy: IterationStrategy) -> Setup {
    setup(&input(strategy, &tools()))
}

fn with_earlier(strategy: IterationStrategy, earlier: &[StageResult]) -> Setup {
    let tools = tools();
    let handed_on = format_for_strategy(strategy, earlier);
    setup(&PromptInput { earlier: handed_on.as_ref(), ..input(strategy, &tools) })
}

fn setup(input: &PromptInput<'_>) -> Setup {
    let prompts = Prompts::builtin();
    let max_iterations = NonZeroU32::new(20).unwrap();
    Setup {
        strategy: input.strategy,
        prompt_profile: input.prompt_profile,
        opening: prompts.opening(input).unwrap().prompt,
        conclusion_request: prompts
            .forced_conclusion(input.strategy.loop_kind(), max_iterations.get())
            .unwrap()
            .prompt,
        conclusion_event: TimelineEventType::FinalAnalysis,
        tools: input.tools.to_vec(),
        limits: Limits {
            max_iterations,
            at_limit: AtLimit::Conclude,
            token_budget: None,
            context_window: None,
        },
        result_reader: None,
        rules: RunRules::default(),
    }
}

fn input(strategy: IterationStrategy, tools: &[Arc<ToolDefinition>]) -> PromptInput<'_> {
    PromptInput {
        strategy,
        prompt_profile: PromptProfile::Full,
        task: Task::Stage(StagePosition { name: "analysis", number: 1, total: 2 }),
        agent: PromptAgent {
            name: "KubernetesAgent",
            instructions: Some("Begin with the object that the alert names."),
        },
        servers: &[PromptServer { name: "k8s", instructions: "Name the namespace whenever you know it." }],
        unavailable_servers: &[],
        tools,
        alert: PromptAlert { alert_type: "PodCrashLooping", data: ALERT },
        runbook: Some("1. Look at the last termination of the container."),
        earlier: None,
    }
}

fn tools() -> Vec<Arc<ToolDefinition>> {
    vec![tool("k8s.pods"), tool("k8s.logs")]
}

fn stage(name: &str, agents: Vec<AgentResult>) -> StageResult {
    StageResult {
        name: name.to_owned(),
        status: WorkStatus::Completed,
        reason: None,
        agents,
        synthesis: None,
    }
}

fn agent(name: &str, result: Result<&str, &str>) -> AgentResult {
    let entry = |event_type, content: &str, tool: Option<&str>| TrailEntry {
        event_type,
        content: content.to_owned(),
        tool: tool.map(str::to_owned),
        status: None,
        result: None,
    };
    AgentResult {
        name: name.to_owned(),
        provider: "google-default".to_owned(),
        strategy: IterationStrategy::React,
        status: if result.is_ok() { WorkStatus::Completed } else { WorkStatus::Failed },
        analysis: result.ok().map(str::to_owned),
        error: result.err().map(str::to_owned),
        trail: vec![
            entry(TimelineEventType::LlmThinking, "First the pods.", None),
            entry(TimelineEventType::ToolCall, "k8s.pods {\"namespace\":\"shop\"}", Some("k8s.pods")),
            entry(TimelineEventType::ToolResult, "web-1 OOMKilled", Some("k8s.pods")),
        ],
    }
}
