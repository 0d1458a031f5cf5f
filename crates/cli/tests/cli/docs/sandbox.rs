//! The place in which a page is followed: an empty directory, an empty environment, a shell that remembers, and whatever the
//! page started.

use std::process;

use tempfile::TempDir;

use super::server::Server;
use super::shell::{Ran, Shell};
use super::stand_ins::StandIns;

/// The directory of a sandbox in which its page is followed.
pub(crate) const WORK: &str = "work";

/// Where a page is followed.
pub(crate) struct Sandbox {
    // Dropped in this order: what runs, before what it runs in.
    servers: Vec<Server>,
    shell: Shell,
    stand_ins: StandIns,
    root: TempDir,
}

impl Sandbox {
    /// A place for a page with this text.
    pub(crate) fn open(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["bin", "home", "tmp", WORK] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tarsy"), root.path().join("bin/tarsy")).unwrap();
        let stand_ins = StandIns::start(text);
        let environment = environment(&root, &stand_ins);
        let shell = Shell::start(root.path(), &environment);
        Self { servers: Vec::new(), shell, stand_ins, root }
    }

    /// Writes a file that the page shows.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.root.path().join(WORK).join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, self.stand_ins.put_into(text)).unwrap();
    }

    /// Puts the program where `make demo` builds it.
    pub(crate) fn build(&self) {
        let folder = self.root.path().join(WORK).join("target/release");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tarsy"), folder.join("tarsy")).unwrap();
    }

    /// Runs a command to its end.
    pub(crate) fn run(&mut self, command: &str) -> Ran {
        self.shell.run(&self.stand_ins.put_into(command))
    }

    /// Starts a server and leaves it running. A reader who starts one where another one listens has stopped that before.
    pub(crate) fn serve(&mut self, command: &str, program: &str, listen: Option<&str>) -> Result<(), String> {
        let usual = if program == "llm-serve" { "127.0.0.1:50051" } else { "127.0.0.1:8080" };
        let address = self.stand_ins.put_into(listen.unwrap_or(usual));
        self.servers.retain(|server| server.address != address);
        let mut starting = process::Command::new("bash");
        starting.args(["-c", &self.stand_ins.put_into(command)]).env_clear().envs(self.shell.environment());
        let log = self.root.path().join(format!("{program}-{}.log", self.servers.len()));
        self.servers.push(Server::start(starting.current_dir(self.shell.directory()), address, &log)?);
        Ok(())
    }
}

/// Nothing of this machine's but where its programs are.
fn environment(root: &TempDir, stand_ins: &StandIns) -> Vec<(&'static str, String)> {
    let inside = |folder: &str| root.path().join(folder).display().to_string();
    let server = stand_ins.put_into("127.0.0.1:8080");
    vec![
        ("PATH", format!("{}:/usr/bin:/bin", inside("bin"))),
        ("HOME", inside("home")),
        ("TMPDIR", inside("tmp")),
        ("PWD", inside(WORK)),
        ("TARSY_SERVER", format!("http://{server}")),
        ("TARSY_LISTEN", server),
        ("TARSY_LLM_LISTEN", stand_ins.put_into("127.0.0.1:50051")),
    ]
}
