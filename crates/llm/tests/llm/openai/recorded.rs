//! Answers of the real interfaces, where the shared data is at hand. They stay outside the repository.

use std::path::PathBuf;

use serde_json::Value;

/// The bytes of a recorded file, if there is one.
#[expect(clippy::print_stdout, reason = "a test that is left out says so")]
pub(crate) fn recorded(name: &str) -> Option<Vec<u8>> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("TARSY_TEST_DATA").map_or_else(beside, PathBuf::from);
    let bytes = std::fs::read(data.join("wire").join(name)).ok();
    if bytes.is_none() {
        println!("skipped: no recorded {name}");
    }
    bytes
}

/// The data of its events, as text.
pub(crate) fn data_lines(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
}

/// The data of its events that is JSON.
pub(crate) fn events(bytes: &[u8]) -> Vec<Value> {
    data_lines(bytes).iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Sizes of pieces: every byte alone, across every border, inside every sign, and all at once.
pub(crate) const PIECES: [usize; 4] = [1, 3, 7, usize::MAX];
