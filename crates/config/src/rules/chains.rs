//! The rules on chains: built-in chains are only replaced explicitly, and an alert type belongs to one chain.
//!
//! Existing files replace a built-in chain by its name in the earlier system, `kubernetes`, which counts as explicit.
//!
//! The reader checks that a chain has alert types and stages. The rules on stages are in `stages`.

use std::collections::{BTreeMap, BTreeSet};

use super::RuleContext;
use crate::ANY_ALERT_TYPE;
use crate::file::ChainConfig;
use crate::path::Path;
use crate::suggest::{instead, list};

/// Id and alert type of the built-in chain of the earlier system.
const EARLIER_BUILT_IN: &str = "kubernetes";

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (id, chain) in &file.agent_chains {
        built_in_id(context, id, chain);
        built_in_alert_types(context, id, chain);
    }
    one_chain_per_alert_type(context);
    default_alert_type(context);
}

fn built_in_id(context: &mut RuleContext<'_>, id: &str, chain: &ChainConfig) {
    let path = Path::entry("agent_chains", id);
    if context.builtin.agent_chains.contains_key(id) && !is_override(context, &path, chain) {
        let message =
            format!("`{id}` is a built-in chain; to replace it, set `override: true` in this chain");
        context.error_at_key(&path, message);
    }
}

fn built_in_alert_types(context: &mut RuleContext<'_>, id: &str, chain: &ChainConfig) {
    let path = Path::entry("agent_chains", id);
    if is_override(context, &path, chain) || id == EARLIER_BUILT_IN {
        return;
    }
    let alert_types = chain.alert_types.iter().enumerate();
    for (index, alert_type) in alert_types.filter(|(_, alert_type)| *alert_type != EARLIER_BUILT_IN) {
        let path = path.key("alert_types").index(index);
        let owner =
            context.builtin.agent_chains.iter().find(|(_, chain)| chain.alert_types.contains(alert_type));
        // If a file replaces the built-in chain, its alert types are available.
        let Some((owner, _)) = owner.filter(|(owner, _)| !context.file.agent_chains.contains_key(*owner))
        else {
            continue;
        };
        let message = format!(
            "the alert type `{}` belongs to the built-in chain `{owner}`; \
             to take it over, set `override: true` in this chain",
            context.locations.shown(&path)
        );
        context.error(&path, message);
    }
}

/// Returns whether a chain overrides a built-in one. An invalid `override` counts, to avoid a follow-up
/// error.
fn is_override(context: &RuleContext<'_>, path: &Path, chain: &ChainConfig) -> bool {
    chain.r#override || context.locations.is_invalid(&path.key("override"))
}

fn one_chain_per_alert_type(context: &mut RuleContext<'_>) {
    let file = context.file;
    let mut uses: Vec<(Path, &str, &str)> = Vec::new();
    for (id, chain) in &file.agent_chains {
        let path = Path::entry("agent_chains", id).key("alert_types");
        let of_chain = chain.alert_types.iter().enumerate();
        uses.extend(
            of_chain.map(|(index, alert_type)| (path.index(index), id.as_str(), alert_type.as_str())),
        );
    }
    // The first use in the file counts as valid, so that the error is reported at the later one.
    uses.sort_by_key(|(path, ..)| context.locations.get(path).map(|located| located.value.start));
    let mut owners: BTreeMap<&str, (Path, &str)> = BTreeMap::new();
    for (path, id, alert_type) in uses.into_iter().filter(|(_, _, alert_type)| !alert_type.is_empty()) {
        let Some((first, owner)) = owners.get(alert_type) else {
            owners.insert(alert_type, (path, id));
            continue;
        };
        let shown = context.locations.shown(&path).to_owned();
        let place = context.locations.line(first);
        let message = if *owner == id {
            format!("duplicate alert type `{shown}`, first listed at {place}")
        } else {
            format!("the alert type `{shown}` already belongs to the chain `{owner}` ({place})")
        };
        context.error(&path, message);
    }
}

/// Checks that a chain handles the default alert type.
fn default_alert_type(context: &mut RuleContext<'_>) {
    let path = Path::default().key("defaults").key("alert_type");
    let alert_type = &context.file.defaults.alert_type;
    let is_taken = |chain: &ChainConfig| {
        chain.alert_types.iter().any(|taken| taken == alert_type || taken == ANY_ALERT_TYPE)
    };
    let mut chains = context.file.agent_chains.values().chain(built_in_chains(context));
    if chains.any(is_taken) || context.locations.is_invalid(&path) || is_an_alert_type_invalid(context) {
        return;
    }
    let shown = context.locations.shown(&path);
    if !shown.is_empty() {
        let message = format!(
            "no chain handles the alert type `{shown}`{}",
            instead(shown, shown_alert_types(context))
        );
        return context.error(&path, message);
    }
    // The key is not set, so this is only a warning: alerts with a type are still handled. It is reported at
    // the chain that replaced the built-in one.
    let Some((id, _)) = context.builtin.agent_chains.iter().find(|(_, chain)| is_taken(chain)) else {
        return;
    };
    let message = format!(
        "no chain handles `{alert_type}`, the default type of alerts without one; \
         add it here, or set `defaults.alert_type` to one of: {}",
        list(shown_alert_types(context))
    );
    context.warn_at_key(&Path::entry("agent_chains", id).key("alert_types"), message);
}

/// Returns the built-in chains that no file replaces.
fn built_in_chains<'a>(context: &RuleContext<'a>) -> impl Iterator<Item = &'a ChainConfig> + use<'a> {
    let file = context.file;
    let chains = context.builtin.agent_chains.iter();
    chains.filter(|(id, _)| !file.agent_chains.contains_key(*id)).map(|(_, chain)| chain)
}

/// Returns whether an alert type of any chain is invalid; it may be the missing one.
fn is_an_alert_type_invalid(context: &RuleContext<'_>) -> bool {
    let of_chain = |id: &str, chain: &ChainConfig| {
        let path = Path::entry("agent_chains", id).key("alert_types");
        let mut items = (0..chain.alert_types.len()).map(|index| path.index(index));
        context.locations.is_invalid(&path) || items.any(|item| context.locations.is_invalid(&item))
    };
    context.locations.is_invalid(&Path::default().key("agent_chains"))
        || context.file.agent_chains.iter().any(|(id, chain)| of_chain(id, chain))
}

/// Returns all alert types in the form that can be shown, sorted.
fn shown_alert_types<'a>(context: &RuleContext<'a>) -> BTreeSet<&'a str> {
    let (file, locations) = (context.file, context.locations);
    let of_files = file.agent_chains.iter().flat_map(move |(id, chain)| {
        let path = Path::entry("agent_chains", id).key("alert_types");
        (0..chain.alert_types.len()).map(move |index| locations.shown(&path.index(index)))
    });
    let built_in = built_in_chains(context).flat_map(|chain| &chain.alert_types).map(String::as_str);
    of_files.filter(|shown| !shown.is_empty()).chain(built_in).collect()
}
