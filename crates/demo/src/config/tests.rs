//! Settings load, and recordings fit the cluster that they talk about.

use serde_json::{Map, Value};
use tarsy_domain::{Cassette, CassetteTurn};

use super::*;
use crate::cast::CompatibleKey;
use crate::cluster::Cluster;
use crate::tool;

/// A result above this is made shorter before an agent sees it; see `size_threshold_tokens`.
const SHOWN_BYTES: usize = 10_000;

fn setting(incident: &'static Incident, cast: Cast) -> Setting {
    Setting { incident, pace: Pace::Fast, cast, program: PathBuf::from("/opt/${odd}/tarsy") }
}

#[test]
fn every_setting_loads_without_a_warning() {
    let casts = [
        Cast::Recording,
        Cast::Vendor { variable: "GOOGLE_API_KEY", provider: "google-default" },
        Cast::Compatible { key: CompatibleKey::Unset },
        Cast::Compatible { key: CompatibleKey::Set },
    ];
    let variables = [("TARSY_OPENAI_COMPATIBLE_URL", "http://localhost:11434/v1"), ("GOOGLE_API_KEY", "key")];
    let key = [("TARSY_OPENAI_COMPATIBLE_API_KEY", "key")];
    let environment: Environment = variables.into_iter().chain(key).collect();
    for incident in Incident::all() {
        for cast in casts {
            let directory = tempfile::tempdir().unwrap();
            let loaded = setting(incident, cast).load(directory.path(), &environment);
            let Loaded { config, warnings } = loaded.unwrap_or_else(|fault| panic!("{cast:?}: {fault}"));
            assert!(warnings.is_empty(), "{cast:?}: {warnings:?}");
            assert_eq!(config.default_provider(), cast.provider());
            assert!(config.missing_for(cast.provider()).is_empty(), "{cast:?}");
        }
    }
}

#[test]
fn the_program_is_named_as_it_is_whatever_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let loaded =
        setting(&Incident::all()[0], Cast::Recording).load(directory.path(), &Environment::default());
    let config = loaded.unwrap().config;
    let server = config.mcp_server("shop").unwrap();
    assert_eq!(server.transport.command.as_deref(), Some("/opt/${odd}/tarsy"));
}

#[test]
fn the_chain_takes_any_alert() {
    let directory = tempfile::tempdir().unwrap();
    let loaded =
        setting(&Incident::all()[0], Cast::Recording).load(directory.path(), &Environment::default());
    let config = loaded.unwrap().config;
    let built_in = Config::load(None, &Environment::default()).unwrap().config.alert_types();
    let of_incidents = Incident::all().iter().map(|incident| incident.alert_type.to_owned());
    for alert_type in built_in.into_iter().chain(of_incidents).chain(["Anything".to_owned()]) {
        assert_eq!(config.chain_for_alert_type(&alert_type).unwrap().id, "demo", "{alert_type}");
    }
}

#[test]
fn the_alert_is_json_of_some_minutes_ago() {
    for incident in Incident::all() {
        let alert = setting(incident, Cast::Recording).alert("2030-01-01T12:00:00Z".parse().unwrap());
        let data: Value = serde_json::from_str(&alert.data).unwrap();
        let started: Timestamp = data["startsAt"].as_str().unwrap().parse().unwrap();
        assert!(started < "2030-01-01T12:00:00Z".parse().unwrap(), "{}", incident.name);
        assert_eq!(data["alertname"], alert.alert_type);
    }
}

#[test]
fn both_paces_say_the_same() {
    for incident in Incident::all() {
        let written = |pace| {
            let setting = Setting { pace, ..setting(incident, Cast::Recording) };
            parse_cassette(&setting.recording().unwrap()).unwrap()
        };
        let (real, fast) = (written(Pace::Real), written(Pace::Fast));
        assert!(real.characters_per_second.is_some() && fast.characters_per_second.is_none());
        assert_eq!(real.without_pauses(), fast);
    }
}

/// Every tool call on a cassette, of both kinds of agents and of the chat.
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

/// The call in a ReAct reply.
fn written_call(text: &str) -> Option<(String, Map<String, Value>)> {
    let line = |label: &str| text.lines().find_map(|line| line.strip_prefix(label));
    let input =
        serde_json::from_str(line("Action Input: ")?).unwrap_or_else(|error| panic!("{error}: {text}"));
    Some((line("Action: ")?.to_owned(), input))
}

#[test]
fn no_recorded_call_fails_or_is_too_long_to_be_shown_whole() {
    let present = Present::beginning("2030-01-01T12:00:00Z".parse().unwrap());
    for incident in Incident::all() {
        let cluster = Cluster::of(incident).unwrap();
        let calls = recorded_calls(&parse_cassette(incident.cassette).unwrap());
        assert!(calls.len() > 10, "{}: {} calls", incident.name, calls.len());
        for (name, arguments) in calls {
            let called = format!("{}: {name} {arguments:?}", incident.name);
            let name = name.strip_prefix("shop.").unwrap_or_else(|| panic!("{called}"));
            let seen = tool::look(name, arguments, &cluster, present);
            let seen = seen.unwrap_or_else(|problem| panic!("{called}: {problem}"));
            assert!(!seen.starts_with("No ") && seen.len() < SHOWN_BYTES, "{called}: {} bytes", seen.len());
        }
    }
}

/// What a recording says it saw, and the call that shows it.
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
fn the_cluster_shows_what_the_recordings_say_they_saw() {
    let present = Present::beginning("2030-01-01T12:00:00Z".parse().unwrap());
    for (incident, name, arguments, expected) in CLAIMS {
        let cluster = Cluster::of(Incident::named(incident).unwrap()).unwrap();
        let seen = tool::look(name, serde_json::from_str(arguments).unwrap(), &cluster, present).unwrap();
        assert!(seen.contains(expected), "{incident}, {name} {arguments}: {seen}");
    }
}
