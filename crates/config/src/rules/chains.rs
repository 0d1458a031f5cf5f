//! The rules on chains: whose id it is, and which chain an alert type belongs to.
//!
//! That a chain has alert types and stages at all is checked by the reader. Stages have rules of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::Check;
use crate::ANY_ALERT_TYPE;
use crate::file::Chain;
use crate::path::Path;
use crate::suggest::{instead, list};

pub(super) fn check(check: &mut Check<'_>) {
    let file = check.file;
    for (id, chain) in &file.agent_chains {
        built_in_id(check, id, chain);
        built_in_alert_types(check, id, chain);
    }
    one_chain_per_alert_type(check);
    default_alert_type(check);
}

fn built_in_id(check: &mut Check<'_>, id: &str, chain: &Chain) {
    let path = Path::entry("agent_chains", id);
    if check.builtin.agent_chains.contains_key(id) && !is_override(check, &path, chain) {
        let message =
            format!("`{id}` is a built-in chain; to replace it, write `override: true` in this one");
        check.fault_at_key(&path, message);
    }
}

fn built_in_alert_types(check: &mut Check<'_>, id: &str, chain: &Chain) {
    let path = Path::entry("agent_chains", id);
    if is_override(check, &path, chain) {
        return;
    }
    for (index, alert_type) in chain.alert_types.iter().enumerate() {
        let path = path.key("alert_types").index(index);
        let owner =
            check.builtin.agent_chains.iter().find(|(_, chain)| chain.alert_types.contains(alert_type));
        // A built-in chain that a file replaces takes its alert types along.
        let Some((owner, _)) = owner.filter(|(owner, _)| !check.file.agent_chains.contains_key(*owner))
        else {
            continue;
        };
        let message = format!(
            "the alert type `{}` belongs to the built-in chain `{owner}`; \
             to take it, write `override: true` in this chain",
            check.places.shown(&path)
        );
        check.fault(&path, message);
    }
}

/// An `override` that could not be read is not a missing one.
fn is_override(check: &Check<'_>, path: &Path, chain: &Chain) -> bool {
    chain.r#override || check.places.is_faulty(&path.key("override"))
}

fn one_chain_per_alert_type(check: &mut Check<'_>) {
    let file = check.file;
    let mut uses: Vec<(Path, &str, &str)> = Vec::new();
    for (id, chain) in &file.agent_chains {
        let path = Path::entry("agent_chains", id).key("alert_types");
        let of_chain = chain.alert_types.iter().enumerate();
        uses.extend(
            of_chain.map(|(index, alert_type)| (path.index(index), id.as_str(), alert_type.as_str())),
        );
    }
    // The first one in the file keeps the alert type, so that the fault stands where somebody added the
    // second.
    uses.sort_by_key(|(path, ..)| check.places.get(path).map(|located| located.value.start));
    let mut owners: BTreeMap<&str, (Path, &str)> = BTreeMap::new();
    for (path, id, alert_type) in uses.into_iter().filter(|(_, _, alert_type)| !alert_type.is_empty()) {
        let Some((first, owner)) = owners.get(alert_type) else {
            owners.insert(alert_type, (path, id));
            continue;
        };
        let shown = check.places.shown(&path).to_owned();
        let place = check.places.line(first);
        let message = if *owner == id {
            format!("the alert type `{shown}` is already in this list, {place}")
        } else {
            format!("the alert type `{shown}` already belongs to the chain `{owner}`, {place}")
        };
        check.fault(&path, message);
    }
}

/// The alert type of alerts that name none must lead somewhere.
fn default_alert_type(check: &mut Check<'_>) {
    let path = Path::default().key("defaults").key("alert_type");
    let alert_type = &check.file.defaults.alert_type;
    let is_taken =
        |chain: &Chain| chain.alert_types.iter().any(|taken| taken == alert_type || taken == ANY_ALERT_TYPE);
    let mut chains = check.file.agent_chains.values().chain(built_in_chains(check));
    if chains.any(is_taken) || check.places.is_faulty(&path) || is_an_alert_type_faulty(check) {
        return;
    }
    let shown = check.places.shown(&path);
    if !shown.is_empty() {
        let message =
            format!("no chain takes the alert type `{shown}`{}", instead(shown, shown_alert_types(check)));
        return check.fault(&path, message);
    }
    // Nobody wrote it, so it is only worth a warning: alerts that name their type are taken as ever. It stands
    // at the chain that replaced the one that took it.
    let Some((id, _)) = check.builtin.agent_chains.iter().find(|(_, chain)| is_taken(chain)) else { return };
    let message = format!(
        "no chain takes the alert type `{alert_type}` any more, and alerts that name no type get it; \
         add it here, or set `defaults.alert_type` to one of: {}",
        list(shown_alert_types(check))
    );
    check.warn_at_key(&Path::entry("agent_chains", id).key("alert_types"), message);
}

/// The built-in chains that no file replaces.
fn built_in_chains<'a>(check: &Check<'a>) -> impl Iterator<Item = &'a Chain> + use<'a> {
    let file = check.file;
    let chains = check.builtin.agent_chains.iter();
    chains.filter(|(id, _)| !file.agent_chains.contains_key(*id)).map(|(_, chain)| chain)
}

/// Whether some chain may take an alert type that could not be read.
fn is_an_alert_type_faulty(check: &Check<'_>) -> bool {
    let of_chain = |id: &str, chain: &Chain| {
        let path = Path::entry("agent_chains", id).key("alert_types");
        let mut items = (0..chain.alert_types.len()).map(|index| path.index(index));
        check.places.is_faulty(&path) || items.any(|item| check.places.is_faulty(&item))
    };
    check.places.is_faulty(&Path::default().key("agent_chains"))
        || check.file.agent_chains.iter().any(|(id, chain)| of_chain(id, chain))
}

/// Every alert type as it may be shown, in order.
fn shown_alert_types<'a>(check: &Check<'a>) -> BTreeSet<&'a str> {
    let (file, places) = (check.file, check.places);
    let of_files = file.agent_chains.iter().flat_map(move |(id, chain)| {
        let path = Path::entry("agent_chains", id).key("alert_types");
        (0..chain.alert_types.len()).map(move |index| places.shown(&path.index(index)))
    });
    let built_in = built_in_chains(check).flat_map(|chain| &chain.alert_types).map(String::as_str);
    of_files.filter(|shown| !shown.is_empty()).chain(built_in).collect()
}
