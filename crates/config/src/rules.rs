//! What must hold between the values of a configuration, checked before anything starts.
//!
//! Every rule is a small pure function that looks at all it is about and reports each fault where it stands,
//! with what would be right. A rule never reports a value that is already known to be faulty. What a single
//! value must look like is in its [type](crate::file) and was checked by the reader.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Severity};
use crate::file::ConfigFile;
use crate::locations::Locations;
use crate::path::Path;

mod access;
mod chains;
mod providers;
mod queue;
mod references;
mod retry;
mod servers;
mod stages;
mod webhooks;

/// Checks what a user's files say against each other and against the built-ins.
pub(crate) fn check(file: &ConfigFile, builtin: &ConfigFile, locations: &Locations) -> Vec<Diagnostic> {
    let mut context = RuleContext { file, builtin, locations, diagnostics: Vec::new() };
    references::check(&mut context);
    chains::check(&mut context);
    stages::check(&mut context);
    servers::check(&mut context);
    providers::check(&mut context);
    retry::check(&mut context);
    queue::check(&mut context);
    access::check(&mut context);
    webhooks::check(&mut context);
    context.diagnostics
}

/// What the rules look at, and what they found.
struct RuleContext<'a> {
    file: &'a ConfigFile,
    builtin: &'a ConfigFile,
    locations: &'a Locations,
    diagnostics: Vec<Diagnostic>,
}

/// The things that are referred to by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReferenceKind {
    Agent,
    Server,
    Provider,
    PatternGroup,
    Pattern,
}

impl<'a> RuleContext<'a> {
    /// Reports a fault at a value.
    fn fault(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_faulty(path) {
            self.diagnostics.push(self.locations.fault(path, message));
        }
    }

    /// Reports a fault at the key of a value.
    fn fault_at_key(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_faulty(path) {
            self.diagnostics.push(self.locations.fault_at_key(path, message));
        }
    }

    /// Reports at the key of a value what somebody should look at.
    fn warn_at_key(&mut self, path: &Path, message: impl Into<String>) {
        if !self.locations.is_faulty(path) {
            let fault = self.locations.fault_at_key(path, message);
            self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..fault });
        }
    }

    /// Every name of a kind that may be referred to, in order.
    fn names(&self, named: ReferenceKind) -> BTreeSet<&'a str> {
        let builtin = self.builtin;
        let written = |section| self.locations.names(section);
        match named {
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
    /// The section that defines names of this kind, if files can.
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
