//! The configuration of the demo and its first alert.
//!
//! The configuration is written to a directory, so that users can read it, change it and use it with `tarsy serve`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Timestamp;
use tarsy_config::{Config, Diagnostics, Environment, Loaded};
use tarsy_llm::parse_cassette;
use thiserror::Error;

use crate::incident::{ContentError, Incident};
use crate::incident_clock::IncidentClock;
use crate::model::DemoModel;

/// The configuration with placeholders such as `@incident@`.
const TEMPLATE: &str = include_str!("../config/tarsy.yaml");

/// The speed of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoPace {
    /// As fast as a model.
    Real,
    /// Without pauses.
    Fast,
}

/// The inputs of the demo's configuration.
#[derive(Debug, Clone)]
pub struct DemoConfig {
    /// The incident.
    pub incident: &'static Incident,
    /// The speed of the recording.
    pub pace: DemoPace,
    /// The model that investigates.
    pub model: DemoModel,
    /// The program that serves the cluster when called as `PROGRAM demo-cluster --incident NAME`.
    pub program: PathBuf,
}

/// The alert of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoAlert {
    /// The type of the alert.
    pub alert_type: String,
    /// The text of the alert.
    pub data: String,
}

/// An error of preparing the configuration.
#[derive(Debug, Error)]
pub enum DemoConfigError {
    /// A file cannot be written.
    #[error("writing the demo configuration to {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file of the incident is invalid.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The configuration is invalid, for example because of the value of a variable.
    #[error(transparent)]
    Config(#[from] Diagnostics),
}

impl DemoConfig {
    /// Writes the configuration to a directory, replacing an older one, and loads it.
    pub fn load(&self, directory: &Path, environment: &Environment) -> Result<Loaded, DemoConfigError> {
        fs::create_dir_all(directory)
            .map_err(|source| DemoConfigError::Write { path: directory.to_owned(), source })?;
        for (name, text) in self.files()? {
            let path = directory.join(name);
            fs::write(&path, text).map_err(|source| DemoConfigError::Write { path, source })?;
        }
        Ok(Config::load(Some(directory), environment)?)
    }

    /// Returns the alert, which started firing some minutes before `now`.
    pub fn alert(&self, now: Timestamp) -> DemoAlert {
        DemoAlert {
            alert_type: self.incident.alert_type.to_owned(),
            data: IncidentClock::start(now).fill(self.incident.alert),
        }
    }

    fn files(&self) -> Result<Vec<(String, String)>, ContentError> {
        let cassette = format!("{}.yaml", self.incident.name);
        let config = TEMPLATE
            .replace("@incident@", self.incident.name)
            .replace("@alert_type@", self.incident.alert_type)
            .replace("@provider@", self.model.provider())
            .replace("@llm_providers@\n", &self.model.provider_section(&cassette))
            // Last, so that placeholders in the path are not replaced.
            .replace("@program@", &quoted(&self.program.display().to_string()));
        let mut files = vec![("tarsy.yaml".to_owned(), config)];
        if self.model == DemoModel::Recording {
            files.push((cassette, self.recording()?));
        }
        Ok(files)
    }

    fn recording(&self) -> Result<String, ContentError> {
        let file = format!("{}/cassette.yaml", self.incident.name);
        let content_error = |problem| ContentError { file: file.clone(), problem };
        match self.pace {
            DemoPace::Real => Ok(self.incident.cassette.to_owned()),
            DemoPace::Fast => {
                let fast = parse_cassette(self.incident.cassette).map_err(content_error)?.without_pauses();
                // JSON is valid YAML.
                serde_json::to_string(&fast).map_err(|error| content_error(error.to_string()))
            }
        }
    }
}

/// Quotes a text as a YAML scalar without variables.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.replace("${", "$${")).to_string()
}

#[cfg(test)]
mod tests;
