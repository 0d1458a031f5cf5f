//! Values for the tests of the views.

use tarsy_config::{Config, Environment};
use tarsy_domain::{
    ExecutionId, ExecutionKind, IterationStrategy, SessionId, SessionStatus, StageId, Timestamp, TokenUsage,
    WorkStatus,
};
use tarsy_store::{Execution, NewExecution, Session, SessionInput, Stage};

use super::investigation::{Investigation, InvestigationStage};

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_micros(millis * 1000)
}

pub(crate) fn session(status: SessionStatus) -> Session {
    Session {
        session_id: SessionId::new(),
        alert_id: "alert-1".to_owned(),
        alert_type: "disk".to_owned(),
        chain_id: "disk-chain".to_owned(),
        author: None,
        status,
        created_at: at(0),
        started_at: Some(at(1)),
        completed_at: status.is_terminal().then_some(at(9)),
        cancel_requested_at: None,
        interrupted: std::time::Duration::ZERO,
        cancel_requested_by: None,
        worker: None,
        current_step: None,
        error_message: None,
        executive_summary: None,
        final_analysis: None,
        stages_total: 2,
        stages_done: 0,
        stages_failed: 0,
        llm_interactions: 3,
        mcp_interactions: 2,
        timeline_events: 0,
        usage: TokenUsage::default(),
    }
}

pub(crate) fn stage(name: &str, status: WorkStatus, agents: &[&str]) -> InvestigationStage {
    let started = status != WorkStatus::Pending && status != WorkStatus::Skipped;
    InvestigationStage {
        stage: Stage {
            stage_id: StageId::new(),
            stage_index: 0,
            name: name.to_owned(),
            status,
            started_at: started.then_some(at(1)),
            completed_at: status.is_terminal().then_some(at(5)),
            analysis: None,
            error_message: None,
            routing_reason: None,
        },
        agents: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        condition: None,
        executions: Vec::new(),
    }
}

pub(crate) fn execution(agent: &str, kind: ExecutionKind, status: WorkStatus) -> Execution {
    Execution {
        identity: NewExecution {
            execution_id: ExecutionId::new(),
            stage_id: None,
            kind,
            agent_index: 0,
            agent_name: agent.to_owned(),
            iteration_strategy: IterationStrategy::React,
            llm_provider: "replay".to_owned(),
        },
        status,
        started_at: at(1),
        completed_at: status.is_terminal().then_some(at(4)),
        final_analysis: (status == WorkStatus::Completed).then(|| format!("{agent} knows.")),
        error_message: (status == WorkStatus::Failed).then(|| format!("{agent} broke.")),
        llm_interactions: 2,
        mcp_interactions: 1,
        usage: TokenUsage::default(),
    }
}

pub(crate) fn input() -> SessionInput {
    SessionInput {
        alert_data: "The disk is full.".to_owned(),
        runbook: None,
        mcp_selection: None,
        slack_message_fingerprint: None,
        chain_snapshot: "{}".to_owned(),
        masked_values: None,
    }
}

pub(crate) fn investigation(session: Session, stages: Vec<InvestigationStage>) -> Investigation {
    Investigation { session, input: input(), chain: serde_json::Map::new(), stages, others: Vec::new() }
}

/// Returns the snapshot of the built-in chain for an alert type.
pub(crate) fn snapshot(alert_type: &str) -> String {
    let config = Config::load(None, &Environment::default()).unwrap().config;
    serde_json::to_string(&config.chain_for_alert_type(alert_type).unwrap()).unwrap()
}
