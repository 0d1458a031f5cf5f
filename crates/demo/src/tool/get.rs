//! `kubectl_get`: lists objects or returns their manifests.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ClusterTool;
use crate::cluster::{Cluster, within};
use crate::event::ClusterEvent;
use crate::incident_clock::IncidentClock;
use crate::object::{ClusterObject, ObjectKind};
use crate::table::TextTable;

/// The maximum number of manifests in one result.
const MAX_MANIFESTS: usize = 5;

/// What to get.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Get {
    /// The kind of objects: pods, deployments, statefulsets, jobs, cronjobs, services, configmaps, secrets, certificates,
    /// persistentvolumeclaims, nodes, namespaces or events. Short words such as `po` work too.
    kind: String,
    /// Only the object of this name; of events, those about it.
    name: Option<String>,
    /// Only this namespace. Without it: all.
    namespace: Option<String>,
    /// `table` for a list, `yaml` for the manifests.
    #[serde(default)]
    output: Output,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Output {
    #[default]
    Table,
    Yaml,
}

impl ClusterTool for Get {
    const NAME: &'static str = "kubectl_get";
    const DESCRIPTION: &'static str = "Lists objects of the cluster as `kubectl get` does, with status, restarts, age and node, or \
        shows the manifest of one as YAML. Events are listed with the latest last.";

    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String> {
        let (kind, namespace) = (ObjectKind::parse(&self.kind)?, self.namespace.as_deref());
        cluster.check_namespace(namespace)?;
        if kind == ObjectKind::Event {
            return Ok(self.events(cluster, clock));
        }
        let objects = self.objects(kind, cluster)?;
        match self.output {
            Output::Table if objects.is_empty() => Ok(self.nothing(kind)),
            Output::Table => Ok(list(&objects, clock)),
            Output::Yaml if objects.len() > MAX_MANIFESTS => Err(format!(
                "{} {} are too many to write out; say which one with `name`, or list them with `output: table`",
                objects.len(),
                kind.plural()
            )),
            Output::Yaml => {
                Ok(objects.iter().map(|object| object.manifest(clock)).collect::<Vec<_>>().join("---\n"))
            }
        }
    }
}

impl Get {
    fn objects<'a>(&self, kind: ObjectKind, cluster: &'a Cluster) -> Result<Vec<&'a ClusterObject>, String> {
        let namespace = self.namespace.as_deref();
        match &self.name {
            Some(name) => Ok(vec![cluster.object(kind, name, namespace)?]),
            None => {
                let objects = cluster.objects.iter();
                Ok(objects.filter(|object| object.kind == kind && object.is_in(namespace)).collect())
            }
        }
    }

    fn events(&self, cluster: &Cluster, clock: IncidentClock) -> String {
        let about = |event: &&ClusterEvent| {
            self.name.as_deref().is_none_or(|name| event.object_name().starts_with(name))
        };
        let events =
            cluster.events.iter().filter(|event| event.is_in(self.namespace.as_deref())).filter(about);
        event_list(events, clock).unwrap_or_else(|| self.nothing(ObjectKind::Event))
    }

    fn nothing(&self, kind: ObjectKind) -> String {
        let about = self.name.as_ref().map(|name| format!(" about {name}")).unwrap_or_default();
        format!("No {}{about} found{}.\n", kind.plural(), within(self.namespace.as_deref()))
    }
}

fn list(objects: &[&ClusterObject], clock: IncidentClock) -> String {
    let columns = objects.first().into_iter().flat_map(|object| object.row.keys().map(String::as_str));
    let mut table = TextTable::new(["NAMESPACE", "NAME"].into_iter().chain(columns));
    for object in objects {
        let named = [object.namespace.clone().unwrap_or_else(|| "-".to_owned()), object.name.clone()];
        table.push(named.into_iter().chain(object.cells(clock)).collect());
    }
    table.render()
}

/// Formats events as a table; `None` without events.
pub(super) fn event_list<'a>(
    events: impl Iterator<Item = &'a ClusterEvent>,
    clock: IncidentClock,
) -> Option<String> {
    let mut events = events.peekable();
    events.peek()?;
    let mut table = TextTable::new(["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]);
    events.for_each(|event| table.push(event.cells(clock)));
    Some(table.render())
}
