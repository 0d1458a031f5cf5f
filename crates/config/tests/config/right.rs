//! Valid configurations: what loads, how it is resolved, and what is never shown.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tarsy_config::file::IsolationConfig;
use tarsy_config::{Config, Environment, Loaded, Severity};
use tarsy_domain::AccessRole;

fn right(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/right").join(name)
}

fn load(main: &str, environment: &Environment) -> Loaded {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), main).unwrap();
    Config::load(Some(directory.path()), environment).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn second_generation() -> Loaded {
    let environment = [
        ("WORKERS", "7"),
        ("SHELL_TOKEN", "PLANTED-SHELL"),
        ("METRICS_HOST", "PLANTED-HOST"),
        ("METRICS_TOKEN", "PLANTED-TOKEN"),
        ("FAST_KEY", "PLANTED-KEY"),
    ];
    Config::load(Some(&right("second_generation")), &environment.into_iter().collect())
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

#[test]
fn without_a_directory_the_built_in_configuration_is_used() {
    let Loaded { config, warnings } = Config::load(None, &Environment::default()).unwrap();
    assert_eq!(warnings, []);
    insta::assert_snapshot!(config.summary(), @r"
    Chains
      kubernetes-agent-chain [built-in]
        alert types: kubernetes, NamespaceTerminating
        1. analysis: KubernetesAgent
      kubernetes-troubleshooting-chain [built-in]
        alert types: KubernetesIssue, PodFailure
        1. data-collection: KubernetesAgent
        2. root-cause-analysis: KubernetesAgent

    Agents
      ChatAgent [built-in]
      CodeExecutor [built-in]
      ExecSummaryAgent [built-in]
      GeneralWorker [built-in]
      KubernetesAgent [built-in]
      ScoringAgent [built-in]
      SynthesisAgent [built-in]
      WebResearcher [built-in]

    MCP servers
      kubernetes-server (stdio) [built-in]

    Model providers
      anthropic-default (claude-sonnet-5-5) [built-in]: not ready, missing ANTHROPIC_API_KEY
      gemini-2.5-flash (gemini-2.5-flash) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-2.5-pro (gemini-2.5-pro) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3-flash (gemini-3-flash-preview) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3.1-flash (gemini-3.1-flash-lite) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3.1-pro (gemini-3.1-pro-preview) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3.5-flash (gemini-3.5-flash) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3.6-flash (gemini-3.6-flash) [built-in]: not ready, missing GOOGLE_API_KEY
      gemini-3.7-flash (gemini-3.7-flash) [built-in]: not ready, missing GOOGLE_API_KEY
      google-default (gemini-3.8-flash) [built-in], default: not ready, missing GOOGLE_API_KEY
      google-image-flash (gemini-3.1-flash-image-preview) [built-in]: not ready, missing GOOGLE_API_KEY
      openai-compatible [built-in]: not ready, missing TARSY_OPENAI_COMPATIBLE_MODEL, TARSY_OPENAI_COMPATIBLE_URL
      openai-default (gpt-6.1-sol) [built-in]: not ready, missing OPENAI_API_KEY
      vertexai-default (gemini-3.8-flash) [built-in]: not ready, missing GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION
      xai-default (grok-4.6) [built-in]: not ready, missing XAI_API_KEY
    ");
}

#[test]
fn warns_about_a_directory_without_files() {
    let directory = tempfile::tempdir().unwrap();
    let warnings = Config::load(Some(directory.path()), &Environment::default()).unwrap().warnings;
    insta::assert_snapshot!(warnings[0], @"warning: the configuration directory contains no `tarsy.yaml`; the built-in configuration is used");
    fs::write(directory.path().join("tarsy.yml"), "").unwrap();
    let warnings = Config::load(Some(directory.path()), &Environment::default()).unwrap().warnings;
    insta::assert_snapshot!(warnings[0], @"warning: `tarsy.yml` is ignored because its name does not end in `.yaml`; the built-in configuration is used");
}

#[test]
fn a_file_without_a_value_is_an_empty_mapping() {
    for main in ["", "---\n", "---\n# nothing yet\n...\n"] {
        assert_eq!(load(main, &Environment::default()).warnings, [], "{main:?}");
    }
}

#[test]
fn warns_about_a_variable_that_invalidates_a_built_in_provider() {
    let environment = [("TARSY_OPENAI_COMPATIBLE_URL", "PLANTED"), ("TARSY_OPENAI_COMPATIBLE_MODEL", "m")];
    let Loaded { config, warnings } = Config::load(None, &environment.into_iter().collect()).unwrap();
    assert_eq!(config.missing_for("openai-compatible"), ["base_url"]);
    assert_eq!(warnings.len(), 1);
    insta::assert_snapshot!(warnings[0], @r"
    warning: llm_providers.openai-compatible.base_url: a URL must start with `http://` or `https://`
       --> built-in:123:15
        |
    123 |     base_url: ${TARSY_OPENAI_COMPATIBLE_URL:-}
        |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn every_key_of_the_second_generation_loads() {
    let Loaded { config, .. } = second_generation();
    assert_eq!(config.queue().worker_count, 7);
    assert_eq!(config.queue().lease(), Duration::from_secs(300));
    assert_eq!(config.defaults().iteration_timeout.unwrap().duration(), Duration::from_secs(90));
    assert_eq!(config.system().alertmanager.alert_type_label, "kind");
    let proof = config.system().webhooks.alertmanager.as_ref().unwrap();
    assert_eq!(proof.hmac_secret_env.as_deref(), Some("ALERTMANAGER_SECRET"));
    let proxy = config.system().access.proxy.as_ref().unwrap();
    assert!(config.system().access.tokens && proxy.addresses[0].contains("10.9.8.7".parse().unwrap()));
    assert_eq!(
        (proxy.user_header.as_str(), proxy.default_role),
        ("X-Forwarded-User", Some(AccessRole::Viewer))
    );
    let shell = &config.mcp_servers()["shell"];
    let environment: Vec<_> =
        shell.transport.env.iter().flatten().map(|(name, value)| (name.as_str(), value.expose())).collect();
    assert_eq!(environment, [("DEBUG", "true"), ("EMPTY", ""), ("PORT", "8080"), ("TOKEN", "PLANTED-SHELL")]);
    assert_eq!(shell.transport.args.as_ref().unwrap()[1].expose(), "/srv/{{.SESSION_ID}}");
    let metrics = &config.mcp_servers()["metrics"];
    assert_eq!(metrics.transport.url.as_ref().unwrap().expose(), "https://PLANTED-HOST/mcp");
    assert_eq!(metrics.isolation(), IsolationConfig::Execution);
    assert_eq!(config.mcp_servers()["logs"].isolation(), IsolationConfig::Shared);
    assert_eq!(
        config.agents()["Disk"].custom_instructions.as_deref(),
        Some("Look at the disks. A literal ${NAME} stays.\n")
    );
    assert_eq!(config.agents()["Disk"].max_iterations, Some(12));
    assert_eq!(config.providers()["remote"].base_url.as_ref().unwrap().expose(), "http://models:50051");
}

#[test]
fn every_key_without_effect_causes_one_warning() {
    let warnings: Vec<String> = second_generation()
        .warnings
        .iter()
        .map(|warning| {
            let location = warning.location.as_ref().unwrap();
            format!(
                "{}:{}:{} {}: {}",
                location.file, location.line, location.column, warning.path, warning.message
            )
        })
        .collect();
    insta::assert_snapshot!(warnings.join("\n"), @r"
    tarsy.yaml:16:3 system.slack: `slack` has no effect yet
    tarsy.yaml:20:3 system.cost_estimation: `cost_estimation` has no effect yet
    tarsy.yaml:29:3 system.holidays: `holidays` has no effect yet
    tarsy.yaml:39:3 queue.scoring_shutdown_timeout: `scoring_shutdown_timeout` has no effect yet
    tarsy.yaml:61:3 defaults.scoring: `scoring` has no effect yet
    tarsy.yaml:65:3 defaults.orchestrator: `orchestrator` has no effect yet
    tarsy.yaml:66:3 defaults.memory: `memory` has no effect yet
    tarsy.yaml:124:5 agents.Disk.orchestrator: `orchestrator` has no effect yet
    tarsy.yaml:125:5 agents.Disk.skills: `skills` has no effect yet
    tarsy.yaml:126:5 agents.Disk.required_skills: `required_skills` has no effect yet
    tarsy.yaml:128:11 agents.Judge.type: `scoring` has no effect yet
    tarsy.yaml:156:5 agent_chains.disk.scoring: `scoring` has no effect yet
    tarsy.yaml:157:5 agent_chains.disk.sub_agents: `sub_agents` has no effect yet
    tarsy.yaml:162:19 agent_chains.disk.stages[0].agents[0].type: `scoring` has no effect yet
    ");
}

#[test]
fn the_second_generation_resolves_to_this_chain() {
    let chain = second_generation().config.chain_for_alert_type("DiskFull").unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&chain).unwrap());
    let stored = serde_json::to_string(&chain).unwrap();
    assert_eq!(serde_json::from_str::<tarsy_config::ResolvedChain>(&stored).unwrap(), chain);
}

#[test]
fn the_view_shows_everything_and_no_secret() {
    let Loaded { config, warnings } = second_generation();
    let view = serde_json::to_string_pretty(&config.view()).unwrap();
    let summary = config.summary().to_string();
    let chain = serde_json::to_string(&config.resolved_chain("disk")).unwrap();
    for output in [&view, &summary, &chain, &format!("{config:?}"), &format!("{warnings:?}")] {
        assert!(!output.contains("PLANTED"), "{output}");
    }
    insta::assert_snapshot!(view);
}

#[test]
fn secrets_written_into_a_file_are_not_shown() {
    let config = load(
        "
mcp_servers:
  a:
    transport:
      type: http
      url: https://me:LITERAL@host/?key=LITERAL&other=${NAME}
      bearer_token: LITERAL
      headers: {A: LITERAL, B: '${NAME}', C: 'Bearer ${NAME}', D: 'LITERAL ${NAME}', E: '${OTHER:-LITERAL}'}
  b:
    transport:
      type: stdio
      command: b
      args: [--token, LITERAL, --api-key=LITERAL, --secret, '${NAME}', plain, -e, KEY=LITERAL, 'X: Bearer LITERAL']
      env: {A: LITERAL}
llm_providers:
  c: {type: openai-compatible, model: m, base_url: 'https://me:LITERAL@host'}
",
        &[("NAME", "PLANTED")].into_iter().collect(),
    )
    .config;
    assert!(!format!("{config:?}{}", config.view()).contains("LITERAL"));
    assert!(!format!("{config:?}{}", config.view()).contains("PLANTED"));
    let view = config.view();
    insta::assert_snapshot!(view["mcp_servers"]["a"]["transport"], @r#"{"type":"http","url":"https://[hidden]@host/?key=[hidden]&other=${NAME}","bearer_token":"[hidden]","headers":{"A":"[hidden]","B":"${NAME}","C":"Bearer ${NAME}","D":"[hidden]","E":"[hidden]"}}"#);
    insta::assert_snapshot!(view["mcp_servers"]["b"]["transport"], @r#"{"type":"stdio","command":"b","args":["--token","[hidden]","--api-key=[hidden]","--secret","${NAME}","plain","-e","KEY=[hidden]","X: Bearer [hidden]"],"env":{"A":"[hidden]"}}"#);
    insta::assert_snapshot!(view["llm_providers"]["c"], @r#"{"type":"openai-compatible","model":"m","base_url":"https://[hidden]@host"}"#);
}

#[test]
fn warnings_are_reported_together_with_errors() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "system: {holidays: []}\nqueue: {worker_count: 0}\n")
        .unwrap();
    let diagnostics = Config::load(Some(directory.path()), &Environment::default()).unwrap_err();
    let severities: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.severity).collect();
    assert_eq!((severities, diagnostics.error_count()), (vec![Severity::Warning, Severity::Error], 1));
}

#[test]
fn files_of_the_first_generation_load() {
    let Loaded { config, warnings } = Config::load(Some(&right("first_generation")), &Environment::default())
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(warnings, []);
    let chain = config.chain_for_alert_type("DiskFull").unwrap();
    let stages: Vec<_> = chain
        .stages
        .iter()
        .map(|stage| {
            let agents: Vec<_> = stage.agents.iter().map(|agent| agent.name.as_str()).collect();
            (stage.name.as_str(), agents, stage.success_policy.as_str())
        })
        .collect();
    assert_eq!(
        stages,
        [("look", vec!["disk-agent"], "any"), ("think", vec!["KubernetesAgent", "disk-agent"], "all")]
    );
    assert_eq!(chain.stages[0].agents[0].model.as_deref(), Some("gpt-5"));
}

#[test]
fn a_value_never_changes_the_structure_of_a_file() {
    let odd = "x: [}\n  max_iterations: 99 # ${WORKERS} {{.WORKERS}} \"'";
    let environment: Environment =
        [("ODD", odd), ("NUMBER", "12345"), ("WORKERS", "3")].into_iter().collect();
    let config = load(
        "
agents:
  A: {description: '${ODD}', custom_instructions: '{{.ODD}}'}
  B:
    description: ${ODD}
    custom_instructions: ${NUMBER}
queue: {worker_count: '{{.WORKERS}}', max_queue_size: '${NUMBER}'}
",
        &environment,
    )
    .config;
    assert_eq!(config.agents()["A"].description.as_deref(), Some(odd));
    assert_eq!(config.agents()["A"].custom_instructions.as_deref(), Some(odd));
    assert_eq!(config.agents()["B"].description.as_deref(), Some(odd));
    assert_eq!(config.agents()["B"].custom_instructions.as_deref(), Some("12345"));
    assert_eq!(config.agents()["B"].max_iterations, None);
    assert_eq!((config.queue().worker_count, config.queue().max_queue_size), (3, 12345));
}

#[test]
fn a_reference_to_an_empty_variable_omits_the_key() {
    let config = load(
        "defaults: {llm_provider: '${UNSET:-}', max_iterations: '${EMPTY}'}",
        &[("EMPTY", "")].into_iter().collect(),
    );
    assert_eq!(
        (&config.config.defaults().llm_provider, config.config.defaults().max_iterations),
        (&None, None)
    );
}

#[test]
fn a_chain_with_override_replaces_a_built_in_chain_or_takes_over_its_alert_types() {
    let chain = |id: &str, types: &str| {
        format!(
            "  {id}:\n    override: true\n    alert_types: [{types}]\n    stages: [{{name: s, agent: KubernetesAgent}}]\n"
        )
    };
    let main =
        format!("agent_chains:\n{}{}", chain("kubernetes-agent-chain", "Mine"), chain("other", "PodFailure"));
    let Loaded { config, warnings } = load(&main, &Environment::default());
    let warned: Vec<_> = warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert_eq!(warned, ["agent_chains.kubernetes-agent-chain.alert_types"]);
    let taken: Vec<_> =
        config.chains().iter().map(|(id, chain)| (id.as_str(), chain.alert_types.join(","))).collect();
    assert_eq!(
        taken,
        [
            ("kubernetes-agent-chain", "Mine".to_owned()),
            ("kubernetes-troubleshooting-chain", "KubernetesIssue".to_owned()),
            ("other", "PodFailure".to_owned()),
        ]
    );
    assert_eq!(
        config.view()["agent_chains"]["kubernetes-troubleshooting-chain"]["alert_types"][0],
        "KubernetesIssue"
    );
    let unknown = config.chain_for_alert_type("kubernetes").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no chain handles the alert type `kubernetes`, did you mean `KubernetesIssue`? available: KubernetesIssue, Mine, PodFailure"
    );
}

#[test]
fn built_in_agents_servers_and_providers_are_replaced_completely() {
    let config = load(
        "
agents: {KubernetesAgent: {description: mine}}
mcp_servers: {kubernetes-server: {transport: {type: http, url: 'http://mine'}}}
llm_providers: {google-default: {type: google, model: mine}}
",
        &Environment::default(),
    )
    .config;
    assert_eq!(config.agents()["KubernetesAgent"].mcp_servers, None);
    assert_eq!(config.mcp_servers()["kubernetes-server"].data_masking, None);
    assert_eq!(config.providers()["google-default"].context_window, None);
    assert_eq!(config.agents().len(), 8);
}

#[test]
fn cassette_paths_are_relative_to_the_configuration_directory() {
    let Loaded { config, .. } = second_generation();
    let cassettes: Vec<_> =
        config.providers().values().filter_map(|provider| provider.cassette.clone()).collect();
    assert_eq!(cassettes, [right("second_generation").join("demo.cassette").display().to_string()]);
}
