//! The configurations load, and the recordings are consistent with their clusters.

use serde_json::{Map, Value};
use tarsy_domain::{Cassette, CassetteTurn};

use super::*;
use crate::cluster::Cluster;
use crate::model::CompatibleKey;
use crate::tool;

/// Longer results are shortened before an agent sees them; see `size_threshold_tokens`.
const MAX_RESULT_BYTES: usize = 10_000;

fn demo_config(incident: &'static Incident, model: DemoModel) -> DemoConfig {
    DemoConfig { incident, pace: DemoPace::Fast, model, program: PathBuf::from("/opt/${odd}/tarsy") }
}

#[test]
fn every_configuration_loads_without_warnings() {
    let models = [
        DemoModel::Recording,
        DemoModel::Vendor { variable: "GOOGLE_API_KEY", provider: "google-default" },
        DemoModel::Compatible { key: CompatibleKey::Unset },
        DemoModel::Compatible { key: CompatibleKey::Set },
    ];
    let variables =
        [("TARSY_OPENAI_COMPATIBLE_URL", "http://localhost:11434/v1"), ("GOOGLE_API_KEY", "a-long-key")];
    let key = [("TARSY_OPENAI_COMPATIBLE_API_KEY", "a-long-key")];
    let environment: Environment = variables.into_iter().chain(key).collect();
    for incident in Incident::all() {
        for model in models {
            let directory = tempfile::tempdir().unwrap();
            let loaded = demo_config(incident, model).load(directory.path(), &environment);
            let Loaded { config, warnings } = loaded.unwrap_or_else(|error| panic!("{model:?}: {error}"));
            assert!(warnings.is_empty(), "{model:?}: {warnings:?}");
            assert_eq!(config.default_provider(), model.provider());
            assert!(config.missing_for(model.provider()).is_empty(), "{model:?}");
        }
    }
}

#[test]
fn the_path_of_the_program_is_not_interpreted() {
    let directory = tempfile::tempdir().unwrap();
    let loaded = demo_config(&Incident::all()[0], DemoModel::Recording)
        .load(directory.path(), &Environment::default());
    let config = loaded.unwrap().config;
    let server = config.mcp_server("shop").unwrap();
    assert_eq!(server.transport.command.as_deref(), Some("/opt/${odd}/tarsy"));
}

#[test]
fn the_chain_accepts_every_alert_type() {
    let directory = tempfile::tempdir().unwrap();
    let loaded = demo_config(&Incident::all()[0], DemoModel::Recording)
        .load(directory.path(), &Environment::default());
    let config = loaded.unwrap().config;
    let built_in = Config::load(None, &Environment::default()).unwrap().config.alert_types();
    let of_incidents = Incident::all().iter().map(|incident| incident.alert_type.to_owned());
    for alert_type in built_in.into_iter().chain(of_incidents).chain(["Anything".to_owned()]) {
        assert_eq!(config.chain_for_alert_type(&alert_type).unwrap().id, "demo", "{alert_type}");
    }
}

#[test]
fn the_alert_is_json_and_started_in_the_past() {
    for incident in Incident::all() {
        let alert =
            demo_config(incident, DemoModel::Recording).alert("2030-01-01T12:00:00Z".parse().unwrap());
        let data: Value = serde_json::from_str(&alert.data).unwrap();
        let started: Timestamp = data["startsAt"].as_str().unwrap().parse().unwrap();
        assert!(started < "2030-01-01T12:00:00Z".parse().unwrap(), "{}", incident.name);
        assert_eq!(data["alertname"], alert.alert_type);
    }
}

#[test]
fn both_paces_have_the_same_content() {
    for incident in Incident::all() {
        let written = |pace| {
            let config = DemoConfig { pace, ..demo_config(incident, DemoModel::Recording) };
            parse_cassette(&config.recording().unwrap()).unwrap()
        };
        let (real, fast) = (written(DemoPace::Real), written(DemoPace::Fast));
        assert!(real.characters_per_second.is_some() && fast.characters_per_second.is_none());
        assert_eq!(real.without_pauses(), fast);
    }
}

