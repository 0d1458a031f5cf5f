//! `kubectl_describe`: describes one object with its events.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ClusterTool;
use super::get::event_list;
use crate::cluster::Cluster;
use crate::incident_clock::IncidentClock;
use crate::object::ObjectKind;

/// What to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Describe {
    /// The kind of the object, such as pod, deployment, node, job or certificate.
    kind: String,
    /// The name of the object.
    name: String,
    /// The namespace it is in. Without it: whichever has it.
    namespace: Option<String>,
}

impl ClusterTool for Describe {
    const NAME: &'static str = "kubectl_describe";
    const DESCRIPTION: &'static str = "Shows everything about one object as `kubectl describe` does: containers with their limits \
        and last state, conditions, settings, and the events about it.";

    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String> {
        let (kind, namespace) = (ObjectKind::parse(&self.kind)?, self.namespace.as_deref());
        cluster.check_namespace(namespace)?;
        let object = cluster.object(kind, &self.name, namespace)?;
        let events = cluster.events.iter().filter(|event| event.is_about(object));
        let events = event_list(events, clock).unwrap_or_else(|| "(none)\n".to_owned());
        Ok(format!("{}Events:\n{events}", object.describe(clock)))
    }
}
