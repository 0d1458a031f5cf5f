//! The environment of a page: an empty directory, a clean environment, a persistent shell, and the servers of the page.

use std::process;

use tempfile::TempDir;

use super::server::PageServer;
use super::shell::{CommandResult, Shell};
use super::substitutes::Substitutes;

/// The working directory of the page in the sandbox.
pub(crate) const WORK: &str = "work";

/// The environment of a page.
pub(crate) struct Sandbox {
    // Dropped in this order: processes before their directory.
    servers: Vec<PageServer>,
    shell: Shell,
    substitutes: Substitutes,
    root: TempDir,
}

impl Sandbox {
    /// Creates a sandbox for a page.
    pub(crate) fn open(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["bin", "home", "tmp", WORK] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tarsy"), root.path().join("bin/tarsy")).unwrap();
        let substitutes = Substitutes::start(text);
        let environment = environment(&root, &substitutes);
        let shell = Shell::start(root.path(), &environment);
        Self { servers: Vec::new(), shell, substitutes, root }
    }

    /// Writes a file of the page.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.root.path().join(WORK).join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, self.substitutes.apply(text)).unwrap();
    }

    /// Links the program to where `make demo` would build it.
    pub(crate) fn build(&self) {
        let folder = self.root.path().join(WORK).join("target/release");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tarsy"), folder.join("tarsy")).unwrap();
    }

    /// Runs a command until it exits.
    pub(crate) fn run(&mut self, command: &str) -> CommandResult {
        self.shell.run(&self.substitutes.apply(command))
    }

    /// Starts a server and keeps it running. Stops an earlier server on the same address, as a reader would.
    pub(crate) fn serve(&mut self, command: &str, program: &str, listen: Option<&str>) -> Result<(), String> {
        let default = if program == "llm-serve" { "127.0.0.1:50051" } else { "127.0.0.1:8080" };
        let address = self.substitutes.apply(listen.unwrap_or(default));
        self.servers.retain(|server| server.address != address);
        let mut starting = process::Command::new("bash");
        starting.args(["-c", &self.substitutes.apply(command)]).env_clear().envs(self.shell.environment());
        let log = self.root.path().join(format!("{program}-{}.log", self.servers.len()));
        self.servers.push(PageServer::start(starting.current_dir(self.shell.directory()), address, &log)?);
        Ok(())
    }
}

/// Returns the environment: a PATH, and nothing else of the host.
fn environment(root: &TempDir, substitutes: &Substitutes) -> Vec<(&'static str, String)> {
    let inside = |folder: &str| root.path().join(folder).display().to_string();
    let server = substitutes.apply("127.0.0.1:8080");
    vec![
        ("PATH", format!("{}:/usr/bin:/bin", inside("bin"))),
        ("HOME", inside("home")),
        ("TMPDIR", inside("tmp")),
        ("PWD", inside(WORK)),
        ("TARSY_SERVER", format!("http://{server}")),
        ("TARSY_LISTEN", server),
        ("TARSY_LLM_LISTEN", substitutes.apply("127.0.0.1:50051")),
    ]
}
