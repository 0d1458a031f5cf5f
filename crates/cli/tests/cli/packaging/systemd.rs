//! The systemd unit.

use super::files;
use super::launch::Launch;

const UNIT: &str = "packaging/systemd/tarsy.service";

/// Returns the values of a setting in order.
fn values(unit: &str, setting: &str) -> Vec<String> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines.filter(|(name, _)| *name == setting).map(|(_, value)| value.to_owned()).collect()
}

fn the(setting: &str) -> String {
    let mut values = values(&files::read(UNIT), setting);
    assert_eq!(values.len(), 1, "{setting}");
    values.remove(0)
}

#[tokio::test]
async fn the_unit_command_serves() {
    let command = the("ExecStart");
    let mut words = command.split(' ').map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some("/usr/local/bin/tarsy"));
    let home = the("Environment").strip_prefix("HOME=").unwrap().to_owned();
    let environment = vec![("HOME".to_owned(), home)];
    let launch = Launch { arguments: words.collect(), environment, config: "packaging/systemd" };
    launch.check_server().await;
    let check = Launch { arguments: Vec::new(), environment: Vec::new(), config: "packaging/systemd" };
    check.run("check --config-dir /etc/tarsy");
}

#[test]
fn only_the_service_directories_are_writable() {
    let command = the("ExecStart");
    assert!(command.contains(&format!("--config-dir /etc/{} ", the("ConfigurationDirectory"))));
    assert!(command.contains(&format!("--data-dir /var/lib/{} ", the("StateDirectory"))));
    assert_eq!(the("Environment"), format!("HOME=/var/cache/{}", the("CacheDirectory")));
    for (setting, value) in [
        ("DynamicUser", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
    ] {
        assert_eq!(the(setting), value, "{setting}");
    }
}

#[test]
fn the_stop_timeout_covers_running_sessions() {
    let timeout = the("TimeoutStopSec");
    let minutes: u64 = timeout.strip_suffix("min").unwrap().parse().unwrap();
    assert!(
        minutes * 60 >= files::graceful_seconds("packaging/systemd/tarsy.yaml") + files::STOPPING_SECONDS
    );
    assert_eq!(the("KillMode"), "mixed");
}

#[test]
fn the_documentation_installs_all_files() {
    let page = files::read("packaging/README.md");
    let installed =
        |to: &str| page.lines().any(|line| line.starts_with("sudo install ") && line.ends_with(to));
    for path in [" /usr/local/bin/tarsy", " /etc/tarsy/tarsy.yaml", " /etc/systemd/system/tarsy.service"] {
        assert!(installed(path), "{path} is not installed");
    }
    assert!(page.contains(the("EnvironmentFile").trim_start_matches('-')));
    for line in page.lines().filter(|line| line.starts_with("sudo install ")) {
        let source = line.split(' ').rev().nth(1).unwrap();
        assert!(source == "target/dist/tarsy" || files::path(source).is_file(), "{source}");
    }
}
