use tarsy_domain::ExecutionKind;

use super::*;
use crate::view::fixture::{execution, investigation, session, stage};

#[test]
fn progress_follows_the_stages_and_reaches_100_only_at_the_end() {
    use SessionStatus::*;
    let cases = [
        (Pending, 0, 2, 0),
        (InProgress, 0, 2, 0),
        (InProgress, 1, 3, 33),
        (Cancelling, 1, 2, 50),
        (InProgress, 2, 2, 99),
        (InProgress, 0, 0, 0),
        (Completed, 2, 2, 100),
        (Failed, 0, 2, 100),
        (Cancelled, 0, 2, 100),
    ];
    for (status, stages_done, stages_total, expected) in cases {
        let session = Session { stages_done, stages_total, ..session(status) };
        assert_eq!(percent(&session), expected, "{status} {stages_done}/{stages_total}");
    }
}

#[test]
fn lists_every_agent_of_every_stage() {
    let mut collect = stage("collect", WorkStatus::Active, &["Disk-1", "Disk-2", "Disk-3"]);
    collect.executions = vec![
        execution("Disk-1", ExecutionKind::Agent, WorkStatus::Failed),
        execution("Disk-2", ExecutionKind::Agent, WorkStatus::Active),
        execution("SynthesisAgent", ExecutionKind::Synthesis, WorkStatus::Active),
    ];
    let mut skipped = stage("repair", WorkStatus::Skipped, &["Fixer"]);
    skipped.stage.error_message = Some("not needed".to_owned());
    let session =
        Session { current_step: Some("Disk-2: thinking".to_owned()), ..session(SessionStatus::InProgress) };

    let status = ProcessingStatusResponse::from(investigation(session, vec![collect, skipped]));

    assert_eq!(status.current_stage.as_deref(), Some("collect"));
    assert_eq!(status.message, "Disk-2: thinking");
    let expected = |stage: &str, agent: &str, status, duration_ms, error: Option<&str>| StageProgress {
        stage: stage.to_owned(),
        agent: agent.to_owned(),
        status,
        duration_ms,
        error: error.map(str::to_owned),
    };
    assert_eq!(
        status.stage_progress,
        [
            expected("collect", "Disk-1", WorkStatus::Failed, Some(3), Some("Disk-1 broke.")),
            expected("collect", "Disk-2", WorkStatus::Active, None, None),
            expected("collect", "Disk-3", WorkStatus::Active, None, None),
            expected("repair", "Fixer", WorkStatus::Skipped, None, Some("not needed")),
        ]
    );
}

#[test]
fn every_status_has_a_message() {
    for status in SessionStatus::ALL {
        let message = message(&session(*status));
        assert!(message.ends_with('.'), "{status}: {message}");
    }
}
