//! Configurations of the Go version of TARSy load with warnings only, and mean the same.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tarsy_config::{Config, Environment, Loaded};

fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn load(main: &str, environment: &Environment) -> Loaded {
    let directory = directory(&[("tarsy.yaml", main)]);
    Config::load(Some(directory.path()), environment).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn errors(files: &[(&str, &str)]) -> String {
    match Config::load(Some(directory(files).path()), &Environment::default()) {
        Ok(_) => panic!("{files:?} loads without an error"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// Returns what `tarsy check` prints about a directory: the warnings, then the summary.
fn checked(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/right").join(name);
    let Loaded { config, warnings } = Config::load(Some(&path), &Environment::default())
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let warnings: String = warnings.iter().map(|warning| format!("{warning}\n")).collect();
    let checked = format!("{warnings}{}", config.summary());
    for output in [&checked, &config.view().to_string(), &format!("{config:?}")] {
        assert!(!output.contains("PLANTED"), "{output}");
    }
    checked
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(|warning| format!("{}: {}", warning.path, warning.message)).collect()
}

fn stages(main: &str) -> Value {
    let config = load(main, &Environment::default()).config;
    serde_json::to_value(config.chain_for_alert_type("T").unwrap()).unwrap()["stages"].take()
}

#[test]
fn a_configuration_with_every_key_loads_with_warnings_only() {
    insta::assert_snapshot!(checked("existing_every_key"));
}

#[test]
fn a_configuration_in_the_existing_style_loads_with_its_env_file() {
    insta::assert_snapshot!(checked("existing_example"));
}

#[test]
fn a_stage_runs_its_only_agent_as_often_as_replicas_says() {
    let main = "
agent_chains:
  c:
    alert_types: [T]
    stages:
      - {name: twice, agents: [{name: KubernetesAgent, max_iterations: 3}], replicas: 2}
      - {name: once, agents: [{name: KubernetesAgent}], replicas: 0}
      - {name: both, agents: [{name: KubernetesAgent}, {name: GeneralWorker}], replicas: 1}
      - {name: zero, agent: KubernetesAgent, replicas: 0}
";
    let stages = stages(main);
    let names = |stage: usize| -> Vec<String> {
        let agents = stages[stage]["agents"].as_array().unwrap();
        agents.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(0), ["KubernetesAgent-1", "KubernetesAgent-2"]);
    assert_eq!(stages[0]["agents"][1]["max_iterations"], 3);
    assert_eq!(stages[0]["synthesis"]["agent"], "SynthesisAgent");
    assert_eq!(names(1), ["KubernetesAgent"]);
    assert_eq!(names(2), ["KubernetesAgent", "GeneralWorker"]);
    assert_eq!(names(3), ["KubernetesAgent"]);
}

#[test]
fn empty_strings_count_as_omitted_with_a_warning() {
    let main = "
system: {dashboard_url: '', runbooks: {repo_url: ''}, github: {token_env: ''}}
defaults: {llm_provider: '', llm_backend: '', alert_type: '', summarization: {llm_provider: ''}, runbook: ''}
agent_chains:
  c:
    alert_types: [T]
    llm_provider: ''
    chat: {agent: '', llm_provider: ''}
    stages: [{name: s, agent: '', agents: [{name: KubernetesAgent, llm_provider: '', type: ''}]}]
";
    let loaded = load(main, &Environment::default());
    let paths: Vec<_> = loaded.warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "system.dashboard_url",
            "system.runbooks.repo_url",
            "system.github.token_env",
            "defaults.llm_provider",
            "defaults.llm_backend",
            "defaults.alert_type",
            "defaults.summarization.llm_provider",
            "agent_chains.c.llm_provider",
            "agent_chains.c.chat.agent",
            "agent_chains.c.chat.llm_provider",
            "agent_chains.c.stages[0].agent",
            "agent_chains.c.stages[0].agents[0].llm_provider",
        ]
    );
    assert_eq!(loaded.warnings[0].message, "this string is empty; the key counts as omitted");
    let system = loaded.config.system();
    assert_eq!((&system.dashboard_url, system.github.token_env.as_str()), (&None, "GITHUB_TOKEN"));
    assert_eq!(loaded.config.defaults().alert_type, "kubernetes");
    assert_eq!(loaded.config.resolved_chain("c").unwrap().chat.unwrap().agent, "ChatAgent");
}

#[test]
fn a_dashboard_url_without_a_scheme_is_an_http_url_with_a_warning() {
    for (written, expected) in
        [("tarsy.example.com", "http://tarsy.example.com"), ("localhost:5173/a", "http://localhost:5173/a")]
    {
        let loaded = load(&format!("system: {{dashboard_url: '{written}'}}"), &Environment::default());
        assert_eq!(loaded.config.system().dashboard_url.as_deref(), Some(expected));
        assert_eq!(messages(&loaded), ["system.dashboard_url: the URL has no scheme; `http://` is assumed"]);
    }
    for written in ["ftp://x", "javascript:alert(1)", "two words", "//x"] {
        let main = format!("system: {{dashboard_url: '{written}'}}");
        assert!(errors(&[("tarsy.yaml", &main)]).contains("system.dashboard_url"), "{written}");
    }
}

#[test]
fn unset_shell_variables_stay_as_text_in_files_that_use_templates() {
    let main = "
system: {dashboard_url: 'http://{{.HOST}}'}
agents:
  A:
    description: '${SET} ${UNSET}'
    custom_instructions: |
      kubectl get pods -n ${NAMESPACE} | sed s/${POD%-*}/x/; echo ${OPEN
mcp_servers:
  m:
    transport: {type: stdio, command: m, env: {PASSWORD: 'pa${word}x'}}
    data_masking: {custom_patterns: [{pattern: 'user_${USER_ID}', replacement: x}]}
";
    let environment = [("HOST", "h"), ("SET", "value")].into_iter().collect();
    let directory = directory(&[("tarsy.yaml", main)]);
    let loaded =
        Config::load(Some(directory.path()), &environment).unwrap_or_else(|errors| panic!("{errors}"));
    let agent = &loaded.config.agents()["A"];
    assert_eq!(agent.description.as_deref(), Some("value ${UNSET}"));
    assert_eq!(
        agent.custom_instructions.as_deref(),
        Some("kubectl get pods -n ${NAMESPACE} | sed s/${POD%-*}/x/; echo ${OPEN\n")
    );
    let password = &loaded.config.mcp_servers()["m"].transport.env.as_ref().unwrap()["PASSWORD"];
    assert_eq!(password.expose(), "pa${word}x");
    let paths: Vec<_> = loaded.warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "agents.A.description",
            "agents.A.custom_instructions",
            "agents.A.custom_instructions",
            "agents.A.custom_instructions",
            "mcp_servers.m.transport.env.PASSWORD",
            "mcp_servers.m.data_masking.custom_patterns[0].pattern",
        ]
    );
    assert!(!loaded.warnings[4].to_string().contains("word"), "{}", loaded.warnings[4]);
    assert_eq!(
        loaded.warnings[0].message,
        "the environment variable `UNSET` is not set, so `${UNSET}` stays as it is; write `$${UNSET}` for literal text"
    );
}

#[test]
fn unset_shell_variables_are_errors_in_other_files() {
    let plain = errors(&[("tarsy.yaml", "agents: {A: {description: '${UNSET}'}}")]);
    assert!(plain.contains("write `$${UNSET}` for literal text"), "{plain}");
    // A default is a sign that the file uses shell variables.
    let mixed = "agents: {A: {description: '${UNSET}'}, B: {description: '${OTHER:-x} {{.PATH}}'}}";
    assert!(errors(&[("tarsy.yaml", mixed), (".env", "PATH=x")]).contains("`UNSET` is not set"));
    // The placeholders of a session do not count as templates.
    let session = "agents: {A: {description: '${UNSET} {{.SESSION_ID}}'}}";
    assert!(errors(&[("tarsy.yaml", session)]).contains("`UNSET` is not set"));
    // An unset template stays an error.
    assert!(
        errors(&[("tarsy.yaml", "agents: {A: {description: '{{.UNSET}}'}}")]).contains("`UNSET` is not set")
    );
}

#[test]
fn go_template_functions_are_named_in_an_error() {
    let cases = [
        ("{{or .SECRET_A \"LITERAL\"}}", "`or`"),
        ("{{if .DEBUG}}x{{else}}y{{end}}", "`if`"),
        ("{{ .SECRET_A | printf \"LITERAL%s\" }}", "`|`"),
        ("{{- .SECRET_A -}}", "`-`"),
        ("{{ printf \"%s\" (.SECRET_A) }}", "`printf`"),
    ];
    for (text, named) in cases {
        let main = format!(
            "mcp_servers: {{m: {{transport: {{type: http, url: 'http://h', bearer_token: '{text}'}}}}}}"
        );
        let shown = errors(&[("tarsy.yaml", &main)]);
        assert!(shown.contains(named) && shown.contains("Go template"), "{text}: {shown}");
        assert!(!shown.contains("LITERAL"), "{shown}");
    }
    for text in ["{{ $labels.instance }}", "{{range .items}}{{.metadata.name}}{{end}}", "{{ x }}", "{{", "}}"]
    {
        let loaded = load(&format!("agents: {{A: {{description: '{text}'}}}}"), &Environment::default());
        assert_eq!(loaded.config.agents()["A"].description.as_deref(), Some(text));
    }
}

#[test]
fn the_env_file_of_the_directory_is_read_and_the_real_environment_wins() {
    let env = "\
# comment
\u{20}export FIRST = one   # comment
SECOND='single $FIRST # \\n'
THIRD=\"double \\\"x\\\"\\n\"
EMPTY=
HASH=a#b
MULTI=\"line 1
line 2\"
SHARED=from the file
EMPTY_THERE=filled
";
    let main = "agents:\n  A:\n    description: '{{.FIRST}}|{{.SECOND}}|{{.THIRD}}|{{.EMPTY}}|{{.HASH}}|{{.MULTI}}|{{.SHARED}}|{{.EMPTY_THERE}}'\n";
    let directory = directory(&[("tarsy.yaml", main), (".env", env)]);
    let environment = [("SHARED", "real"), ("EMPTY_THERE", "")].into_iter().collect();
    let Loaded { config, warnings } =
        Config::load(Some(directory.path()), &environment).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(warnings, []);
    assert_eq!(
        config.agents()["A"].description.as_deref(),
        Some("one|single $FIRST # \\n|double \"x\"\n||a#b|line 1\nline 2|real|")
    );
}

#[test]
fn a_provider_is_ready_if_the_env_file_holds_its_key() {
    let directory = directory(&[("tarsy.yaml", ""), (".env", "XAI_API_KEY=PLANTED\n")]);
    let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
    assert_eq!(config.default_provider(), "xai-default");
    assert!(!format!("{config:?}{}{}", config.view(), config.summary()).contains("PLANTED"));
}

#[test]
fn invalid_lines_of_the_env_file_are_errors_that_show_no_value() {
    let env = "GOOD=x\nPLANTED WORD\n1BAD=PLANTED\n=PLANTED\nOPEN=\"PLANTED\nPLANTED";
    let shown = errors(&[("tarsy.yaml", ""), (".env", env)]);
    assert!(!shown.contains("PLANTED"), "{shown}");
    assert_eq!(
        shown,
        "error: `.env`, line 2: expected `NAME=value`\n\n\
         error: `.env`, line 3: expected `NAME=value`\n\n\
         error: `.env`, line 4: expected `NAME=value`\n\n\
         error: `.env`, line 5: the quoted value has no closing quote"
    );
    let latin1 = directory(&[("tarsy.yaml", "")]);
    fs::write(latin1.path().join(".env"), b"A=1\r\nPASSWORD=PLANTED\xfc\n").unwrap();
    let shown = Config::load(Some(latin1.path()), &Environment::default()).unwrap_err().to_string();
    assert_eq!(shown, "error: `.env`, line 2: the file is not valid UTF-8");
    // A directory of this name is often a Python environment.
    let directory = directory(&[("tarsy.yaml", "")]);
    fs::create_dir(directory.path().join(".env")).unwrap();
    assert!(Config::load(Some(directory.path()), &Environment::default()).unwrap().warnings.is_empty());
}

#[test]
fn a_chain_with_the_id_or_the_alert_type_of_the_existing_built_in_chain_replaces_it() {
    for (id, types) in [("kubernetes", "kubernetes, NamespaceTerminating"), ("mine", "kubernetes")] {
        let main = format!(
            "agent_chains: {{{id}: {{alert_types: [{types}], stages: [{{name: s, agent: GeneralWorker}}]}}}}"
        );
        let loaded = load(&main, &Environment::default());
        assert_eq!(loaded.warnings, []);
        assert_eq!(loaded.config.chain_for_alert_type("kubernetes").unwrap().id, id);
    }
}

#[test]
fn the_built_in_providers_and_agents_of_the_existing_tarsy_are_known() {
    let config = Config::load(None, &Environment::default()).unwrap().config;
    let providers = [
        ("google-image-flash", "gemini-3.1-flash-image-preview", false),
        ("gemini-3-flash", "gemini-3-flash-preview", true),
        ("gemini-3.1-pro", "gemini-3.1-pro-preview", true),
        ("gemini-3.1-flash", "gemini-3.1-flash-lite", true),
        ("gemini-3.7-flash", "gemini-3.7-flash", true),
        ("gemini-3.6-flash", "gemini-3.6-flash", true),
        ("gemini-3.5-flash", "gemini-3.5-flash", true),
        ("gemini-2.5-flash", "gemini-2.5-flash", true),
        ("gemini-2.5-pro", "gemini-2.5-pro", true),
    ];
    for (name, model, reads_urls) in providers {
        let provider = config.providers().get(name).unwrap_or_else(|| panic!("{name}"));
        let tools = provider.native_tools.unwrap();
        assert_eq!(provider.model.as_deref(), Some(model));
        assert_eq!(
            (tools.google_search, tools.code_execution, tools.url_context),
            (Some(true), Some(false), Some(reads_urls)),
            "{name}"
        );
    }
    for agent in ["GeneralWorker", "WebResearcher", "CodeExecutor", "ScoringAgent"] {
        let agent = config.agents().get(agent).unwrap_or_else(|| panic!("{agent}"));
        assert!(agent.description.is_some() && agent.mcp_servers.is_none());
    }
    assert_eq!(config.agents()["CodeExecutor"].native_tools.unwrap().code_execution, Some(true));
    let research = config.agents()["WebResearcher"].native_tools.unwrap();
    assert_eq!((research.google_search, research.url_context), (Some(true), Some(true)));
    // They never become the default provider.
    let environment = [("GOOGLE_API_KEY", "x")].into_iter().collect();
    assert_eq!(Config::load(None, &environment).unwrap().config.default_provider(), "google-default");
}

#[test]
fn keys_without_effect_are_checked_by_type_and_need_no_variables() {
    let main = "system: {slack: {enabled: true, channel: '${UNSET}', workspace: w}}";
    let loaded = load(main, &Environment::default());
    assert_eq!(
        messages(&loaded),
        [
            "system.slack: `slack` has no effect yet",
            "system.slack: unknown key `workspace`; valid keys: enabled, token_env, channel",
        ]
    );
    let wrong = "defaults: {orchestrator: {max_concurrent_agents: none}, scoring: {llm_provider: Nope}}";
    let shown = errors(&[("tarsy.yaml", wrong)]);
    assert!(shown.contains("defaults.orchestrator.max_concurrent_agents: expected an integer"), "{shown}");
    assert!(shown.contains("unknown model provider `Nope`"), "{shown}");
}
