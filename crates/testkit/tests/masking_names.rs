//! What a configuration may name is what masking knows; the two crates do not know each other.

use tarsy_config::builtin::{PATTERN_GROUPS, PATTERNS};

#[test]
fn configuration_and_masking_know_the_same_names() {
    assert_eq!(PATTERN_GROUPS, tarsy_masking::GROUPS);
    assert_eq!(PATTERNS, tarsy_masking::PATTERNS);
}
