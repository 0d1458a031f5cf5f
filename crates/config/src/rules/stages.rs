//! The rules on stages: a unique name, agents given in one way, and conditions on earlier stages only.
//!
//! Whether the agents exist is the rule on references.

use tarsy_domain::Condition;

use super::Check;
use crate::file::Stage;
use crate::path::Path;
use crate::suggest::list;

pub(super) fn check(check: &mut Check<'_>) {
    let file = check.file;
    for (id, chain) in &file.agent_chains {
        let path = Path::entry("agent_chains", id).key("stages");
        for (index, stage) in chain.stages.iter().enumerate() {
            let path = path.index(index);
            unique_name(check, &path, stage, &chain.stages[..index]);
            agents(check, &path, stage);
            replicas(check, &path, stage);
            condition(check, &path, stage, &chain.stages[..index]);
        }
    }
}

fn unique_name(check: &mut Check<'_>, path: &Path, stage: &Stage, earlier: &[Stage]) {
    let Some(index) = earlier.iter().position(|other| other.name == stage.name) else { return };
    let first = path.parent().unwrap_or_default().index(index).key("name");
    let name = path.key("name");
    let message = format!(
        "another stage of this chain is already called `{}`, {}",
        check.places.shown(&name),
        check.places.line(&first)
    );
    check.fault(&name, message);
}

fn agents(check: &mut Check<'_>, path: &Path, stage: &Stage) {
    // A faulty one is there, only wrong.
    let is_faulty = |key| check.places.is_faulty(&path.key(key));
    match (stage.agent.is_some() || is_faulty("agent"), stage.agents.is_some() || is_faulty("agents")) {
        (true, true) => {
            check.fault_at_key(&path.key("agents"), "a stage has either `agent` or `agents`, not both");
        }
        (false, false) => check.fault_at_key(path, "a stage needs `agent`, or `agents` for several at once"),
        (true, false) | (false, true) => {}
    }
}

fn replicas(check: &mut Check<'_>, path: &Path, stage: &Stage) {
    if stage.replicas.is_some() && stage.agents.is_some() {
        let message = "`replicas` goes with `agent`; with `agents`, list the agent several times";
        check.fault_at_key(&path.key("replicas"), message);
    }
}

fn condition(check: &mut Check<'_>, path: &Path, stage: &Stage, earlier: &[Stage]) {
    let path = path.key("when");
    let Some(text) = &stage.when else { return };
    // A condition that does not parse was reported by the reader.
    let Ok(condition) = Condition::parse(text) else { return };
    let stages = path.parent().and_then(|stage| stage.parent()).unwrap_or_default();
    let names: Vec<Path> = (0..earlier.len()).map(|index| stages.index(index).key("name")).collect();
    if names.iter().any(|name| check.places.is_faulty(name)) {
        return;
    }
    let known = match names.as_slice() {
        [] => "there is none before this one".to_owned(),
        names => format!("earlier here: {}", list(names.iter().map(|name| check.places.shown(name)))),
    };
    let is_earlier = |name: &str| earlier.iter().any(|stage| stage.name == name);
    for name in condition.stages().into_iter().filter(|name| !is_earlier(name)) {
        not_earlier(check, &path, text, name, &known);
    }
}

fn not_earlier(check: &mut Check<'_>, path: &Path, text: &str, name: &str, known: &str) {
    // Where a variable was filled in, the name may be its value.
    if check.places.shown(path) == text {
        let message = format!("`{name}` is not an earlier stage of this chain; {known}");
        let offset = text.find(name).unwrap_or_default();
        check.diagnostics.push(check.places.fault_inside(path, text, offset, message));
    } else {
        let message = format!("this refers to a stage that is not an earlier one of this chain; {known}");
        check.fault(path, message);
    }
}
