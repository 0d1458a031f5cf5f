//! The ledger of a session: maps masked values to placeholders, so that equal values get equal placeholders.
//!
//! A ledger contains no values, only keyed digests. With a ledger and its salt a guess can be verified, so a
//! short password could be found by brute force: protect a stored ledger as well as the session itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::embedded::unescaped;
use crate::kind::SecretKind;

/// Digest of a value: half of a SHA-256 over the salt and the value.
type ValueDigest = [u8; 16];

/// The values of a session with their placeholders.
///
/// A value keeps the kind that it was first seen with, so that it has one placeholder.
#[derive(Debug, Clone)]
pub struct Ledger {
    salted: Sha256,
    names: HashMap<ValueDigest, (&'static str, u32)>,
    /// Number of values of each kind.
    counts: HashMap<&'static str, u32>,
    /// Whether placeholders are numbered.
    numbers: bool,
}

/// The stored form of a ledger: hexadecimal digests with `kind#number`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LedgerRecord(pub BTreeMap<String, String>);

impl Ledger {
    /// Creates an empty ledger. The salt must be unique to the session, such as its id.
    pub fn new(salt: &[u8]) -> Self {
        // The digest of the salt has a fixed length, so different pairs of salt and value never collide.
        let salted = Sha256::new_with_prefix(Sha256::digest(salt));
        Self { salted, names: HashMap::new(), counts: HashMap::new(), numbers: true }
    }

    /// Creates a ledger that stores nothing and does not number placeholders, for texts that belong to no
    /// session: a number could be mistaken for a number of a session.
    pub fn without_numbers() -> Self {
        Self { numbers: false, ..Self::new(b"") }
    }

    /// Restores a ledger. Invalid entries and kinds that no longer exist are dropped.
    pub fn resume(salt: &[u8], record: &LedgerRecord) -> Self {
        let mut ledger = Self::new(salt);
        for (digest, name) in &record.0 {
            if let (Some(digest), Some((kind, number))) = (parse_digest(digest), parse_name(name)) {
                ledger.names.insert(digest, (kind, number));
                let count = ledger.counts.entry(kind).or_default();
                *count = (*count).max(number);
            }
        }
        ledger
    }

    /// Returns the stored form for [`Ledger::resume`].
    pub fn record(&self) -> LedgerRecord {
        let entry = |(digest, (kind, number)): (&ValueDigest, &(&str, u32))| {
            (hex::encode(digest), format!("{kind}#{number}"))
        };
        LedgerRecord(self.names.iter().map(entry).collect())
    }

    /// Returns the number of different values.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether the ledger is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the placeholder of a value, assigning the next number to a new one.
    pub(crate) fn placeholder(&mut self, kind: SecretKind, value: &[u8]) -> String {
        if !self.numbers {
            return format!("[MASKED:{}]", kind.as_str());
        }
        let (kind, number) = *self.names.entry(digest(&self.salted, value)).or_insert_with(|| {
            let count = self.counts.entry(kind.as_str()).or_default();
            *count += 1;
            (kind.as_str(), *count)
        });
        format!("[MASKED:{kind}#{number}]")
    }
}

/// Returns the digest of a value, independent of escapes and of the indentation of its lines.
fn digest(salted: &Sha256, value: &[u8]) -> ValueDigest {
    let mut hash = salted.clone();
    let plain = if value.contains(&b'\\') { Cow::Owned(unescaped(value)) } else { Cow::Borrowed(value) };
    for line in plain.split(|byte| *byte == b'\n') {
        hash.update(line.trim_ascii());
    }
    let mut digest = ValueDigest::default();
    digest.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    digest
}

fn parse_digest(text: &str) -> Option<ValueDigest> {
    let mut digest = ValueDigest::default();
    hex::decode_to_slice(text, &mut digest).ok()?;
    Some(digest)
}

fn parse_name(name: &str) -> Option<(&'static str, u32)> {
    let (kind, number) = name.split_once('#')?;
    Some((SecretKind::named(kind)?.as_str(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_get_equal_placeholders() {
        let mut ledger = Ledger::new(b"session");
        assert_eq!(ledger.placeholder(SecretKind::Password, b"one"), "[MASKED:password#1]");
        assert_eq!(ledger.placeholder(SecretKind::Password, b"two"), "[MASKED:password#2]");
        assert_eq!(ledger.placeholder(SecretKind::Token, b"three"), "[MASKED:token#1]");
        assert_eq!(ledger.placeholder(SecretKind::Token, b"one"), "[MASKED:password#1]");
        assert_eq!(ledger.len(), 3);
    }

    #[test]
    fn a_ledger_without_numbers_stores_nothing() {
        let mut ledger = Ledger::without_numbers();
        assert_eq!(ledger.placeholder(SecretKind::Password, b"one"), "[MASKED:password]");
        assert!(ledger.is_empty());
    }

    #[test]
    fn a_restored_ledger_continues_its_numbering() {
        let mut ledger = Ledger::new(b"session");
        ledger.placeholder(SecretKind::Password, b"one");
        let mut resumed = Ledger::resume(b"session", &ledger.record());
        assert_eq!(resumed.record(), ledger.record());
        assert_eq!(resumed.placeholder(SecretKind::Password, b"two"), "[MASKED:password#2]");
        assert_eq!(resumed.placeholder(SecretKind::Password, b"one"), "[MASKED:password#1]");
    }

    #[test]
    fn sessions_have_different_digests_of_the_same_value() {
        let record = |salt: &[u8]| {
            let mut ledger = Ledger::new(salt);
            ledger.placeholder(SecretKind::Password, b"one");
            ledger.record()
        };
        assert_ne!(record(b"a"), record(b"b"));
        assert!(record(b"a").0.keys().all(|digest| digest.len() == 32));
    }

    #[test]
    fn drops_invalid_entries() {
        let invalid = [("zz", "password#1"), (&"0".repeat(32), "no_kind#1"), (&"é".repeat(16), "token#1")];
        let record = LedgerRecord(invalid.map(|(digest, name)| (digest.to_owned(), name.to_owned())).into());
        assert!(Ledger::resume(b"session", &record).is_empty());
    }
}
