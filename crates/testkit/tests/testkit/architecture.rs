//! Checks the dependency rules of ARCHITECTURE.md against the manifests and the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the project that each crate may depend on. Every crate must be listed.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("config", &["domain", "masking"]),
    ("agent", &["domain"]),
    ("llm", &["domain"]),
    ("masking", &[]),
    ("store", &["domain"]),
    ("tools", &["domain"]),
    ("engine", &["domain", "config", "agent", "llm", "masking", "store", "tools"]),
    ("server", &["domain", "config", "masking", "store"]),
    ("demo", &["domain", "config", "llm"]),
    ("replay", &["domain", "config", "llm", "tools"]),
    (
        "cli",
        &[
            "domain", "config", "agent", "llm", "masking", "store", "tools", "engine", "server", "demo",
            "replay",
        ],
    ),
    ("testkit", &["domain", "config", "agent", "llm", "masking", "store", "tools", "engine", "server"]),
];

/// Libraries that only the listed crates may use.
const LIBRARY_OWNERS: &[(&str, &[&str])] = &[
    ("sqlx", &["store", "testkit"]),
    ("rusqlite", &["store"]),
    ("axum", &["server", "testkit"]),
    ("clap", &["cli"]),
    // `tools` is an MCP client; `demo` and `replay` are MCP servers.
    ("rmcp", &["demo", "replay", "tools"]),
    ("minijinja", &["agent"]),
    ("saphyr-parser", &["agent", "config"]),
    ("aho-corasick", &["masking"]),
    // Digests of secrets, tokens and alert groups, and signatures of webhooks.
    ("sha2", &["masking", "server"]),
    ("hmac", &["server"]),
    ("subtle", &["server"]),
    ("prometheus-client", &["server"]),
    // The other crates only create `tracing` spans.
    ("opentelemetry", &["cli"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the names under `[dependencies]` of every crate, by folder.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut dependencies = BTreeMap::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let names = names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned);
        dependencies.insert(folder.file_name().unwrap().to_string_lossy().into_owned(), names.collect());
    }
    dependencies
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    for (folder, names) in dependencies() {
        let (_, allowed) =
            ALLOWED_DEPENDENCIES.iter().find(|(known, _)| *known == folder).unwrap_or_else(|| {
                panic!("crates/{folder} is not in the map: add it here and to ARCHITECTURE.md")
            });
        for name in names.iter().filter_map(|name| name.strip_prefix("tarsy-")) {
            assert!(allowed.contains(&name), "{folder} must not depend on {name}");
        }
    }
}

#[test]
fn libraries_are_used_only_by_allowed_crates() {
    for (folder, names) in dependencies() {
        for (library, owners) in LIBRARY_OWNERS {
            let uses = names.iter().any(|name| name == library);
            assert!(
                !uses || owners.contains(&folder.as_str()),
                "{folder} must not use {library}: {owners:?} may"
            );
        }
    }
}

#[test]
fn only_config_reads_the_environment() {
    for folder in dependencies().into_keys().filter(|folder| folder != "config" && folder != "testkit") {
        for file in rust_files(&crates().join(&folder).join("src")) {
            let source = fs::read_to_string(&file).unwrap();
            assert!(!source.contains("env::var"), "{} reads the environment", file.display());
        }
    }
}

/// Libraries for async code, clocks, randomness and I/O, which the agent core must not use.
const IMPURE: &[&str] = &[
    "async",
    "fastrand",
    "futures",
    "getrandom",
    "hyper",
    "jiff",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "socket2",
    "sqlx",
    "tempfile",
    "tokio",
    "tonic",
    "ureq",
];

#[test]
fn the_agent_core_is_pure() {
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", "tarsy-agent", "--edges", "normal", "--prefix", "none"])
        .current_dir(crates())
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("tarsy-domain"), "unexpected output of cargo tree: {tree}");
    for library in tree.lines().filter_map(|line| line.split(['-', '_', ' ']).next()) {
        assert!(!IMPURE.contains(&library), "tarsy-agent must not be built with {library}");
    }
    for file in rust_files(&crates().join("agent/src")) {
        let source = fs::read_to_string(&file).unwrap();
        for word in ["std::fs", "std::net", "std::process", "std::thread", "SystemTime", "Instant::now"] {
            assert!(!source.contains(word), "{} uses {word}", file.display());
        }
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
