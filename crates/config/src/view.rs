//! The configuration in the form that the API shows.
//!
//! It is built from the texts as written, not from the effective values: a variable is shown as `${VAR}`,
//! never as its value, and a literal secret as `[hidden]`. It cannot be loaded again.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::file::{Defaults, QueueConfig, SystemConfig};
use crate::sensitive::{self, HIDDEN, hides_values};
use crate::{Config, expand};

/// The built-in configuration and the files, in the form that can be shown.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    builtin: Value,
    files: Value,
}

impl Shown {
    pub(crate) fn new(builtin: Value, mut files: Value) -> Self {
        let servers = files.get_mut("mcp_servers").and_then(Value::as_object_mut);
        for server in servers.into_iter().flat_map(Map::values_mut) {
            server.get_mut("transport").into_iter().for_each(hide_in_command);
        }
        Self { builtin, files }
    }

    /// Returns the variable that a key of an entry refers to.
    pub(crate) fn variable(&self, section: &str, name: &str, key: &str) -> Option<&str> {
        self.entry(section, name).get(key).and_then(Value::as_str).and_then(expand::variable)
    }

    /// Returns an entry of a section: the one of the files, or else the built-in one.
    fn entry(&self, section: &str, name: &str) -> &Value {
        let of_files = self.files.get(section).and_then(|entries| entries.get(name));
        of_files.unwrap_or(&self.builtin[section][name])
    }
}

impl Config {
    /// Returns the configuration for the API: every section with its defaults, without secrets.
    pub fn view(&self) -> Value {
        let shown = &self.shown;
        let section = |section: &str, names: Vec<&String>| {
            let entries = names.into_iter().map(|name| (name.clone(), shown.entry(section, name).clone()));
            Value::Object(entries.collect())
        };
        let mut chains = section("agent_chains", self.chains().keys().collect());
        // A chain in a file may have taken over alert types of a built-in chain.
        for (id, chain) in self.chains().iter().filter(|(id, _)| !self.origins().chains.contains(*id)) {
            chains[id]["alert_types"] = json!(chain.alert_types);
        }
        json!({
            "system": with_defaults(&SystemConfig::default(), &shown.files["system"]),
            "queue": with_defaults(&QueueConfig::default(), &shown.files["queue"]),
            "defaults": with_defaults(&Defaults::default(), &shown.files["defaults"]),
            "mcp_servers": section("mcp_servers", self.mcp_servers().keys().collect()),
            "agents": section("agents", self.agents().keys().collect()),
            "agent_chains": chains,
            "llm_providers": section("llm_providers", self.providers().keys().collect()),
            "models": section("models", self.models().keys().collect()),
        })
    }
}

/// Hides credentials in a command and its arguments. References to variables stay visible.
fn hide_in_command(transport: &mut Value) {
    if let Some(Value::String(command)) = transport.get_mut("command") {
        *command = sensitive::cut(command);
    }
    let Some(arguments) = transport.get_mut("args").and_then(Value::as_array_mut) else { return };
    let mut hide_next = false;
    for argument in arguments {
        let text = argument.as_str().unwrap_or_default().to_owned();
        let (flag, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        let is_secret_flag = flag.starts_with('-') && hides_values(flag);
        if hide_next && !expand::is_reference(&text) {
            *argument = HIDDEN.into();
        } else if is_secret_flag && !value.is_empty() && !expand::is_reference(value) {
            *argument = format!("{flag}={HIDDEN}").into();
        } else {
            *argument = sensitive::cut(&text).into();
        }
        hide_next = is_secret_flag && value.is_empty();
    }
}

/// Returns the defaults overlaid with the written values.
fn with_defaults(defaults: &impl Serialize, written: &Value) -> Value {
    // Serializing these plain structures cannot fail; without defaults the view would only show less.
    let mut all = serde_json::to_value(defaults).unwrap_or_default();
    overlay(&mut all, written);
    all
}

fn overlay(under: &mut Value, over: &Value) {
    match (under, over) {
        (_, Value::Null) => {}
        (Value::Object(under), Value::Object(over)) => overlay_entries(under, over),
        (under, over) => *under = over.clone(),
    }
}

fn overlay_entries(under: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        overlay(under.entry(key.clone()).or_insert(Value::Null), value);
    }
}
