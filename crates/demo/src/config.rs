//! The setting of a demo: the configuration that investigates an incident, and the alert that begins it.
//!
//! It is written to a directory, so that people can read it, change it and use it with `tarsy serve`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Timestamp;
use tarsy_config::{Config, Diagnostics, Environment, Loaded};
use tarsy_llm::parse_cassette;
use thiserror::Error;

use crate::cast::Cast;
use crate::incident::{ContentFault, Incident};
use crate::present::Present;

/// The configuration, with words in `@` that are filled in.
const TEMPLATE: &str = include_str!("../setting/tarsy.yaml");

/// How fast the recording speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As a model would.
    Real,
    /// At once.
    Fast,
}

/// What is shown, how, and by whom.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The incident.
    pub incident: &'static Incident,
    /// How fast a recording speaks.
    pub pace: Pace,
    /// Who investigates.
    pub cast: Cast,
    /// The program that shows the cluster as `PROGRAM demo-cluster --incident NAME`.
    pub program: PathBuf,
}

/// The alert of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// Its type.
    pub alert_type: String,
    /// What it says.
    pub data: String,
}

/// Why there is no setting.
#[derive(Debug, Error)]
pub enum SettingError {
    /// Its files cannot be written.
    #[error("writing the configuration of the demo to {}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is a mistake in the incident.
    #[error(transparent)]
    Content(#[from] ContentFault),
    /// The configuration is not accepted, for instance because of the value of a variable.
    #[error(transparent)]
    Config(#[from] Diagnostics),
}

impl Setting {
    /// Writes the configuration to a directory, in place of an older one, and loads it.
    pub fn load(&self, directory: &Path, environment: &Environment) -> Result<Loaded, SettingError> {
        fs::create_dir_all(directory)
            .map_err(|source| SettingError::Unwritten { path: directory.to_owned(), source })?;
        for (name, text) in self.files()? {
            let path = directory.join(name);
            fs::write(&path, text).map_err(|source| SettingError::Unwritten { path, source })?;
        }
        Ok(Config::load(Some(directory), environment)?)
    }

    /// The alert, which began to fire some minutes before now.
    pub fn alert(&self, now: Timestamp) -> Alert {
        Alert {
            alert_type: self.incident.alert_type.to_owned(),
            data: Present::beginning(now).fill(self.incident.alert),
        }
    }

    fn files(&self) -> Result<Vec<(String, String)>, ContentFault> {
        let cassette = format!("{}.yaml", self.incident.name);
        let config = TEMPLATE
            .replace("@incident@", self.incident.name)
            .replace("@alert_type@", self.incident.alert_type)
            .replace("@provider@", self.cast.provider())
            .replace("@llm_providers@\n", &self.cast.provider_section(&cassette))
            // The last, so that a path that has such a word in it stays as it is.
            .replace("@program@", &quoted(&self.program.display().to_string()));
        let mut files = vec![("tarsy.yaml".to_owned(), config)];
        if self.cast == Cast::Recording {
            files.push((cassette, self.recording()?));
        }
        Ok(files)
    }

    fn recording(&self) -> Result<String, ContentFault> {
        let file = format!("{}/cassette.yaml", self.incident.name);
        let fault = |problem| ContentFault { file: file.clone(), problem };
        match self.pace {
            Pace::Real => Ok(self.incident.cassette.to_owned()),
            Pace::Fast => {
                let hurried = parse_cassette(self.incident.cassette).map_err(fault)?.without_pauses();
                // JSON is YAML too.
                serde_json::to_string(&hurried).map_err(|error| fault(error.to_string()))
            }
        }
    }
}

/// A text as a scalar of YAML in which nothing is filled in.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.replace("${", "$${")).to_string()
}

#[cfg(test)]
mod tests;
