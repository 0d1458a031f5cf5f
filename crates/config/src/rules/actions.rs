//! The rule on agents of type `action`: they are rejected, because nothing restrains their tool calls yet.
//!
//! An agent of this type is meant to change the system that it investigates. Run as an ordinary agent, it would
//! do so without approval.

use super::RuleContext;
use crate::agent_name;
use crate::file::{AgentType, ChainConfig, StageConfig};
use crate::path::Path;
use crate::suggest::list;

const REASON: &str =
    "agents of type `action` are not supported yet: they would run their tools without approval";

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (name, _) in file.agents.iter().filter(|(_, agent)| agent.r#type == AgentType::Action) {
        let stages = stages_with(context, name);
        let stages = list(stages.iter().map(String::as_str));
        let advice = match stages.as_str() {
            "" => "remove this agent".to_owned(),
            stages => format!("remove this agent from {stages}, and its definition"),
        };
        context.error(&Path::entry("agents", name).key("type"), format!("{REASON}; {advice}"));
    }
    for (id, chain) in &file.agent_chains {
        for (index, stage) in chain.stages.iter().enumerate() {
            stage_agents(context, id, &Path::entry("agent_chains", id).key("stages").index(index), stage);
        }
    }
}

fn stage_agents(context: &mut RuleContext<'_>, chain: &str, path: &Path, stage: &StageConfig) {
    let agents = stage.agents.iter().flatten().enumerate();
    for (index, _) in agents.filter(|(_, agent)| agent.r#type == Some(AgentType::Action)) {
        let shown = context.locations.shown(&path.key("name"));
        let advice = match stage.agents.as_ref().map(Vec::len) {
            Some(2..) => format!("remove this agent from stage `{shown}` of chain `{chain}`"),
            Some(_) | None => format!("remove stage `{shown}` from chain `{chain}`"),
        };
        let message = format!("{REASON}; {advice}");
        context.error(&path.key("agents").index(index).key("type"), message);
    }
}

/// Returns the stages that use an agent, for messages.
fn stages_with(context: &RuleContext<'_>, name: &str) -> Vec<String> {
    let uses = |stage: &StageConfig| {
        let listed = stage.agents.iter().flatten().map(|agent| &agent.name);
        stage.agent.iter().chain(listed).any(|agent| agent_name(agent) == name)
    };
    let of_chain = |id: &str, chain: &ChainConfig| {
        let path = Path::entry("agent_chains", id).key("stages");
        let used = chain.stages.iter().enumerate().filter(|(_, stage)| uses(stage));
        used.map(|(index, _)| {
            let stage = context.locations.shown(&path.index(index).key("name"));
            format!("stage `{stage}` of chain `{id}`")
        })
        .collect::<Vec<_>>()
    };
    context.file.agent_chains.iter().flat_map(|(id, chain)| of_chain(id, chain)).collect()
}
