//! The unit of systemd.

use super::files;
use super::started::Started;

const UNIT: &str = "packaging/systemd/tarsy.service";

/// The values of a setting, in their order.
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
async fn what_it_starts_serves() {
    let command = the("ExecStart");
    let mut words = command.split(' ').map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some("/usr/local/bin/tarsy"));
    let home = the("Environment").strip_prefix("HOME=").unwrap().to_owned();
    let environment = vec![("HOME".to_owned(), home)];
    let started = Started { arguments: words.collect(), environment, config: "packaging/systemd" };
    started.serves().await;
    let check = Started { arguments: Vec::new(), environment: Vec::new(), config: "packaging/systemd" };
    check.runs("check --config-dir /etc/tarsy");
}

#[test]
fn its_directories_are_those_of_the_service_and_nothing_else_can_be_written() {
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
fn a_stop_waits_for_sessions() {
    let timeout = the("TimeoutStopSec");
    let minutes: u64 = timeout.strip_suffix("min").unwrap().parse().unwrap();
    assert!(
        minutes * 60 >= files::graceful_seconds("packaging/systemd/tarsy.yaml") + files::STOPPING_SECONDS
    );
    assert_eq!(the("KillMode"), "mixed");
}

#[test]
fn the_page_installs_every_file_where_the_unit_looks() {
    let page = files::read("packaging/README.md");
    let installed =
        |to: &str| page.lines().any(|line| line.starts_with("sudo install ") && line.ends_with(to));
    for place in [" /usr/local/bin/tarsy", " /etc/tarsy/tarsy.yaml", " /etc/systemd/system/tarsy.service"] {
        assert!(installed(place), "{place} is not installed");
    }
    assert!(page.contains(the("EnvironmentFile").trim_start_matches('-')));
    for line in page.lines().filter(|line| line.starts_with("sudo install ")) {
        let source = line.split(' ').rev().nth(1).unwrap();
        assert!(source == "target/dist/tarsy" || files::path(source).is_file(), "{source}");
    }
}
