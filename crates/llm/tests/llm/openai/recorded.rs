//! Recorded responses of the real APIs, if available. They are not part of the repository.

use std::path::PathBuf;

use serde_json::Value;

/// Returns the bytes of a recorded file, or `None` if it is not available.
#[expect(clippy::print_stdout, reason = "a test that is left out says so")]
pub(crate) fn recorded(name: &str) -> Option<Vec<u8>> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("TARSY_TEST_DATA").map_or_else(default, PathBuf::from);
    let bytes = std::fs::read(data.join("wire").join(name)).ok();
    if bytes.is_none() {
        println!("skipped: no recorded {name}");
    }
    bytes
}

/// Returns the data of its events, as text.
pub(crate) fn data_lines(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
}

/// Returns the data of its events that is JSON.
pub(crate) fn events(bytes: &[u8]) -> Vec<Value> {
    data_lines(bytes).iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Sizes of pieces: single bytes, sizes that split events and characters, and everything in one piece.
pub(crate) const PIECES: [usize; 4] = [1, 3, 7, usize::MAX];
