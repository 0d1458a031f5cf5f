//! The rule on the strategy of a stage: agents that merge results or write the executive summary can use it.
//!
//! Such agents have strategies of their own. Without this rule, the strategy of the stage would be ignored.

use super::RuleContext;
use crate::agent_name;
use crate::file::{AgentType, StageConfig};
use crate::path::Path;
use crate::suggest::list;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (id, chain) in &file.agent_chains {
        let path = Path::entry("agent_chains", id).key("stages");
        for (index, stage) in chain.stages.iter().enumerate() {
            check_stage(context, &path.index(index), stage);
        }
    }
}

fn check_stage(context: &mut RuleContext<'_>, path: &Path, stage: &StageConfig) {
    let Some(strategy) = stage.iteration_strategy else { return };
    for (name, agent_type) in agents_without_strategy(context, stage) {
        if let Some(supported) = agent_type.stage_strategies().filter(|known| !known.contains(&strategy)) {
            let path = path.key("iteration_strategy");
            let message = format!(
                "agent `{name}` of type `{}` cannot use the strategy `{}`; use one of: {}; or set `iteration_strategy` of \
                 each agent under `agents`",
                agent_type.as_str(),
                context.locations.shown(&path),
                list(supported.iter().map(|known| known.as_str()))
            );
            context.error(&path, message);
        }
    }
}

/// Returns the agents of a stage that do not set a strategy of their own, with their types.
fn agents_without_strategy<'a>(
    context: &RuleContext<'a>,
    stage: &'a StageConfig,
) -> Vec<(&'a str, AgentType)> {
    let (file, builtin) = (context.file, context.builtin);
    let defined = |name: &str| {
        let agent = file.agents.get(name).or_else(|| builtin.agents.get(name));
        agent.map(|agent| agent.r#type).unwrap_or_default()
    };
    let single = stage.agent.iter().map(|name| (agent_name(name), defined(agent_name(name))));
    let listed = stage.agents.iter().flatten().filter(|own| own.iteration_strategy.is_none()).map(|own| {
        let name = agent_name(&own.name);
        (name, own.r#type.unwrap_or_else(|| defined(name)))
    });
    single.chain(listed).collect()
}
