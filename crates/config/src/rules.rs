//! Rules on relations between values of a configuration, checked when it is loaded.
//!
//! Every rule is a small pure function that reports each violation at its location, with what would be valid.
//! A rule never reports a value that was already reported as invalid. Constraints on single values are part
//! of their [types](crate::file) and are checked by the reader.

use std::collections::BTreeSet;

use crate::Environment;
use crate::diagnostic::{Diagnostic, Severity};
use crate::file::ConfigFile;
use crate::locations::Locations;
use crate::path::Path;

mod access;
mod actions;
mod chains;
mod models;
mod providers;
mod queue;
mod references;
mod retry;
mod servers;
mod stages;
mod strategies;
mod webhooks;

/// Checks the values of the files against each other and against the built-ins.
pub(crate) fn check(
    file: &ConfigFile,
    builtin: &ConfigFile,
    locations: &Locations,
    environment: &Environment,
) -> Vec<Diagnostic> {
    let mut context = RuleContext { file, builtin, locations, environment, diagnostics: Vec::new() };
    references::check(&mut context);
    chains::check(&mut context);
    stages::check(&mut context);
    strategies::check(&mut context);
    actions::check(&mut context);
    servers::check(&mut context);
    providers::check(&mut context);
    models::check(&mut context);
    retry::check(&mut context);
    queue::check(&mut context);
    access::check(&mut context);
    webhooks::check(&mut context);
    context.diagnostics
}

/// The input of the rules, and the diagnostics they produce.
struct RuleContext<'a> {
    file: &'a ConfigFile,
    builtin: &'a ConfigFile,
    locations: &'a Locations,
    environment: &'a Environment,
    diagnostics: Vec<Diagnostic>,
}

/// The kinds of entries that are referred to by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReferenceKind {
    Agent,
    Server,
    Provider,
    PatternGroup,
    Pattern,
}

impl<'a> RuleContext<'a> {
    /// Reports an error at a value.
    fn error(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_invalid(path) {
            self.diagnostics.push(self.locations.error(path, message));
        }
    }

    /// Reports an error at the key of a value.
    fn error_at_key(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_invalid(path) {
            self.diagnostics.push(self.locations.error_at_key(path, message));
        }
    }

    /// Reports a warning at the key of a value.
    fn warn_at_key(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_invalid(path) {
            let error = self.locations.error_at_key(path, message);
            self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..error });
        }
    }

    /// Returns the names that a reference of this kind can use, sorted.
    fn names(&self, kind: ReferenceKind) -> BTreeSet<&'a str> {
        let builtin = self.builtin;
        let written = |section| self.locations.names(section);
        match kind {
            ReferenceKind::Agent => {
                written("agents").chain(builtin.agents.keys().map(String::as_str)).collect()
            }
            ReferenceKind::Server => {
                written("mcp_servers").chain(builtin.mcp_servers.keys().map(String::as_str)).collect()
            }
            ReferenceKind::Provider => {
                written("llm_providers").chain(builtin.llm_providers.keys().map(String::as_str)).collect()
            }
            ReferenceKind::PatternGroup => tarsy_masking::GROUPS.into_iter().collect(),
            ReferenceKind::Pattern => tarsy_masking::PATTERNS.into_iter().collect(),
        }
    }
}

impl ReferenceKind {
    /// Returns the section that defines names of this kind, if files can define them.
    fn section(self) -> Option<&'static str> {
        match self {
            Self::Agent => Some("agents"),
            Self::Server => Some("mcp_servers"),
            Self::Provider => Some("llm_providers"),
            Self::PatternGroup | Self::Pattern => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Server => "MCP server",
            Self::Provider => "model provider",
            Self::PatternGroup => "masking pattern group",
            Self::Pattern => "masking pattern",
        }
    }
}

fn is_header_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
