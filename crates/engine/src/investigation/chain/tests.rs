use std::fs;

use tarsy_config::{Config, Environment};
use tarsy_domain::StageId;

use super::*;

const CHAIN: &str = "
agent_chains:
  test:
    alert_types: [test]
    stages:
      - { name: collect, agent: KubernetesAgent }
      - { name: deep, agent: KubernetesAgent, when: 'severity == \"critical\"' }
      - { name: conclude, agent: KubernetesAgent }
";

fn chain(on_stage_failure: OnStageFailure) -> ResolvedChain {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tarsy.yaml"), CHAIN).unwrap();
    let config = Config::load(Some(folder.path()), &Environment::default()).unwrap().config;
    ResolvedChain { on_stage_failure, ..config.resolved_chain("test").unwrap() }
}

fn stages(statuses: [WorkStatus; 3]) -> Vec<Stage> {
    let stage = |(stage_index, (name, status)): (u64, (&str, WorkStatus))| Stage {
        stage_id: StageId::new(),
        stage_index,
        name: name.to_owned(),
        status,
        started_at: None,
        completed_at: None,
        analysis: (status == WorkStatus::Completed).then(|| format!("{name} found it.")),
        error_message: has_failed(status).then(|| "no reply".to_owned()),
        routing_reason: None,
    };
    (0..).zip(["collect", "deep", "conclude"].into_iter().zip(statuses)).map(stage).collect()
}

#[test]
fn decides_the_next_step_from_the_recorded_stages() {
    use WorkStatus::{Active, Completed, Failed, Pending, Skipped, TimedOut};
    let (critical, info) = (r#"{"severity": "critical"}"#, r#"{"severity": "info"}"#);
    let run = |index, reason: Option<&str>| NextStep::Run { index, reason: reason.map(str::to_owned) };
    let skip = |index, reason: &str| NextStep::Skip { index, reason: reason.to_owned() };
    let holds = "its condition holds: severity == \"critical\"";
    let does_not_hold = "its condition does not hold: severity == \"critical\"";
    let continues = chain(OnStageFailure::Continue);
    for (statuses, alert, expected) in [
        ([Pending, Pending, Pending], info, run(0, None)),
        ([Active, Pending, Pending], info, run(0, None)),
        ([Completed, Pending, Pending], critical, run(1, Some(holds))),
        ([Completed, Pending, Pending], info, skip(1, does_not_hold)),
        ([Completed, Active, Pending], info, run(1, None)),
        ([Completed, Skipped, Pending], info, run(2, None)),
        ([Failed, Skipped, Pending], info, run(2, None)),
        ([Completed, Skipped, Completed], info, NextStep::Conclude),
    ] {
        assert_eq!(next(&continues, &stages(statuses), alert), expected, "{statuses:?}");
    }
    let stops = chain(OnStageFailure::Stop);
    let timed_out = skip(1, "stage `collect` ran out of time, and the chain stops at a failure");
    assert_eq!(next(&stops, &stages([TimedOut, Pending, Pending]), critical), timed_out);
    assert_eq!(
        next(&stops, &stages([Failed, Active, Pending]), critical),
        run(1, None),
        "it was started before"
    );
}

#[test]
fn the_status_of_a_session_follows_from_its_stages() {
    use WorkStatus::{Completed, Failed, Skipped, TimedOut};
    for (statuses, status, analysis, error) in [
        ([Completed, Skipped, Completed], SessionStatus::Completed, Some("conclude found it."), None),
        (
            [Completed, Failed, Skipped],
            SessionStatus::CompletedWithErrors,
            Some("collect found it."),
            Some("stage `deep` failed: no reply"),
        ),
        (
            [Failed, TimedOut, Skipped],
            SessionStatus::Failed,
            None,
            Some("stage `collect` failed: no reply; stage `deep` ran out of time: no reply"),
        ),
    ] {
        let expected = SessionConclusion {
            status,
            final_analysis: analysis.map(str::to_owned),
            error_message: error.map(str::to_owned),
        };
        assert_eq!(conclude(&stages(statuses), &[], None), expected);
    }
}

#[test]
fn a_session_without_data_says_so_unless_it_failed() {
    use WorkStatus::{Completed, Failed, Skipped};
    let without_data = |statuses| conclude(&stages(statuses), &[], Some("no agent called a tool"));
    let ended = without_data([Completed, Skipped, Completed]);
    assert_eq!(ended.status, SessionStatus::CompletedWithErrors);
    let expected = "**No data was collected:** none of the agents got a result from a tool (no agent called a tool). The \
                    following is based on the alert text alone.\n\nconclude found it.";
    assert_eq!(ended.final_analysis.as_deref(), Some(expected));
    assert_eq!(ended.error_message.as_deref(), Some("no data was collected: no agent called a tool"));
    let ended = without_data([Failed, Skipped, Skipped]);
    assert_eq!(ended.status, SessionStatus::Failed);
    assert_eq!(ended.error_message.as_deref(), Some("stage `collect` failed: no reply"));
}

#[test]
fn a_session_without_any_stage_that_ran_has_a_text() {
    let mut skipped = stages([WorkStatus::Skipped; 3]);
    for stage in &mut skipped {
        stage.routing_reason = Some("its condition does not hold".to_owned());
    }
    let ended = conclude(&skipped, &[], None);
    assert_eq!((ended.status, ended.error_message), (SessionStatus::Completed, None));
    let expected = "**Nothing was investigated.** All stages of the chain were skipped:\n\n\
                    - `collect`: its condition does not hold\n- `deep`: its condition does not hold\n\
                    - `conclude`: its condition does not hold";
    assert_eq!(ended.final_analysis.as_deref(), Some(expected));
}
