//! What is masked where: one masker for alerts, one for each MCP server, made once from a configuration.
//!
//! Masking is on unless the configuration turns it off. What a masker finds is not decided here.

use std::collections::BTreeMap;

use tarsy_config::Config;
use tarsy_config::file::{AlertMasking, DataMasking};
use tarsy_masking::{CustomPattern, Ledger, Masker, MaskerError, Selection};
use tarsy_tools::Screen;
use thiserror::Error;

/// What is masked where nobody has chosen.
const USUAL_GROUP: &str = "security";

/// The maskers of a configuration. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Maskers {
    /// None where alerts are not masked.
    alerts: Option<Masker>,
    /// None for servers whose results are not masked.
    servers: BTreeMap<String, Option<Masker>>,
    /// For servers that nobody knows.
    usual: Masker,
}

/// A choice of patterns that cannot be used.
#[derive(Debug, Error)]
#[error("the masking of {place}")]
pub struct MaskersError {
    /// Whose texts it is about.
    place: String,
    /// What is wrong with it.
    source: MaskerError,
}

impl Maskers {
    /// The maskers of this configuration.
    pub fn new(config: &Config) -> Result<Self, MaskersError> {
        let make = |place: &str, selection: &Selection| {
            Masker::new(selection).map_err(|source| MaskersError { place: place.to_owned(), source })
        };
        let alerts = of_alerts(&config.defaults().alert_masking);
        let alerts = alerts.map(|selection| make("alerts", &selection)).transpose()?;
        let mut servers = BTreeMap::new();
        for (name, server) in config.mcp_servers() {
            let selection = of_server(server.data_masking.as_ref());
            let masker =
                selection.map(|selection| make(&format!("server `{name}`"), &selection)).transpose()?;
            servers.insert(name.clone(), masker);
        }
        Ok(Self { alerts, servers, usual: make("everything else", &Selection::groups([USUAL_GROUP]))? })
    }

    /// What may be seen of a text of an alert.
    pub fn mask_alert(&self, text: String, ledger: &mut Ledger) -> String {
        mask(self.alerts.as_ref(), text, ledger)
    }

    /// What may be seen of a text of a server.
    pub fn mask_server(&self, server: &str, text: String, ledger: &mut Ledger) -> String {
        let masker = self.servers.get(server).map_or(Some(&self.usual), Option::as_ref);
        mask(masker, text, ledger)
    }

    /// The screen for what servers say outside of any session.
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

fn of_alerts(masking: &AlertMasking) -> Option<Selection> {
    masking.enabled.then(|| Selection::groups([masking.pattern_group.as_str()]))
}

/// Own patterns come on top of the usual group unless groups or single patterns are named.
fn of_server(masking: Option<&DataMasking>) -> Option<Selection> {
    let masking = masking.cloned().unwrap_or_default();
    let custom = masking.custom_patterns.into_iter().map(|own| CustomPattern {
        name: own.name,
        pattern: own.pattern,
        replacement: own.replacement,
    });
    let unchosen = masking.pattern_groups.is_empty() && masking.patterns.is_empty();
    let groups = if unchosen { vec![USUAL_GROUP.to_owned()] } else { masking.pattern_groups };
    masking.enabled.then(|| Selection { groups, patterns: masking.patterns, custom: custom.collect() })
}
