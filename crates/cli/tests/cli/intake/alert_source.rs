//! A real Prometheus with one rule, and two clustered Alertmanagers.
//!
//! `scripts/install-test-tools` installs the programs.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::process::{Process, free_port};

/// The alert that fires while the target is down.
pub(crate) const ALERT: &str = "TargetDown";

pub(crate) struct AlertSource {
    alertmanagers: [SocketAddr; 2],
    /// The address that is scraped.
    pub(crate) target: SocketAddr,
    _processes: Vec<Process>,
}

impl AlertSource {
    /// Starts all processes; notifications are sent to `webhook`.
    pub(crate) fn start(directory: &Path, webhook: &str) -> Self {
        let alertmanagers = [local(free_port()), local(free_port())];
        let gossip = [free_port(), free_port()];
        let target = local(free_port());
        fs::write(directory.join("alertmanager.yml"), alertmanager_config(webhook)).unwrap();
        fs::write(directory.join("rules.yml"), RULES.replace("ALERT", ALERT)).unwrap();
        fs::write(directory.join("prometheus.yml"), prometheus_config(target, alertmanagers)).unwrap();
        let peers = (0..2).map(|number| {
            start_alertmanager(directory, alertmanagers[number], gossip[number], gossip[1 - number])
        });
        let mut processes: Vec<Process> = peers.collect();
        processes.push(start_prometheus(directory));
        Self { alertmanagers, target, _processes: processes }
    }

    /// Returns the number of notifications that each Alertmanager has sent.
    pub(crate) async fn sent(&self) -> [u64; 2] {
        self.count("alertmanager_notifications_total").await
    }

    /// Returns the number of failed requests of each Alertmanager.
    pub(crate) async fn failed(&self) -> [u64; 2] {
        self.count("alertmanager_notification_requests_failed_total").await
    }

    async fn count(&self, metric: &str) -> [u64; 2] {
        let [one, other] = self.alertmanagers;
        [count(one, metric).await, count(other, metric).await]
    }
}

/// Returns a counter of an Alertmanager; 0 if it is not reachable yet.
async fn count(address: SocketAddr, metric: &str) -> u64 {
    let metrics = metrics(address).await.unwrap_or_default();
    let name = format!("{metric}{{integration=\"webhook\"}}");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or_default()
}

/// Fetches metrics over HTTP/1.0, where the end of the connection ends the response.
async fn metrics(address: SocketAddr) -> std::io::Result<String> {
    let mut connection = TcpStream::connect(address).await?;
    connection.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await?;
    let mut response = String::new();
    connection.read_to_string(&mut response).await?;
    Ok(response)
}

/// Uses the shortest intervals. Peers do not wait for each other, so that both send every notification.
fn alertmanager_config(webhook: &str) -> String {
    format!(
        "route: {{ receiver: tarsy, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 2s }}
receivers: [{{ name: tarsy, webhook_configs: [{{ url: \"{webhook}\", send_resolved: true }}] }}]
"
    )
}

const RULES: &str = "groups:
  - name: test
    rules:
      - alert: ALERT
        expr: up == 0
        labels: { severity: critical }
        annotations: { summary: the target is down, runbook_url: \"https://github.com/example/runbooks/down.md\" }
";

fn prometheus_config(target: SocketAddr, alertmanagers: [SocketAddr; 2]) -> String {
    let [one, other] = alertmanagers;
    format!(
        "global: {{ scrape_interval: 500ms, scrape_timeout: 400ms, evaluation_interval: 500ms }}
rule_files: [rules.yml]
alerting: {{ alertmanagers: [{{ static_configs: [{{ targets: [\"{one}\", \"{other}\"] }}] }}] }}
scrape_configs: [{{ job_name: target, static_configs: [{{ targets: [\"{target}\"] }}] }}]
"
    )
}

fn start_alertmanager(directory: &Path, listen: SocketAddr, gossip: u16, peer: u16) -> Process {
    let storage = directory.join(format!("alertmanager-{gossip}"));
    let mut command = program("prometheus-alertmanager");
    command
        .arg(format!("--config.file={}", directory.join("alertmanager.yml").display()))
        .arg(format!("--storage.path={}", storage.display()))
        .arg(format!("--web.listen-address={listen}"))
        .arg(format!("--cluster.listen-address=127.0.0.1:{gossip}"))
        .arg(format!("--cluster.peer=127.0.0.1:{peer}"))
        .args(["--cluster.peer-timeout=0s", "--cluster.settle-timeout=2s", "--cluster.gossip-interval=1s"])
        .stdout(Stdio::null());
    Process::start(&mut command, &directory.join(format!("alertmanager-{gossip}.log")))
}

fn start_prometheus(directory: &Path) -> Process {
    let mut command = program("prometheus");
    command
        .arg(format!("--config.file={}", directory.join("prometheus.yml").display()))
        .arg(format!("--storage.tsdb.path={}", directory.join("prometheus").display()))
        .arg(format!("--web.listen-address=127.0.0.1:{}", free_port()))
        .args(["--rules.alert.resend-delay=1s"])
        .current_dir(directory)
        .stdout(Stdio::null());
    Process::start(&mut command, &directory.join("prometheus.log"))
}

/// Returns a command for a third-party program.
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}