/// Returns all tool calls on a cassette, of native and of ReAct agents, and of the chat.
fn recorded_calls(cassette: &Cassette) -> Vec<(String, Map<String, Value>)> {
    let of_questions = cassette.questions.iter().map(|question| &question.turns);
    cassette.agents.values().chain(of_questions).flatten().flat_map(calls_of_turn).collect()
}

fn calls_of_turn(turn: &CassetteTurn) -> Vec<(String, Map<String, Value>)> {
    let bound = turn.chunks.iter().filter_map(|chunk| chunk.tool_call.as_ref());
    let bound = bound.map(|call| (call.name.clone(), call.arguments.as_object().cloned().unwrap()));
    let written = turn.chunks.iter().filter_map(|chunk| written_call(chunk.text.as_deref()?));
    bound.chain(written).collect()
}

/// Returns the call in a ReAct reply.
fn written_call(text: &str) -> Option<(String, Map<String, Value>)> {
    let line = |label: &str| text.lines().find_map(|line| line.strip_prefix(label));
    let input =
        serde_json::from_str(line("Action Input: ")?).unwrap_or_else(|error| panic!("{error}: {text}"));
    Some((line("Action: ")?.to_owned(), input))
}

#[test]
fn every_recorded_call_succeeds_and_fits() {
    let clock = IncidentClock::start("2030-01-01T12:00:00Z".parse().unwrap());
    for incident in Incident::all() {
        let cluster = Cluster::of(incident).unwrap();
        let calls = recorded_calls(&parse_cassette(incident.cassette).unwrap());
        assert!(calls.len() > 10, "{}: {} calls", incident.name, calls.len());
        for (name, arguments) in calls {
            let called = format!("{}: {name} {arguments:?}", incident.name);
            let name = name.strip_prefix("shop.").unwrap_or_else(|| panic!("{called}"));
            let result = tool::run(name, arguments, &cluster, clock);
            let result = result.unwrap_or_else(|problem| panic!("{called}: {problem}"));
            assert!(
                !result.starts_with("No ") && result.len() < MAX_RESULT_BYTES,
                "{called}: {} bytes",
                result.len()
            );
        }
    }
}

/// Claims of the recordings, with the calls that confirm them.
const CLAIMS: &[(&str, &str, &str, &str)] = &[
    ("checkout-oom", "kubectl_get", r#"{"kind": "pods"}"#, "CrashLoopBackOff"),
    (
        "checkout-oom",
        "logs",
        r#"{"pod": "checkout-6c9d7f5b8-k2x4p", "previous": true}"#,
        "quote cache, 317 MiB",
    ),
    ("checkout-oom", "deploy_history", "{}", "QUOTE_CACHE_MAX_ENTRIES: \"0\""),
    ("checkout-oom", "kubectl_describe", r#"{"kind": "node", "name": "node-b"}"#, "Evicted pods:  none"),
    (
        "expired-certificate",
        "kubectl_describe",
        r#"{"kind": "cert", "name": "shop-internal-ca"}"#,
        "719 attempts",
    ),
    ("expired-certificate", "logs", r#"{"pod": "cert-keeper-58d9c7b6f-xv7lq"}"#, "attempt=719"),
    ("expired-certificate", "deploy_history", r#"{"since": "60d"}"#, "secret/shop-root-key         removed"),
    ("expired-certificate", "query_metrics", r#"{"metric": "payments_client_error_ratio"}"#, "last 1\n"),
    ("slow-database", "logs", r#"{"pod": "orders-migrate-3-8-0-tz6nb"}"#, "INVALID"),
    ("slow-database", "logs", r#"{"pod": "orders-db-0", "grep": "plan"}"#, "rows removed by filter: 8412077"),
    ("slow-database", "query_metrics", r#"{"metric": "db_pool_in_use"}"#, "last 20\n"),
];

#[test]
fn the_cluster_confirms_the_claims_of_the_recordings() {
    let clock = IncidentClock::start("2030-01-01T12:00:00Z".parse().unwrap());
    for (incident, name, arguments, expected) in CLAIMS {
        let cluster = Cluster::of(Incident::named(incident).unwrap()).unwrap();
        let result = tool::run(name, serde_json::from_str(arguments).unwrap(), &cluster, clock).unwrap();
        assert!(result.contains(expected), "{incident}, {name} {arguments}: {result}");
    }
}
