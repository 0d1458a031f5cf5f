//! The configuration that runs a recording again.
//!
//! Every provider that the chain names plays the recording, and every MCP server is a program that answers from it. Nothing is
//! masked a second time. Texts of the recording are given to the configuration as variables, because what a
//! variable holds is taken as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value, json};
use tarsy_config::{Config, Diagnostics, Environment, Loaded, ResolvedAgent};
use thiserror::Error;

use crate::recording::{RecordedServer, Recording};

/// The file in the directory that everything is played from.
const FILE: &str = "recording.json";

/// What is run again, and by what.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// What is run again.
    pub recording: &'a Recording,
    /// The program that answers for an MCP server as `PROGRAM replay-tools --server=NAME --agent=STAGE/AGENT FILE`.
    pub program: &'a Path,
}

/// Why there is no setting.
#[derive(Debug, Error)]
pub enum SettingError {
    /// A file cannot be written.
    #[error("writing {}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A prompt that would be written somewhere else.
    #[error("session.prompts: `{0}` is not the name of a prompt template")]
    Prompt(String),
    /// The recording cannot be written as JSON.
    #[error("writing the recording")]
    Recording(#[from] serde_json::Error),
    /// The configuration is not accepted.
    #[error("the recorded session does not fit this version of TARSy")]
    Config(#[from] Diagnostics),
}

impl Setting<'_> {
    /// Writes the configuration to a directory and loads it; answers the variables that belong to it too.
    pub fn load(&self, directory: &Path) -> Result<(Loaded, Environment), SettingError> {
        let cassette = self.recording.cassette.clone().without_pauses();
        write(&directory.join(FILE), &serde_json::to_string(&cassette)?)?;
        for (name, text) in &self.recording.session.prompts {
            write(&directory.join("prompts").join(plain_name(name)?), text)?;
        }
        let mut texts = Texts::default();
        let config = self.config(directory, &mut texts);
        // JSON is YAML too.
        write(&directory.join("tarsy.yaml"), &config.to_string())?;
        let environment = texts.0.into_iter().collect();
        Ok((Config::load(Some(directory), &environment)?, environment))
    }

    fn config(&self, directory: &Path, texts: &mut Texts) -> Value {
        let session = &self.recording.session;
        let file = texts.hold(&directory.join(FILE).display().to_string());
        let servers = session.tools.iter();
        let servers: Map<String, Value> =
            servers.map(|(name, server)| (name.clone(), self.server(name, server, &file, texts))).collect();
        let providers = self.provider_names();
        let mut defaults =
            json!({ "llm_provider": providers.first(), "alert_masking": { "enabled": false } });
        if let Some(runbook) = &session.runbook {
            defaults["runbook"] = texts.hold(runbook);
        }
        json!({
            "defaults": defaults,
            "llm_providers": providers.iter().map(|name| (name.clone(), self.provider(name))).collect::<Map<_, _>>(),
            "mcp_servers": servers,
        })
    }

    /// Every provider that somebody may ask before the chat.
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
        for (key, limit) in [
            ("context_window", known.context_window),
            ("max_tool_result_tokens", known.max_tool_result_tokens),
        ] {
            if let Some(limit) = limit {
                provider[key] = json!(limit);
            }
        }
        provider
    }

    /// One process for each execution, which is told whose it is: agents that work at once may have been answered
    /// differently.
    fn server(&self, name: &str, server: &RecordedServer, file: &Value, texts: &mut Texts) -> Value {
        let program = texts.hold(&self.program.display().to_string());
        let own = texts.hold(&format!("--server={name}"));
        let mut config = json!({
            "transport": {
                "type": "stdio",
                "command": program,
                "args": ["replay-tools", own, "--agent={{.SESSION_AGENT}}", "--", file],
            },
            "data_masking": { "enabled": false },
        });
        if let Some(instructions) = &server.instructions {
            config["instructions"] = texts.hold(instructions);
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

/// Texts that a configuration refers to by name.
#[derive(Default)]
struct Texts(BTreeMap<String, String>);

impl Texts {
    /// Keeps a text; answers what stands for it in the file.
    fn hold(&mut self, text: &str) -> Value {
        let name = format!("RECORDED_{}", self.0.len() + 1);
        let reference = format!("${{{name}}}");
        self.0.insert(name, text.to_owned());
        Value::String(reference)
    }
}

/// The name of a file that cannot leave its folder.
fn plain_name(name: &str) -> Result<&Path, SettingError> {
    let path = Path::new(name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let stays = !name.is_empty() && path.components().all(is_plain);
    stays.then_some(path).ok_or_else(|| SettingError::Prompt(name.to_owned()))
}

fn write(path: &Path, text: &str) -> Result<(), SettingError> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(path, text));
    written.map_err(|source| SettingError::Unwritten { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
