//! The configuration that replays a recording.
//!
//! Every provider of the chain plays the recording, and every MCP server is a process that returns recorded results.
//! Nothing is masked a second time. Recorded texts are passed to the configuration as variables, because the values of
//! variables are not interpreted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value, json};
use tarsy_config::{Config, Diagnostics, Environment, Loaded, ResolvedAgent};
use tarsy_domain::RecordedServer;
use thiserror::Error;

use crate::recording::Recording;

/// The name of the recording in the configuration directory.
const FILE: &str = "recording.json";

/// The inputs of the configuration that replays a recording.
#[derive(Debug, Clone, Copy)]
pub struct ReplayConfig<'a> {
    /// The recording to replay.
    pub recording: &'a Recording,
    /// The program that serves recorded tools when called as `PROGRAM replay-tools --server=NAME --agent=STAGE/AGENT FILE`.
    pub program: &'a Path,
}

/// An error of preparing the configuration.
#[derive(Debug, Error)]
pub enum ReplayConfigError {
    /// A file cannot be written.
    #[error("writing {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The name of a prompt template is not a relative path without `..`.
    #[error("session.prompts: `{0}` is not a valid name of a prompt template")]
    Prompt(String),
    /// The recording cannot be serialized.
    #[error("serializing the recording")]
    Recording(#[from] serde_json::Error),
    /// The configuration is invalid.
    #[error("the recorded session is incompatible with this version of TARSy")]
    Config(#[from] Diagnostics),
}

impl ReplayConfig<'_> {
    /// Writes the configuration to a directory and loads it.
    pub fn load(&self, directory: &Path) -> Result<Loaded, ReplayConfigError> {
        let cassette = self.recording.cassette.clone().without_pauses();
        write(&directory.join(FILE), &serde_json::to_string(&cassette)?)?;
        for (name, text) in &self.recording.session.prompts {
            write(&directory.join("prompts").join(relative_path(name)?), text)?;
        }
        let mut texts = TextVariables::default();
        let config = self.config(directory, &mut texts);
        // JSON is valid YAML.
        write(&directory.join("tarsy.yaml"), &config.to_string())?;
        let environment: Environment = texts.0.into_iter().collect();
        Ok(Config::load(Some(directory), &environment)?)
    }

    fn config(&self, directory: &Path, texts: &mut TextVariables) -> Value {
        let session = &self.recording.session;
        let file = texts.add(&directory.join(FILE).display().to_string());
        let servers = session.tools.iter();
        let servers: Map<String, Value> =
            servers.map(|(name, server)| (name.clone(), self.server(name, server, &file, texts))).collect();
        let providers = self.provider_names();
        let mut defaults =
            json!({ "llm_provider": providers.first(), "alert_masking": { "enabled": false } });
        if let Some(runbook) = &session.runbook {
            defaults["runbook"] = texts.add(runbook);
        }
        json!({
            "defaults": defaults,
            "llm_providers": providers.iter().map(|name| (name.clone(), self.provider(name))).collect::<Map<_, _>>(),
            "mcp_servers": servers,
        })
    }

    /// Returns the providers that the agents of the chain may call.
    fn provider_names(&self) -> BTreeSet<String> {
        let chain = &self.recording.chain;
        let of_stages = chain.stages.iter().flat_map(|stage| stage.agents.iter().chain(&stage.synthesis));
        let names = |agent: &ResolvedAgent| {
            let others = agent.fallback_providers.iter().map(|other| other.provider.clone());
            std::iter::once(agent.llm_provider.clone()).chain(others).collect::<Vec<_>>()
        };
        of_stages.chain([&chain.executive_summary]).flat_map(names).collect()
    }

    fn provider(&self, name: &str) -> Value {
        let known = self.recording.session.providers.get(name).cloned().unwrap_or_default();
        let mut provider = json!({ "type": "replay", "cassette": FILE });
        let limits = [
            ("context_window", known.context_window),
            ("max_tool_result_tokens", known.max_tool_result_tokens.map(u64::from)),
        ];
        for (key, limit) in limits {
            if let Some(limit) = limit {
                provider[key] = json!(limit);
            }
        }
        provider
    }

    /// Starts one process per execution and passes the agent's name: parallel agents may have got different results for
    /// the same call.
    fn server(&self, name: &str, server: &RecordedServer, file: &Value, texts: &mut TextVariables) -> Value {
        let program = texts.add(&self.program.display().to_string());
        let own = texts.add(&format!("--server={name}"));
        let mut config = json!({
            "transport": {
                "type": "stdio",
                "command": program,
                "args": ["replay-tools", own, "--agent={{.SESSION_AGENT}}", "--", file],
            },
            "data_masking": { "enabled": false },
        });
        if let Some(instructions) = &server.instructions {
            config["instructions"] = texts.add(instructions);
        }
        if let Some(summarization) = server.summarization {
            config["summarization"] = json!({
                "enabled": summarization.enabled,
                "size_threshold_tokens": summarization.size_threshold_tokens,
                "summary_max_token_limit": summarization.summary_max_token_limit,
            });
        }
        config
    }
}

/// Texts that the configuration refers to as variables.
#[derive(Default)]
struct TextVariables(BTreeMap<String, String>);

impl TextVariables {
    /// Stores a text and returns the reference to its variable.
    fn add(&mut self, text: &str) -> Value {
        let name = format!("RECORDED_{}", self.0.len() + 1);
        let reference = format!("${{{name}}}");
        self.0.insert(name, text.to_owned());
        Value::String(reference)
    }
}

/// Returns the name as a relative path that cannot leave its directory.
fn relative_path(name: &str) -> Result<&Path, ReplayConfigError> {
    let path = Path::new(name);
    let is_normal = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_inside = !name.is_empty() && path.components().all(is_normal);
    is_inside.then_some(path).ok_or_else(|| ReplayConfigError::Prompt(name.to_owned()))
}

fn write(path: &Path, text: &str) -> Result<(), ReplayConfigError> {
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = created.and_then(|()| fs::write(path, text));
    written.map_err(|source| ReplayConfigError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
