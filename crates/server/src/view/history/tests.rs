use serde_json::{Value, json};
use tarsy_domain::{
    ExecutionId, ExecutionKind, InteractionId, LlmCallKind, TimelineEventId, TimelineEventType, TokenUsage,
    ToolRunKind, WorkStatus,
};
use tarsy_store::{Callee, NewTimelineEvent};

use super::chain::{ChainNodeResponse, ExecutionType};
use super::event::first_line;
use super::*;
use crate::view::fixture::{at, execution, investigation, session, stage};
use crate::view::investigation::InvestigationStage;

fn history(stages: Vec<InvestigationStage>) -> HistorySessionResponse {
    let investigation = investigation(session(SessionStatus::Completed), stages);
    HistorySessionResponse::new(investigation, Vec::new(), Vec::new()).unwrap()
}

#[test]
fn a_chain_has_the_most_complex_type_of_its_stages() {
    let one = || stage("one", WorkStatus::Completed, &["A"]);
    let several = || stage("several", WorkStatus::Completed, &["A", "B"]);
    let conditional = || InvestigationStage { condition: Some("severity == 'page'".to_owned()), ..one() };
    let cases = [
        (vec![], ExecutionType::Sequential, vec![]),
        (vec![one(), one()], ExecutionType::Sequential, vec![ExecutionType::Sequential; 2]),
        (
            vec![one(), several()],
            ExecutionType::Parallel,
            vec![ExecutionType::Sequential, ExecutionType::Parallel],
        ),
        (
            vec![several(), conditional()],
            ExecutionType::Conditional,
            vec![ExecutionType::Parallel, ExecutionType::Conditional],
        ),
    ];
    for (stages, chain, each) in cases {
        let history = history(stages);
        assert_eq!(history.session.chain.kind, chain);
        let types: Vec<_> = history.stage_executions.iter().map(|stage| stage.execution_type).collect();
        assert_eq!(types, each);
    }
}

#[test]
fn a_node_has_errors_if_anything_in_it_failed() {
    use WorkStatus::*;
    let cases = [
        (Completed, Completed, false),
        (Completed, Failed, true),
        (Failed, Failed, true),
        (TimedOut, TimedOut, true),
        (Cancelled, Cancelled, true),
        (Active, Active, false),
        (Active, Failed, true),
    ];
    for (of_stage, of_agent, expected) in cases {
        let mut stage = stage("collect", of_stage, &["A"]);
        stage.executions = vec![execution("A", ExecutionKind::Agent, of_agent)];
        assert_eq!(ChainNodeResponse::new(&stage).has_errors, expected, "{of_stage} with {of_agent}");
    }
}

#[test]
fn parallel_agents_have_individual_results() {
    let mut collect = stage("collect", WorkStatus::Completed, &["A", "B"]);
    collect.executions = vec![
        execution("A", ExecutionKind::Agent, WorkStatus::Completed),
        execution("B", ExecutionKind::Agent, WorkStatus::Failed),
        execution("SynthesisAgent", ExecutionKind::Synthesis, WorkStatus::Completed),
    ];
    let conclude = stage("conclude", WorkStatus::Completed, &["C"]);
    let history = serde_json::to_value(history(vec![collect, conclude])).unwrap();

    assert_eq!(
        history["stage_executions"][0],
        json!({
            "stage_id": "collect", "status": "completed", "started_at_us": 1000, "completed_at_us": 5000,
            "duration_ms": 4, "llm_interaction_count": 6, "mcp_communication_count": 3, "stage_output": null,
            "error_message": null, "execution_type": "parallel", "agent": null, "agents": ["A", "B"],
            "parallel_results": [
                { "agent": "A", "status": "completed", "duration_ms": 3, "result": "A knows.", "error_message": null },
                { "agent": "B", "status": "failed", "duration_ms": 3, "result": null, "error_message": "B broke." },
            ],
            "routing_decision": null, "execution_path": null,
        })
    );
    assert_eq!(history["stage_executions"][1]["agent"], "C");
    assert_eq!(history["stage_executions"][1]["parallel_results"], Value::Null);
    assert_eq!(
        history["chain"]["nodes"],
        json!([
            { "id": "collect", "agent": "A, B", "status": "completed", "has_errors": true },
            { "id": "conclude", "agent": "C", "status": "completed", "has_errors": false },
        ])
    );
}

