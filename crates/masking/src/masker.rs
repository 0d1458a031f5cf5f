//! The masker: made once from a selection, used for every text.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::custom::CustomPatterns;
use crate::kind::{Kind, Kinds};
use crate::kubernetes;
use crate::ledger::Ledger;
use crate::masked::Masked;
use crate::scan::Scanner;
use crate::selection::{MaskerError, Selection};
use crate::{span, write};

/// Texts longer than this are withheld.
pub const MAX_BYTES: usize = 256 << 20;

/// Takes the secrets of a selection out of texts. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Masker {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    kinds: Kinds,
    scanner: Scanner,
    custom: CustomPatterns,
}

impl Masker {
    /// A masker for a selection, or what is wrong with the selection.
    pub fn new(selection: &Selection) -> Result<Self, MaskerError> {
        let kinds = selection.kinds()?;
        let custom = CustomPatterns::new(&selection.custom)?;
        Ok(Self { inner: Arc::new(Inner { kinds, scanner: Scanner::new(kinds)?, custom }) })
    }

    /// The text without its secrets. A text that cannot be masked is withheld: nothing of it comes back.
    ///
    /// A value that the ledger knows gets the placeholder it had before.
    pub fn mask(&self, text: &str, ledger: &mut Ledger) -> Masked {
        if text.len() > MAX_BYTES {
            return Masked::withheld(text.len(), "it is too long");
        }
        // Nothing in here is meant to panic; if something does, the text must not get through.
        catch_unwind(AssertUnwindSafe(|| self.inner.mask(text, ledger)))
            .unwrap_or(Err("masking failed"))
            .unwrap_or_else(|why| Masked::withheld(text.len(), why))
    }
}

impl Inner {
    fn mask(&self, text: &str, ledger: &mut Ledger) -> Result<Masked, &'static str> {
        let mut counts = BTreeMap::new();
        let text = self.custom.apply(text, &mut counts);
        let mut spans = Vec::new();
        if !self.kinds.is_empty() {
            self.scanner.scan(text.as_bytes(), &mut spans);
        }
        if self.kinds.has(Kind::KubernetesSecret) {
            kubernetes::find(text.as_bytes(), &mut spans);
        }
        let mut masked = write::write(&text, &span::settle(spans), ledger)?;
        for (name, count) in counts {
            *masked.counts.entry(name).or_default() += count;
        }
        Ok(masked)
    }
}
