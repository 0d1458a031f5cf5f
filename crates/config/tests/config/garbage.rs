//! Loading any text terminates, does not panic, and reports locations inside the file.

use std::fs;

use proptest::prelude::*;
use tarsy_config::{Config, Environment};

/// Pieces that are likely to trigger edge cases of the parser, the reader and the rules.
const PIECES: &str = "agents agent_chains mcp_servers llm_providers queue defaults system stages name agent alert_types when type \
    transport env headers worker_count override replicas success_policy failure_policy lease_duration heartbeat_interval KubernetesAgent \
    kubernetes x true 5 -1 1.5 ~ stages.x.status ${A} ${B} ${A:- {{.A}} $${ &a *a << !t | >- --- ... ' \" \\ [ ] { } , : ? # ü \0 %YAML \
    url api_key_env bearer_token token: TOKEN= Bearer --token http:// me:x@h ?a=b& @";

/// Separators of the other pieces.
const GAPS: [&str; 12] =
    [" ", "\n", "\n  ", "\n    ", "\n      ", ": ", "- ", "? ", "\t", "\r\n", "\u{feff}", "\u{2028}"];

fn pieces() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = PIECES.split_whitespace().chain(GAPS).chain(GAPS).collect();
    prop::collection::vec(prop::sample::select(pieces), 0..60).prop_map(|pieces| pieces.concat())
}

/// Valid structure with unusual values in unusual places.
fn shaped() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "x", "5", "[]", "{}", "[x]", "{a: b}", "", "~", "true", "${A}", "${B}", "''", "5s", "react", "stdio",
        "google", "*anchor",
    ]);
    let line = (
        prop::sample::select(vec![0_usize, 2, 4, 6, 8]),
        prop::sample::select(vec![
            "agents",
            "agent_chains",
            "mcp_servers",
            "llm_providers",
            "queue",
            "defaults",
            "system",
            "x",
            "y",
            "stages",
            "- name",
            "agent",
            "alert_types",
            "when",
            "type",
            "transport",
            "env",
            "worker_count",
            "override",
            "mcp_servers",
            "llm_provider",
            "model",
            "iteration_timeout",
            "fallback_providers",
            "synthesis",
            "chat",
            "tools",
            "data_masking",
        ]),
        value,
    );
    prop::collection::vec(line, 0..25).prop_map(|lines| {
        lines.iter().map(|(indent, key, value)| format!("{}{key}: {value}\n", " ".repeat(*indent))).collect()
    })
}

/// Checks the guarantees of a loaded configuration.
fn every_reference_has_a_target(config: &Config) -> Result<(), TestCaseError> {
    for id in config.chains().keys() {
        let chain = config.resolved_chain(id).unwrap();
        prop_assert!(!chain.stages.is_empty() && !chain.alert_types.is_empty(), "{id}");
        for stage in &chain.stages {
            prop_assert!(!stage.agents.is_empty(), "{id}");
            for agent in stage.agents.iter().chain(&stage.synthesis).chain(&chain.chat) {
                prop_assert!(config.agents().contains_key(&agent.agent), "{agent:?}");
                prop_assert!(config.providers().contains_key(&agent.llm_provider), "{agent:?}");
                let mut servers = agent.mcp_servers.iter();
                prop_assert!(servers.all(|server| config.mcp_servers().contains_key(server)), "{agent:?}");
            }
        }
    }
    Ok(())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let environment: Environment = [("A", "a: [}\n")].into_iter().collect();
    let diagnostics = match Config::load(Some(directory.path()), &environment) {
        Ok(loaded) => {
            let _ = (loaded.config.view(), loaded.config.summary().to_string());
            every_reference_has_a_target(&loaded.config)?;
            loaded.warnings
        }
        Err(diagnostics) => diagnostics.iter().cloned().collect(),
    };
    let text = text.trim_start_matches('\u{feff}');
    for diagnostic in diagnostics {
        prop_assert!(!diagnostic.message.contains("please report"), "{diagnostic}");
        let Some(location) = &diagnostic.location else { continue };
        let width = text.lines().nth(location.line - 1).map(|line| line.chars().count());
        let inside =
            width.map_or(location.line == 1 && location.column == 1, |width| location.column <= width + 1);
        prop_assert!(
            location.column >= 1 && inside,
            "{}:{} is outside: {diagnostic}",
            location.line,
            location.column
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_loaded_or_rejected_cleanly(text in pieces()) {
        check(&text)?;
    }

    #[test]
    fn almost_valid_files_are_loaded_or_rejected_cleanly(text in shaped()) {
        check(&text)?;
    }
}

#[test]
fn an_error_in_a_directive_is_within_its_line() {
    check("%YAML\u{2028}\0\nagents").unwrap();
}
