//! Masking accepts any text, is deterministic, and keeps JSON valid.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tarsy_masking::{Ledger, Masker, Selection};

static MASKER: LazyLock<Masker> = LazyLock::new(|| Masker::new(&Selection::groups(["all"])).unwrap());

fuzz_target!(|text: &str| {
    let mut ledger = Ledger::new(b"session");
    let masked = MASKER.mask(text, &mut ledger);
    assert!(!masked.is_withheld() || text.starts_with(tarsy_masking::WITHHELD));
    assert_eq!(masked.total() == 0, masked.text == text);
    let again = MASKER.mask(text, &mut ledger);
    assert_eq!(again, masked);
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        serde_json::from_str::<serde::de::IgnoredAny>(&masked.text).unwrap();
    }
});
