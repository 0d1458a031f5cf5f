use std::fs;
use std::time::Duration;

use tarsy_domain::ToolFilter;

use super::*;

const TARSY: &str = r#"
mcp_servers:
  plain:
    transport: { type: stdio, command: run, args: [-a], env: { TOKEN: x } }
    tools: { allow: ['pods_*'], deny: [pods_delete] }
  browser:
    transport:
      type: http
      url: https://browser/{{.SESSION_ID}}/mcp
      bearer_token: abc
      headers: { X-Session: 's-{{ .SESSION_ID }}', X-Agent: '{{.SESSION_AGENT}}' }
      verify_ssl: false
      timeout: 90s
      start_timeout: 45s
      session_cleanup_url: https://browser/{{.SESSION_ID}}
  own:
    transport: { type: sse, url: 'https://own/sse' }
    isolation: execution
"#;

fn config() -> Config {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tarsy.yaml"), TARSY).unwrap();
    Config::load(Some(folder.path()), &Environment::default()).unwrap().config
}

fn settings_of(name: &str, execution: &str) -> ServerSettings {
    settings(name, &config().mcp_servers()[name], ServedExecution { id: execution, agent: "look/A" })
}

#[test]
fn a_program_is_shared_by_all_executions() {
    let mut program = Program::new("run", ["-a"]);
    program.environment.insert("TOKEN".to_owned(), Secret::new("x"));
    let expected = ServerSettings {
        tools: ToolFilter { allow: Some(vec!["pods_*".to_owned()]), deny: vec!["pods_delete".to_owned()] },
        ..ServerSettings::new("plain", Transport::Stdio(program))
    };
    assert_eq!(settings_of("plain", "e1"), expected);
    assert_eq!(settings_of("plain", "e1"), settings_of("plain", "e2"));
}

#[test]
fn a_server_that_refers_to_the_session_belongs_to_one_execution() {
    let endpoint = HttpEndpoint {
        headers: [("X-Session", "s-e1"), ("X-Agent", "look/A")]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Secret::new(value)))
            .collect(),
        bearer: Some(Secret::new("abc")),
        verify_tls: false,
        cleanup_url: Some(Secret::new("https://browser/e1")),
        ..HttpEndpoint::new("https://browser/e1/mcp")
    };
    let expected = ServerSettings {
        call_within: Duration::from_secs(90),
        start_within: Duration::from_secs(45),
        isolation: Isolation::Execution,
        ..ServerSettings::new("browser", Transport::Http(endpoint))
    };
    assert_eq!(settings_of("browser", "e1"), expected);
}

#[test]
fn a_program_has_two_minutes_to_start_and_a_remote_server_half_a_minute() {
    assert_eq!(settings_of("plain", "e1").start_within, Duration::from_secs(120));
    assert_eq!(settings_of("own", "e1").start_within, Duration::from_secs(30));
}

#[test]
fn isolation_can_be_configured() {
    let own = settings_of("own", "e1");
    assert_eq!(own.isolation, Isolation::Execution);
    assert_eq!(own.transport, Transport::Sse(HttpEndpoint::new("https://own/sse")));
}

#[test]
fn programs_do_not_inherit_keys_or_proxies() {
    let environment: Environment = [
        ("PATH", "/bin"),
        ("HOME", "/home/tarsy"),
        ("OPENAI_API_KEY", "sk-1"),
        ("HTTPS_PROXY", "http://me:secret@proxy"),
        ("TARSY_DATABASE_URL", "postgres://a:b@c/d"),
    ]
    .into_iter()
    .collect();
    let names: Vec<String> = base_environment(&environment).into_keys().collect();
    assert_eq!(names, ["HOME", "PATH"]);
}
