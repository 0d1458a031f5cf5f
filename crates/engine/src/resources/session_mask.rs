//! Masking within one session: the same value has the same placeholder in all executions.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;
use tarsy_masking::{Ledger, LedgerRecord};
use tarsy_tools::Screen;

use crate::Maskers;

/// Masks the texts of one session. Cheap to clone; all clones share one ledger.
#[derive(Clone)]
pub struct SessionMask {
    maskers: Arc<Maskers>,
    /// The masked values. The lock is held while a text is masked, and never across an await.
    ledger: Arc<Mutex<Ledger>>,
}

impl SessionMask {
    /// Creates the mask of a session without masked values.
    pub fn new(maskers: Arc<Maskers>, session: SessionId) -> Self {
        Self::resume(maskers, session, &LedgerRecord::default())
    }

    /// Restores the mask of a session from its recorded ledger.
    pub fn resume(maskers: Arc<Maskers>, session: SessionId, record: &LedgerRecord) -> Self {
        let ledger = Ledger::resume(session.to_string().as_bytes(), record);
        Self { maskers, ledger: Arc::new(Mutex::new(ledger)) }
    }

    /// Masks a text of the alert.
    pub fn mask_alert(&self, text: impl Into<String>) -> String {
        self.maskers.mask_alert(text.into(), &mut self.ledger())
    }

    /// Returns the screen for messages of servers to executions of this session.
    pub fn screen(&self) -> Screen {
        let mask = self.clone();
        Screen::new(move |server, text| mask.maskers.mask_server(server, text, &mut mask.ledger()))
    }

    /// Returns the record for [`SessionMask::resume`].
    pub fn record(&self) -> LedgerRecord {
        self.ledger().record()
    }

    /// Returns the number of masked values.
    pub(crate) fn len(&self) -> usize {
        self.ledger().len()
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows only the number of values: digests of short values could be guessed.
impl fmt::Debug for SessionMask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SessionMask").field("values", &self.ledger().len()).finish_non_exhaustive()
    }
}
