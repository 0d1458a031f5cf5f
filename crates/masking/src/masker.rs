//! The masker: created once from a selection, used for every text.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::custom::CustomPatterns;
use crate::edit::{self, Edit};
use crate::kind::{SecretKind, SecretKinds};
use crate::kubernetes;
use crate::ledger::Ledger;
use crate::masked::Masked;
use crate::scan::Scanner;
use crate::selection::{MaskerError, Selection};
use crate::write::PlaceholderWriter;
use crate::{embedded, span};

/// Texts longer than this are withheld.
pub const MAX_BYTES: usize = 256 << 20;

/// Maximum nesting of embedded strings. Each level doubles the backslashes, so deeper ones do not occur.
const MAX_DEPTH: usize = 6;

/// Number of masked values by kind.
type MaskCounts = BTreeMap<String, usize>;

/// Masks the secrets of a selection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Masker {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    kinds: SecretKinds,
    scanner: Scanner,
    custom: CustomPatterns,
}

impl Masker {
    /// Creates a masker. Fails if the selection is invalid.
    pub fn new(selection: &Selection) -> Result<Self, MaskerError> {
        let kinds = selection.kinds()?;
        let custom = CustomPatterns::new(&selection.custom)?;
        Ok(Self { inner: Arc::new(Inner { kinds, scanner: Scanner::new(kinds)?, custom }) })
    }

    /// Masks a text. Never fails: a text that cannot be masked is withheld completely.
    ///
    /// A value that is in the ledger gets its existing placeholder.
    pub fn mask(&self, text: &str, ledger: &mut Ledger) -> Masked {
        if text.len() > MAX_BYTES {
            return Masked::withheld(text.len(), "it is too long");
        }
        // A panic is a bug; if one occurs, the text must still not leak.
        catch_unwind(AssertUnwindSafe(|| self.inner.mask(text, ledger)))
            .unwrap_or(Err("masking failed"))
            .unwrap_or_else(|why| Masked::withheld(text.len(), why))
    }
}

impl Inner {
    fn mask(&self, text: &str, ledger: &mut Ledger) -> Result<Masked, &'static str> {
        let mut counts = BTreeMap::new();
        let text = self.custom.apply(text, &mut counts);
        if self.kinds.is_empty() {
            return Ok(Masked { text: text.into_owned(), counts });
        }
        let edits = self.edits(text.as_bytes(), MAX_DEPTH, ledger, &mut counts);
        Ok(Masked { text: edit::apply(&text, &edits)?, counts })
    }

    /// Returns the edits of a text and of the strings embedded in it.
    fn edits(&self, text: &[u8], depth: usize, ledger: &mut Ledger, counts: &mut MaskCounts) -> Vec<Edit> {
        let embedded = if depth > 0 { embedded::find(text) } else { Vec::new() };
        let mut spans = Vec::new();
        self.scanner.scan(text, &embedded, &mut spans);
        if self.kinds.has(SecretKind::KubernetesSecret) {
            kubernetes::find(text, &embedded, &mut spans);
        }
        let mut writer = PlaceholderWriter::new(text);
        let mut inner = Vec::new();
        let mut embedded = embedded.into_iter().peekable();
        for span in span::merge(text, spans) {
            while let Some(piece) = embedded.next_if(|piece| piece.start < span.start) {
                piece.translate(text, self.edits(&piece.read(text), depth - 1, ledger, counts), &mut inner);
            }
            while embedded.next_if(|piece| piece.end <= span.end).is_some() {}
            let value = text.get(span.start..span.end).unwrap_or_default();
            writer.replace(span, ledger.placeholder(span.kind, value));
            *counts.entry(span.kind.as_str().to_owned()).or_default() += 1;
        }
        for piece in embedded {
            piece.translate(text, self.edits(&piece.read(text), depth - 1, ledger, counts), &mut inner);
        }
        edit::join(writer.finish(), inner)
    }
}
