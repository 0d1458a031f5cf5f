//! What may be stored of what people and their systems send: secrets in it are masked before it is written down.

use tarsy_config::Config;
use tarsy_domain::SessionId;
use tarsy_masking::{Ledger, LedgerRecord, Masker, MaskerError, Selection};

/// Masks the texts of alerts, and the questions that are asked about them.
#[derive(Debug)]
pub struct AlertMask {
    /// None where alerts are not masked.
    masker: Option<Masker>,
}

/// The texts of an alert without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct MaskedAlert<const TEXTS: usize> {
    /// The texts, in the order in which they were given.
    pub texts: [String; TEXTS],
    /// What the session keeps, so that the same value gets the same placeholder later; None if no secret is new.
    pub masked_values: Option<LedgerRecord>,
}

impl AlertMask {
    /// The mask that a configuration asks for.
    pub fn new(config: &Config) -> Result<Self, MaskerError> {
        let masking = &config.defaults().alert_masking;
        let selection = masking.enabled.then(|| Selection::groups([masking.pattern_group.as_str()]));
        Ok(Self { masker: selection.map(|selection| Masker::new(&selection)).transpose()? })
    }

    /// Masks the texts of the alert that becomes this session.
    pub fn mask<const TEXTS: usize>(
        &self,
        session_id: SessionId,
        texts: [String; TEXTS],
    ) -> MaskedAlert<TEXTS> {
        self.mask_further(session_id, &LedgerRecord::default(), texts)
    }

    /// Masks what comes to a session in which values were masked before: the same value is the same placeholder.
    pub(crate) fn mask_further<const TEXTS: usize>(
        &self,
        session_id: SessionId,
        seen: &LedgerRecord,
        texts: [String; TEXTS],
    ) -> MaskedAlert<TEXTS> {
        let Some(masker) = &self.masker else { return MaskedAlert { texts, masked_values: None } };
        let mut ledger = Ledger::resume(session_id.to_string().as_bytes(), seen);
        let before = ledger.len();
        let texts = texts.map(|text| masker.mask(&text, &mut ledger).text);
        let record = (ledger.len() > before).then(|| ledger.record());
        MaskedAlert { texts, masked_values: record }
    }
}
