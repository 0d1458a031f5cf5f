//! Which values a session has seen, so that the same value gets the same placeholder everywhere in it.
//!
//! A ledger holds no value, only keyed digests of them. Whoever has a ledger and its salt can check a guess, so a
//! short password could be found by trying; keep a record of it no more open than the session itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::embedded::unescaped;
use crate::kind::Kind;

/// What stands for a value: half of a SHA-256 over the salt and the value.
type Digest = [u8; 16];

/// The values seen in a session, and how each is called.
///
/// The first kind a value was seen as stays its kind: that is what makes one value one placeholder.
#[derive(Debug, Clone)]
pub struct Ledger {
    salted: Sha256,
    names: HashMap<Digest, (&'static str, u32)>,
    /// How many values each kind has.
    counts: HashMap<&'static str, u32>,
    /// Whether values are told apart at all.
    numbers: bool,
}

/// A ledger as it is kept between processes: digests in hexadecimal, and what each is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LedgerRecord(pub BTreeMap<String, String>);

impl Ledger {
    /// An empty ledger. The salt is something that belongs to the session alone, such as its id.
    pub fn new(salt: &[u8]) -> Self {
        // The digest of the salt has a fixed length, so that no salt and value can be taken for another pair.
        let salted = Sha256::new_with_prefix(Sha256::digest(salt));
        Self { salted, names: HashMap::new(), counts: HashMap::new(), numbers: true }
    }

    /// A ledger that remembers nothing and numbers nothing, for texts of no session: a number there would be taken for
    /// that of some session.
    pub fn without_numbers() -> Self {
        Self { numbers: false, ..Self::new(b"") }
    }

    /// The ledger as it was when it was recorded. Names that no longer exist are forgotten.
    pub fn resume(salt: &[u8], record: &LedgerRecord) -> Self {
        let mut ledger = Self::new(salt);
        for (digest, name) in &record.0 {
            if let (Some(digest), Some((kind, number))) = (from_hex(digest), from_name(name)) {
                ledger.names.insert(digest, (kind, number));
                let count = ledger.counts.entry(kind).or_default();
                *count = (*count).max(number);
            }
        }
        ledger
    }

    /// What to keep for [`Ledger::resume`].
    pub fn record(&self) -> LedgerRecord {
        let entry =
            |(digest, (kind, number)): (&Digest, &(&str, u32))| (hex(digest), format!("{kind}#{number}"));
        LedgerRecord(self.names.iter().map(entry).collect())
    }

    /// How many different values were seen.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no value was seen.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The placeholder of a value.
    pub(crate) fn placeholder(&mut self, kind: Kind, value: &[u8]) -> String {
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

/// A value is the same value with escapes or without, and, if it has several lines, however they are indented.
fn digest(salted: &Sha256, value: &[u8]) -> Digest {
    let mut hash = salted.clone();
    let plain = if value.contains(&b'\\') { Cow::Owned(unescaped(value)) } else { Cow::Borrowed(value) };
    for line in plain.split(|byte| *byte == b'\n') {
        hash.update(line.trim_ascii());
    }
    let mut digest = Digest::default();
    digest.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    digest
}

fn hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 2 * digest.len() {
        return None;
    }
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(digest)
}

fn from_name(name: &str) -> Option<(&'static str, u32)> {
    let (kind, number) = name.split_once('#')?;
    Some((Kind::named(kind)?.as_str(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_placeholder() {
        let mut ledger = Ledger::new(b"session");
        assert_eq!(ledger.placeholder(Kind::Password, b"one"), "[MASKED:password#1]");
        assert_eq!(ledger.placeholder(Kind::Password, b"two"), "[MASKED:password#2]");
        assert_eq!(ledger.placeholder(Kind::Token, b"three"), "[MASKED:token#1]");
        assert_eq!(ledger.placeholder(Kind::Token, b"one"), "[MASKED:password#1]");
        assert_eq!(ledger.len(), 3);
    }

    #[test]
    fn a_ledger_without_numbers_remembers_nothing() {
        let mut ledger = Ledger::without_numbers();
        assert_eq!(ledger.placeholder(Kind::Password, b"one"), "[MASKED:password]");
        assert!(ledger.is_empty());
    }

    #[test]
    fn a_resumed_ledger_goes_on_where_it_was() {
        let mut ledger = Ledger::new(b"session");
        ledger.placeholder(Kind::Password, b"one");
        let mut resumed = Ledger::resume(b"session", &ledger.record());
        assert_eq!(resumed.record(), ledger.record());
        assert_eq!(resumed.placeholder(Kind::Password, b"two"), "[MASKED:password#2]");
        assert_eq!(resumed.placeholder(Kind::Password, b"one"), "[MASKED:password#1]");
    }

    #[test]
    fn sessions_have_different_digests_for_the_same_value() {
        let record = |salt: &[u8]| {
            let mut ledger = Ledger::new(salt);
            ledger.placeholder(Kind::Password, b"one");
            ledger.record()
        };
        assert_ne!(record(b"a"), record(b"b"));
        assert!(record(b"a").0.keys().all(|digest| digest.len() == 32));
    }

    #[test]
    fn a_spoilt_record_is_forgotten_and_not_believed() {
        let spoilt = [("zz", "password#1"), (&"0".repeat(32), "no_kind#1"), (&"é".repeat(16), "token#1")];
        let record = LedgerRecord(spoilt.map(|(digest, name)| (digest.to_owned(), name.to_owned())).into());
        assert!(Ledger::resume(b"session", &record).is_empty());
    }
}