fn event(
    (stage_id, execution_id): (Option<tarsy_domain::StageId>, Option<ExecutionId>),
    event_type: TimelineEventType,
    content: &str,
    (created, completed): (i64, i64),
) -> TimelineEvent {
    TimelineEvent {
        position: 1,
        execution_id,
        sequence: None,
        completed_at: at(completed),
        entry: NewTimelineEvent {
            timeline_event_id: TimelineEventId::new(),
            stage_id,
            event_type,
            content: content.to_owned(),
            metadata: r#"{"tool_call_id":"c1"}"#.to_owned(),
            created_at: at(created),
        },
    }
}

#[test]
fn an_event_names_its_stage_and_agent() {
    let mut collect = stage("collect", WorkStatus::Active, &["A"]);
    collect.executions = vec![execution("A", ExecutionKind::Agent, WorkStatus::Active)];
    let (stage_id, execution_id) = (collect.stage.stage_id, collect.executions[0].identity.execution_id);
    let investigation = investigation(session(SessionStatus::InProgress), vec![collect]);
    let none = CallDurations::default();
    let place = (Some(stage_id), Some(execution_id));
    let inside = event(place, TimelineEventType::ToolCall, "\n  df -h  \nmore", (5, 7));
    let inside = history_event(&investigation, &none, inside).unwrap();
    assert_eq!(inside.step_description, "df -h");
    assert_eq!((inside.timestamp_us, inside.duration_ms), (at(5), None));
    assert_eq!(inside.stage_context.map(|context| context.stage_id).as_deref(), Some("collect"));
    assert_eq!((inside.parallel_context, inside.routing_context), (None, None));
    assert_eq!(
        Value::from(inside.details),
        json!({ "tool_call_id": "c1", "agent": "A", "content": "\n  df -h  \nmore" })
    );

    let outside = event((None, Some(ExecutionId::new())), TimelineEventType::ToolCall, "", (5, 7));
    let outside = history_event(&investigation, &none, outside).unwrap();
    assert_eq!((outside.stage_context, outside.step_description.as_str()), (None, ""));
    assert_eq!(outside.details["agent"], Value::Null);
}

#[test]
fn an_event_of_a_parallel_agent_has_its_position() {
    let mut collect = stage("collect", WorkStatus::Completed, &["A", "B"]);
    collect.executions = vec![
        execution("B", ExecutionKind::Agent, WorkStatus::Completed),
        execution("SynthesisAgent", ExecutionKind::Synthesis, WorkStatus::Completed),
    ];
    let ids: Vec<_> = collect.executions.iter().map(|run| run.identity.execution_id).collect();
    let stage_id = collect.stage.stage_id;
    let investigation = investigation(session(SessionStatus::Completed), vec![collect]);
    let context = |execution_id| {
        let event = event((Some(stage_id), execution_id), TimelineEventType::LlmThinking, "x", (1, 2));
        let event = history_event(&investigation, &CallDurations::default(), event).unwrap();
        serde_json::to_value([json!(event.stage_context), json!(event.parallel_context)]).unwrap()
    };
    let parallel = |index: Value| json!({ "parallel_group": "collect", "agent_group": "collect", "agents": ["A", "B"], "parallel_index": index });
    let of_agent = context(Some(ids[0]));
    assert_eq!(of_agent[1], parallel(json!(1)));
    let expected = json!({
        "stage_id": "collect", "agent": "B", "agents": ["A", "B"], "execution_type": "parallel",
        "parallel_group": "collect", "routing_path": null,
    });
    assert_eq!(of_agent[0], expected);
    assert_eq!(context(Some(ids[1]))[1], parallel(Value::Null));
    let of_stage = context(None);
    assert_eq!((&of_stage[0]["agent"], &of_stage[1]), (&Value::Null, &parallel(Value::Null)));
}

