//! Masks secrets in alerts and chat questions before they are stored.

use tarsy_config::Config;
use tarsy_domain::SessionId;
use tarsy_masking::{Ledger, LedgerRecord, Masker, MaskerError, Selection};

/// Masks the texts of alerts and chat questions.
#[derive(Debug)]
pub struct AlertMask {
    /// None if masking of alerts is disabled.
    masker: Option<Masker>,
}

/// The masked texts of an alert.
#[derive(Debug, PartialEq, Eq)]
pub struct MaskedAlert<const TEXTS: usize> {
    /// The texts, in the given order.
    pub texts: [String; TEXTS],
    /// The ledger to store with the session, so that a value keeps its placeholder; None if no new secret was
    /// found.
    pub masked_values: Option<LedgerRecord>,
}

impl AlertMask {
    /// Creates the mask for a configuration. Fails if a pattern is invalid.
    pub fn new(config: &Config) -> Result<Self, MaskerError> {
        let masking = &config.defaults().alert_masking;
        let selection = masking.enabled.then(|| Selection::groups([masking.pattern_group.as_str()]));
        Ok(Self { masker: selection.map(|selection| Masker::new(&selection)).transpose()? })
    }

    /// Masks the texts of a new session.
    pub fn mask<const TEXTS: usize>(
        &self,
        session_id: SessionId,
        texts: [String; TEXTS],
    ) -> MaskedAlert<TEXTS> {
        self.mask_further(session_id, &LedgerRecord::default(), texts)
    }

    /// Masks further texts of a session. A value that was masked before gets the same placeholder.
    pub(crate) fn mask_further<const TEXTS: usize>(
        &self,
        session_id: SessionId,
        known: &LedgerRecord,
        texts: [String; TEXTS],
    ) -> MaskedAlert<TEXTS> {
        let Some(masker) = &self.masker else { return MaskedAlert { texts, masked_values: None } };
        let mut ledger = Ledger::resume(session_id.to_string().as_bytes(), known);
        let before = ledger.len();
        let texts = texts.map(|text| masker.mask(&text, &mut ledger).text);
        let record = (ledger.len() > before).then(|| ledger.record());
        MaskedAlert { texts, masked_values: record }
    }
}
