//! The final text of a session: its analysis, or what is known instead. Pure.

use tarsy_domain::{ExecutionKind, WorkStatus};
use tarsy_store::{Execution, Stage};

/// Returns the final text: the analysis of the last completed stage, and before it what the agents of later
/// stages found. Without any of them, the last texts of agents that did not finish.
pub(crate) fn final_text(stages: &[Stage], executions: &[Execution]) -> Option<String> {
    let concluded = stages.iter().rposition(has_analysis);
    let later = &stages[concluded.map_or(0, |index| index + 1)..];
    let concluded = concluded.and_then(|index| stages.get(index));
    let found: Vec<String> = later.iter().filter_map(|stage| findings(stage, executions)).collect();
    if !found.is_empty() {
        return Some(without_conclusion(&found, concluded));
    }
    match concluded {
        Some(stage) => stage.analysis.clone(),
        None => {
            let last = stages.iter().rev().find_map(|stage| texts_of_agents(stage, executions))?;
            Some(without_conclusion(&[last], None))
        }
    }
}

/// Returns whether a stage completed with an analysis.
pub(crate) fn has_analysis(stage: &Stage) -> bool {
    stage.status == WorkStatus::Completed && stage.analysis.is_some()
}

/// Returns the text of a session whose stages were all skipped.
pub(crate) fn skipped_text(stages: &[Stage]) -> Option<String> {
    let all_skipped = !stages.is_empty() && stages.iter().all(|stage| stage.status == WorkStatus::Skipped);
    let line = |stage: &Stage| {
        let reason = stage.routing_reason.as_deref().or(stage.error_message.as_deref());
        format!("- `{}`: {}", stage.name, reason.unwrap_or("no reason is recorded"))
    };
    all_skipped.then(|| {
        let stages: Vec<String> = stages.iter().map(line).collect();
        format!(
            "**Nothing was investigated.** All stages of the chain were skipped:\n\n{}",
            stages.join("\n")
        )
    })
}

/// Returns the text of a session in which no agent got a result from a tool.
pub(crate) fn without_data(reason: &str, analysis: &str) -> String {
    format!(
        "**No data was collected:** none of the agents got a result from a tool ({reason}). The following is based \
         on the alert text alone.\n\n{analysis}"
    )
}

fn without_conclusion(found: &[String], concluded: Option<&Stage>) -> String {
    let earlier = concluded.and_then(|stage| Some((stage, stage.analysis.as_ref()?)));
    let earlier = earlier.map(|(stage, analysis)| {
        format!("\n\n## Analysis of the earlier stage `{}`\n\n{analysis}", stage.name)
    });
    format!("**No conclusion was reached.** {}{}", found.join("\n\n"), earlier.unwrap_or_default())
}

/// Returns what the agents of a stage without a result found, if one of them completed.
fn findings(stage: &Stage, executions: &[Execution]) -> Option<String> {
    let mut agents = agents_of(stage, executions).into_iter();
    agents.find(|agent| agent.status == WorkStatus::Completed && agent.final_analysis.is_some())?;
    texts_of_agents(stage, executions)
}

/// Returns the texts of all agents of a stage, each under its name.
fn texts_of_agents(stage: &Stage, executions: &[Execution]) -> Option<String> {
    let agents = agents_of(stage, executions);
    let texts = agents.into_iter().filter_map(|agent| Some((agent, agent.final_analysis.as_deref()?)));
    let section = |(agent, text): (&Execution, &str)| {
        let name = &agent.identity.agent_name;
        let how = if agent.status == WorkStatus::Completed { "" } else { " (did not finish; its last text)" };
        format!("### {name}{how}\n\n{text}")
    };
    let sections: Vec<String> = texts.map(section).collect();
    let lead = format!("Stage `{}` has no result. The texts of its agents:", stage.name);
    (!sections.is_empty()).then(|| format!("{lead}\n\n{}", sections.join("\n\n")))
}

/// Returns the agents of a stage in the order of the configuration.
fn agents_of<'a>(stage: &Stage, executions: &'a [Execution]) -> Vec<&'a Execution> {
    let of_stage = |one: &&Execution| {
        one.identity.stage_id == Some(stage.stage_id) && one.identity.kind == ExecutionKind::Agent
    };
    let mut agents: Vec<&Execution> = executions.iter().filter(of_stage).collect();
    agents.sort_by_key(|agent| agent.identity.agent_index);
    agents
}
