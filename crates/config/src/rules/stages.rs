//! The rules on stages: names are unique, agents are given in one way, conditions refer to earlier stages.
//!
//! `references` checks that the agents exist.

use tarsy_domain::Condition;

use super::RuleContext;
use crate::file::StageConfig;
use crate::path::Path;
use crate::suggest::list;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (id, chain) in &file.agent_chains {
        let path = Path::entry("agent_chains", id).key("stages");
        for (index, stage) in chain.stages.iter().enumerate() {
            let path = path.index(index);
            unique_name(context, &path, stage, &chain.stages[..index]);
            agents(context, &path, stage);
            replicas(context, &path, stage);
            condition(context, &path, stage, &chain.stages[..index]);
        }
    }
}

fn unique_name(context: &mut RuleContext<'_>, path: &Path, stage: &StageConfig, earlier: &[StageConfig]) {
    let Some(index) = earlier.iter().position(|other| other.name == stage.name) else { return };
    let first = path.parent().unwrap_or_default().index(index).key("name");
    let name = path.key("name");
    let message = format!(
        "duplicate stage name `{}`, first used at {}",
        context.locations.shown(&name),
        context.locations.line(&first)
    );
    context.error(&name, message);
}

fn agents(context: &mut RuleContext<'_>, path: &Path, stage: &StageConfig) {
    // An invalid key counts as set, to avoid a follow-up error.
    let is_invalid = |key| context.locations.is_invalid(&path.key(key));
    match (stage.agent.is_some() || is_invalid("agent"), stage.agents.is_some() || is_invalid("agents")) {
        (true, true) => {
            context.error_at_key(
                &path.key("agents"),
                "`agent` and `agents` cannot be combined; remove one of them",
            );
        }
        (false, false) => {
            context.error_at_key(path, "a stage requires `agent`, or `agents` for several in parallel");
        }
        (true, false) | (false, true) => {}
    }
}

fn replicas(context: &mut RuleContext<'_>, path: &Path, stage: &StageConfig) {
    let several = stage.agents.as_ref().is_some_and(|agents| agents.len() > 1);
    if several && stage.replicas.is_some_and(|replicas| replicas > 1) {
        let message =
            "`replicas` requires a single agent; with several, list each agent as often as it should run";
        context.error_at_key(&path.key("replicas"), message);
    }
}

fn condition(context: &mut RuleContext<'_>, path: &Path, stage: &StageConfig, earlier: &[StageConfig]) {
    let path = path.key("when");
    let Some(text) = &stage.when else { return };
    // A condition that does not parse was reported by the reader.
    let Ok(condition) = Condition::parse(text) else { return };
    let stages = path.parent().and_then(|stage| stage.parent()).unwrap_or_default();
    let names: Vec<Path> = (0..earlier.len()).map(|index| stages.index(index).key("name")).collect();
    if names.iter().any(|name| context.locations.is_invalid(name)) {
        return;
    }
    let known = match names.as_slice() {
        [] => "this is the first stage".to_owned(),
        names => format!("earlier stages: {}", list(names.iter().map(|name| context.locations.shown(name)))),
    };
    let is_earlier = |name: &str| earlier.iter().any(|stage| stage.name == name);
    for name in condition.stages().into_iter().filter(|name| !is_earlier(name)) {
        not_earlier(context, &path, text, name, &known);
    }
}

fn not_earlier(context: &mut RuleContext<'_>, path: &Path, text: &str, name: &str, known: &str) {
    // If a variable was expanded, the name may be its value, which must not be shown.
    if context.locations.shown(path) == text {
        let message = format!("`{name}` is not an earlier stage of this chain; {known}");
        let offset = text.find(name).unwrap_or_default();
        context.diagnostics.push(context.locations.error_inside(path, text, offset, message));
    } else {
        let message =
            format!("the condition refers to a stage that is not an earlier stage of this chain; {known}");
        context.error(path, message);
    }
}
