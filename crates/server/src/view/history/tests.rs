use tarsy_domain::{ExecutionId, ExecutionKind};
use tarsy_store::NewTimelineEvent;

use super::*;
use crate::view::fixture::{at, execution, investigation, session, stage};

fn history(stages: Vec<InvestigationStage>) -> HistorySessionResponse {
    HistorySessionResponse::new(investigation(session(SessionStatus::Completed), stages), Vec::new()).unwrap()
}

#[test]
fn a_chain_has_the_most_complex_type_of_its_stages() {
    let one = || stage("one", WorkStatus::Completed, &["A"]);
    let several = || stage("several", WorkStatus::Completed, &["A", "B"]);
    let conditional = || InvestigationStage { is_conditional: true, ..one() };
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
        assert_eq!(history.chain.kind, chain);
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
        assert_eq!(chain_node(&stage).has_errors, expected, "{of_stage} with {of_agent}");
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
            "routing_decision": null,
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

#[test]
fn an_event_names_its_stage_and_agent() {
    let mut collect = stage("collect", WorkStatus::Active, &["A"]);
    collect.executions = vec![execution("A", ExecutionKind::Agent, WorkStatus::Active)];
    let (stage_id, execution_id) = (collect.stage.stage_id, collect.executions[0].identity.execution_id);
    let investigation = investigation(session(SessionStatus::InProgress), vec![collect]);
    let event = |stage_id, execution_id, content: &str| TimelineEvent {
        position: 1,
        execution_id,
        sequence: None,
        completed_at: at(7),
        entry: NewTimelineEvent {
            timeline_event_id: TimelineEventId::new(),
            stage_id,
            event_type: TimelineEventType::ToolCall,
            content: content.to_owned(),
            metadata: r#"{"tool":"df"}"#.to_owned(),
            created_at: at(5),
        },
    };
    let inside =
        history_event(&investigation, event(Some(stage_id), Some(execution_id), "\n  df -h  \nmore"))
            .unwrap();
    assert_eq!(inside.step_description, "df -h");
    assert_eq!((inside.timestamp_us, inside.duration_ms), (at(5), Some(2)));
    assert_eq!(inside.stage_context.as_deref(), Some("collect"));
    assert_eq!(
        Value::from(inside.details),
        json!({ "tool": "df", "agent": "A", "content": "\n  df -h  \nmore" })
    );

    let outside = history_event(&investigation, event(None, Some(ExecutionId::new()), "")).unwrap();
    assert_eq!((outside.stage_context, outside.step_description.as_str()), (None, ""));
    assert_eq!(outside.details["agent"], Value::Null);
}

#[test]
fn truncates_a_long_line_at_a_character_boundary() {
    assert_eq!(first_line(&"ü".repeat(120)), "ü".repeat(120));
    assert_eq!(first_line(&"ü".repeat(121)), format!("{}…", "ü".repeat(120)));
}
