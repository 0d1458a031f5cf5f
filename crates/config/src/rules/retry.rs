//! The rule on retries: the first pause is not longer than the longest one.

use super::RuleContext;
use crate::file::RetryConfig;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    let defaults = file.defaults.retry.unwrap_or_default();
    pauses(context, &defaults_path(), defaults, defaults);
    for (name, provider) in &file.llm_providers {
        let Some(own) = provider.retry else { continue };
        pauses(context, &Path::entry("llm_providers", name).key("retry"), own, own.or(defaults));
    }
}

/// Compares the merged pauses; reports at the key that this block sets.
fn pauses(context: &mut RuleContext<'_>, path: &Path, own: RetryConfig, merged: RetryConfig) {
    let resolved = merged.resolve();
    let (initial, longest) = (path.key("initial_pause"), path.key("max_pause"));
    if resolved.initial_pause <= resolved.max_pause || context.locations.is_invalid(&longest) {
        return;
    }
    if own.initial_pause.is_some() {
        let shown = shown(context, path, "max_pause", "90s");
        let message = format!("the first pause must not be longer than `max_pause`, which is {shown}");
        context.error(&initial, message);
    } else if own.max_pause.is_some() {
        let shown = shown(context, path, "initial_pause", "1s");
        let message = format!("the longest pause must not be shorter than `initial_pause`, which is {shown}");
        context.error(&longest, message);
    }
}

/// Returns a pause as written here or in `defaults`: the value of a variable must not be shown.
fn shown(context: &RuleContext<'_>, path: &Path, key: &str, default: &str) -> String {
    let written = [path.key(key), defaults_path().key(key)];
    let written = written.iter().map(|path| context.locations.shown(path)).find(|text| !text.is_empty());
    written.unwrap_or(default).to_owned()
}

fn defaults_path() -> Path {
    Path::default().key("defaults").key("retry")
}
