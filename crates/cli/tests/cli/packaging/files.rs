//! Files of the repository, and their YAML.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns a path in the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Reads a file.
pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Parses all documents of a YAML file.
pub(crate) fn documents(name: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Parses a YAML file with one document.
pub(crate) fn document(name: &str) -> Value {
    let mut documents = documents(name);
    assert_eq!(documents.len(), 1, "{name}");
    documents.remove(0)
}

/// Converts a list of strings.
pub(crate) fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("not a list: {list}"));
    items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// Returns the graceful shutdown timeout of a configuration in seconds.
pub(crate) fn graceful_seconds(config: &str) -> u64 {
    let period = document(config)["queue"]["graceful_shutdown_timeout"].as_str().unwrap().to_owned();
    let minutes = period.strip_suffix('m').unwrap_or_else(|| panic!("expected minutes: {period}"));
    minutes.parse::<u64>().unwrap() * 60
}

/// The duration of a shutdown in addition to waiting for sessions: requests in flight (30 s), tools (10 s),
/// traces (5 s).
pub(crate) const STOPPING_SECONDS: u64 = 45;
