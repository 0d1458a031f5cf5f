//! Starts the program as a container, a pod or a systemd unit would, with paths and addresses of the test.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::files;
use crate::server::Server;
use crate::tarsy::{run, tarsy, text};

/// The command, environment and configuration of the program.
pub(crate) struct Launch {
    /// The arguments of the program.
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// The configuration directory in the repository.
    pub(crate) config: &'static str,
}

impl Launch {
    /// Returns the command with paths and addresses replaced.
    fn command(&self, arguments: &[String], directory: &Path) -> Command {
        let arguments: Vec<String> = arguments.iter().map(|value| self.replaced(value, directory)).collect();
        let mut command = tarsy(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let environment = self.environment.iter();
        command.envs(environment.map(|(name, value)| (name, self.replaced(value, directory))));
        command
    }

    fn replaced(&self, value: &str, directory: &Path) -> String {
        match value {
            "0.0.0.0:8080" | "127.0.0.1:8080" => "127.0.0.1:0".to_owned(),
            "/config" | "/etc/tarsy" => files::path(self.config).display().to_string(),
            "/data" | "/var/lib/tarsy" => directory.display().to_string(),
            other => other.to_owned(),
        }
    }

    /// Starts the server, which must become healthy and ready.
    pub(crate) async fn check_server(&self) {
        let directory = TempDir::new().unwrap();
        let server = Server::start(&mut self.command(&self.arguments, directory.path()));
        for path in ["/health", "/ready"] {
            server.get(path).await;
        }
        // The health check of the image.
        let address = server.url.strip_prefix("http://").unwrap().to_owned();
        let output = run(&["ready", "--listen", &address]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(r#""status":"ready""#), "{}", text(&output.stdout));
        drop(server);
        let output = tarsy(&["ready"]).env("TARSY_LISTEN", address).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "the server has stopped");
    }

    /// Runs another command in the same environment.
    pub(crate) fn run(&self, command: &str) -> Output {
        let directory = TempDir::new().unwrap();
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let output = self.command(&arguments, directory.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        output
    }

    /// Checks that the configuration has no errors and no warnings.
    pub(crate) fn check_config(&self) {
        let output = self.run("check");
        assert_eq!(text(&output.stderr), "", "{}", self.config);
    }

    /// Checks that the documented command creates a token.
    pub(crate) fn check_documented_token_command(&self, prefix: &str) {
        let page = files::read("packaging/README.md");
        let line =
            page.lines().find_map(|line| line.strip_prefix(prefix)).unwrap_or_else(|| panic!("no {prefix}"));
        let token = text(&self.run(line).stdout);
        assert!(token.starts_with("tarsy_"), "{token}");
    }
}