#[test]
fn routing_names_the_way_through_the_chain() {
    let condition = Some("severity == 'page'".to_owned());
    let mut deep = InvestigationStage { condition, ..stage("deep", WorkStatus::Skipped, &["B"]) };
    deep.stage.routing_reason = Some("Skipped: the severity is `warning`.".to_owned());
    let stages =
        vec![stage("look", WorkStatus::Completed, &["A"]), deep, stage("sum", WorkStatus::Completed, &["C"])];
    let deep_id = stages[1].stage.stage_id;
    let investigation = investigation(session(SessionStatus::Completed), stages);
    let decided = event((Some(deep_id), None), TimelineEventType::RoutingDecision, "Skipped", (1, 1));
    let history = HistorySessionResponse::new(investigation, vec![decided], Vec::new()).unwrap();
    let history = serde_json::to_value(history).unwrap();

    assert_eq!(
        history["chronological_timeline"][0]["routing_context"],
        json!({ "decision_point": "deep", "chosen_path": "sum", "skipped_paths": ["deep"] })
    );
    let decision = json!({
        "condition": "severity == 'page'", "decision": "skip", "reason": "Skipped: the severity is `warning`.",
    });
    assert_eq!(history["stage_executions"][1]["routing_decision"], decision);
    assert_eq!(history["stage_executions"][0]["routing_decision"], Value::Null);
    assert_eq!(history["stage_executions"][2]["execution_path"], json!(["look", "sum"]));
    assert_eq!((&history["completed_stages"], &history["chain"]["type"]), (&json!(2), &json!("conditional")));
}

#[test]
fn an_entry_has_the_duration_of_its_call() {
    let execution_id = ExecutionId::new();
    let call = |started: i64, duration_ms, callee| TracedCall {
        interaction_id: InteractionId::new(),
        execution_id,
        step: 1,
        started_at: at(started),
        duration_ms,
        error_message: None,
        callee,
    };
    let model = |kind| Callee::Model {
        kind,
        iteration: 1,
        provider: "p".to_owned(),
        model: "m".to_owned(),
        usage: TokenUsage::default(),
        error_kind: None,
    };
    let tool = |id: &str| Callee::Tool {
        kind: ToolRunKind::ToolCall,
        server: "s".to_owned(),
        tool: Some("t".to_owned()),
        tool_call_id: Some(id.to_owned()),
    };
    // The model repeats the id of its call in the second iteration.
    let durations = CallDurations::new(vec![
        call(10, 100, model(LlmCallKind::Iteration)),
        call(120, 7, tool("c0")),
        call(121, 30, tool("c1")),
        call(160, 5, model(LlmCallKind::ToolSummary)),
        call(200, 200, model(LlmCallKind::Iteration)),
        call(420, 40, tool("c1")),
    ]);
    let of = |event_type, created, completed| {
        let event = event((None, Some(execution_id)), event_type, "x", (created, completed));
        let metadata = serde_json::from_str(&event.entry.metadata).unwrap();
        durations.of(&event, &metadata)
    };
    let cases = [
        (TimelineEventType::LlmThinking, 20, 111, Some(100)),
        (TimelineEventType::ToolCall, 111, 111, Some(30)),
        (TimelineEventType::ToolResult, 152, 152, Some(30)),
        (TimelineEventType::McpToolSummary, 170, 170, Some(5)),
        (TimelineEventType::FinalAnalysis, 401, 401, Some(200)),
        (TimelineEventType::ToolCall, 401, 401, Some(40)),
        (TimelineEventType::ToolResult, 461, 461, Some(40)),
        (TimelineEventType::LlmThinking, 1, 5, None),
        (TimelineEventType::Warning, 500, 500, None),
    ];
    for (event_type, created, completed, expected) in cases {
        assert_eq!(of(event_type, created, completed), expected, "{event_type} {created}");
    }
    let other = event((None, Some(ExecutionId::new())), TimelineEventType::LlmThinking, "x", (500, 500));
    assert_eq!(durations.of(&other, &serde_json::Map::new()), None);
}

#[test]
fn truncates_a_long_line_at_a_character_boundary() {
    assert_eq!(first_line(&"ü".repeat(120)), "ü".repeat(120));
    assert_eq!(first_line(&"ü".repeat(121)), format!("{}…", "ü".repeat(120)));
}
