//! The maskers of a configuration: one for alerts and one for each MCP server, built once.
//!
//! Masking is enabled unless the configuration disables it. What a masker detects is defined in
//! `tarsy-masking`.

use std::collections::BTreeMap;

use tarsy_config::Config;
use tarsy_config::file::{AlertMasking, DataMasking};
use tarsy_masking::{CustomPattern, Ledger, Masker, MaskerError, Selection};
use tarsy_tools::Screen;
use thiserror::Error;

/// The pattern group that applies by default.
const DEFAULT_GROUP: &str = "security";

/// The maskers of a configuration. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Maskers {
    /// `None` if alerts are not masked.
    alerts: Option<Masker>,
    /// `None` for servers whose results are not masked.
    servers: BTreeMap<String, Option<Masker>>,
    /// For servers that are not configured.
    default: Masker,
}

/// An invalid selection of masking patterns.
#[derive(Debug, Error)]
#[error("the masking of {section}")]
pub struct MaskersError {
    /// The section: alerts or a server.
    section: String,
    /// The cause.
    source: MaskerError,
}

impl Maskers {
    /// Builds the maskers of a configuration.
    pub fn new(config: &Config) -> Result<Self, MaskersError> {
        let make = |section: &str, selection: &Selection| {
            Masker::new(selection).map_err(|source| MaskersError { section: section.to_owned(), source })
        };
        let alerts = alert_selection(&config.defaults().alert_masking);
        let alerts = alerts.map(|selection| make("alerts", &selection)).transpose()?;
        let mut servers = BTreeMap::new();
        for (name, server) in config.mcp_servers() {
            let selection = server_selection(server.data_masking.as_ref());
            let masker =
                selection.map(|selection| make(&format!("server `{name}`"), &selection)).transpose()?;
            servers.insert(name.clone(), masker);
        }
        Ok(Self { alerts, servers, default: make("everything else", &Selection::groups([DEFAULT_GROUP]))? })
    }

    /// Masks a text of an alert.
    pub fn mask_alert(&self, text: String, ledger: &mut Ledger) -> String {
        mask(self.alerts.as_ref(), text, ledger)
    }

    /// Masks a text of a server.
    pub fn mask_server(&self, server: &str, text: String, ledger: &mut Ledger) -> String {
        let masker = self.servers.get(server).map_or(Some(&self.default), Option::as_ref);
        mask(masker, text, ledger)
    }

    /// Returns the screen for messages of servers outside of sessions.
    pub fn screen(&self) -> Screen {
        let maskers = self.clone();
        Screen::new(move |server, text| maskers.mask_server(server, text, &mut Ledger::without_numbers()))
    }
}

fn mask(masker: Option<&Masker>, text: String, ledger: &mut Ledger) -> String {
    match masker {
        Some(masker) => masker.mask(&text, ledger).text,
        None => text,
    }
}

fn alert_selection(masking: &AlertMasking) -> Option<Selection> {
    masking.enabled.then(|| Selection::groups([masking.pattern_group.as_str()]))
}

/// Returns what to mask in the results of a server. Custom patterns are added to the default group unless the
/// section names groups or patterns.
fn server_selection(masking: Option<&DataMasking>) -> Option<Selection> {
    let masking = masking.cloned().unwrap_or_default();
    let custom = masking.custom_patterns.into_iter().enumerate().map(|(index, own)| CustomPattern {
        name: own.name_or_place(index),
        pattern: own.pattern,
        replacement: own.replacement,
    });
    let is_default = masking.pattern_groups.is_empty() && masking.patterns.is_empty();
    let groups = if is_default { vec![DEFAULT_GROUP.to_owned()] } else { masking.pattern_groups };
    masking.enabled.then(|| Selection { groups, patterns: masking.patterns, custom: custom.collect() })
}
