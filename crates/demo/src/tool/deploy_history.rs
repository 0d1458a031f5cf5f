//! `deploy_history`: lists deployments, latest first.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ClusterTool;
use crate::cluster::Cluster;
use crate::deploy::Deploy;
use crate::incident_clock::IncidentClock;
use crate::offset::parse_span;
use crate::suggestion::suggestion;

/// Which changes to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeployHistory {
    /// Only changes of this service.
    service: Option<String>,
    /// Only changes within this period before now, such as 2h or 7d.
    #[serde(default = "usual_span")]
    since: String,
}

fn usual_span() -> String {
    "2d".to_owned()
}

impl ClusterTool for DeployHistory {
    const NAME: &'static str = "deploy_history";
    const DESCRIPTION: &'static str = "Lists what was rolled out, the latest first: service, version, time, who did it, and what \
        changed in manifests and settings.";

    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String> {
        let since = parse_span(&self.since)?;
        self.check_service(cluster)?;
        let is_wanted =
            |deploy: &&Deploy| self.service.as_ref().is_none_or(|service| deploy.service == *service);
        let is_recent = |deploy: &&Deploy| clock.now.duration_since(clock.time(deploy.at)) <= since;
        let deploys = cluster.deploys.iter().filter(is_wanted).filter(is_recent);
        let paragraphs: Vec<String> = deploys.map(|deploy| deploy.describe(clock)).collect();
        match paragraphs.is_empty() {
            true => Ok(format!("Nothing was rolled out in the last {}.\n", self.since)),
            false => Ok(paragraphs.join("\n")),
        }
    }
}

impl DeployHistory {
    fn check_service(&self, cluster: &Cluster) -> Result<(), String> {
        let known = || cluster.deploys.iter().map(|deploy| deploy.service.as_str());
        match &self.service {
            Some(service) if !known().any(|other| other == service) => {
                Err(format!("no change of {service} is known; {}", suggestion(service, known())))
            }
            Some(_) | None => Ok(()),
        }
    }
}
