//! The program as a container, a pod or a unit would start it, but on this machine: where a value is one of these paths or
//! addresses it becomes one of the test's own.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::files;
use crate::server::Server;
use crate::tarsy::{run, tarsy, text};

/// How something starts the program.
pub(crate) struct Started {
    /// What follows the program's name.
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// The configuration in the repository.
    pub(crate) config: &'static str,
}

impl Started {
    /// The command with another place for everything that is not this machine's.
    fn command(&self, arguments: &[String], home: &Path) -> Command {
        let arguments: Vec<String> = arguments.iter().map(|value| self.here(value, home)).collect();
        let mut command = tarsy(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let environment = self.environment.iter();
        command.envs(environment.map(|(name, value)| (name, self.here(value, home))));
        command
    }

    fn here(&self, value: &str, home: &Path) -> String {
        match value {
            "0.0.0.0:8080" | "127.0.0.1:8080" => "127.0.0.1:0".to_owned(),
            "/config" | "/etc/tarsy" => files::path(self.config).display().to_string(),
            "/data" | "/var/lib/tarsy" => home.display().to_string(),
            other => other.to_owned(),
        }
    }

    /// Starts the server; it must listen, live and be ready.
    pub(crate) async fn serves(&self) {
        let home = TempDir::new().unwrap();
        let server = Server::start(&mut self.command(&self.arguments, home.path()));
        for path in ["/health", "/ready"] {
            server.get(path).await;
        }
        // The health check of containers.
        let address = server.url.strip_prefix("http://").unwrap().to_owned();
        let asked = run(&["ready", "--listen", &address]);
        assert_eq!(asked.status.code(), Some(0), "{}", text(&asked.stderr));
        assert!(text(&asked.stdout).contains(r#""status":"ready""#), "{}", text(&asked.stdout));
        drop(server);
        let asked = tarsy(&["ready"]).env("TARSY_LISTEN", address).output().unwrap();
        assert_eq!(asked.status.code(), Some(1), "nobody is there to be ready");
    }

    /// Runs another command in the same place, to its end.
    pub(crate) fn runs(&self, command: &str) -> Output {
        let home = TempDir::new().unwrap();
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let output = self.command(&arguments, home.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        output
    }

    /// Its configuration has no fault and nothing to warn of.
    pub(crate) fn has_a_right_configuration(&self) {
        let output = self.runs("check");
        assert_eq!(text(&output.stderr), "", "{}", self.config);
    }

    /// The command in the documentation that makes the first token does make one.
    pub(crate) fn makes_tokens_as_documented(&self, before: &str) {
        let page = files::read("packaging/README.md");
        let line =
            page.lines().find_map(|line| line.strip_prefix(before)).unwrap_or_else(|| panic!("no {before}"));
        let made = text(&self.runs(line).stdout);
        assert!(made.starts_with("tarsy_"), "{made}");
    }
}
