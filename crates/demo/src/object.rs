//! An object of the cluster: its table row, its description and its manifest.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::incident_clock::IncidentClock;
use crate::suggestion::suggestion;

/// A Kubernetes object. Its texts may contain the placeholders of [`IncidentClock::fill`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClusterObject {
    pub(crate) kind: ObjectKind,
    /// The namespace; nodes have none.
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    /// The table columns besides namespace and name, in order.
    pub(crate) row: Map<String, Value>,
    /// The part of the description between the row and the events.
    #[serde(default)]
    details: String,
    /// The manifest in YAML. Without it, one is generated from the row.
    #[serde(default)]
    manifest: String,
}

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum ObjectKind {
    Certificate,
    ConfigMap,
    CronJob,
    Deployment,
    Event,
    Job,
    Namespace,
    Node,
    PersistentVolumeClaim,
    Pod,
    Secret,
    Service,
    StatefulSet,
}

/// The names of each kind: plural, singular, abbreviations.
const KINDS: &[(ObjectKind, &[&str])] = &[
    (ObjectKind::Certificate, &["certificates", "certificate", "cert", "certs"]),
    (ObjectKind::ConfigMap, &["configmaps", "configmap", "cm"]),
    (ObjectKind::CronJob, &["cronjobs", "cronjob", "cj"]),
    (ObjectKind::Deployment, &["deployments", "deployment", "deploy"]),
    (ObjectKind::Event, &["events", "event", "ev"]),
    (ObjectKind::Job, &["jobs", "job"]),
    (ObjectKind::Namespace, &["namespaces", "namespace", "ns"]),
    (ObjectKind::Node, &["nodes", "node", "no"]),
    (ObjectKind::PersistentVolumeClaim, &["persistentvolumeclaims", "persistentvolumeclaim", "pvc"]),
    (ObjectKind::Pod, &["pods", "pod", "po"]),
    (ObjectKind::Secret, &["secrets", "secret"]),
    (ObjectKind::Service, &["services", "service", "svc"]),
    (ObjectKind::StatefulSet, &["statefulsets", "statefulset", "sts"]),
];

impl ObjectKind {
    /// Parses a name of a kind.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let lowercase = name.to_lowercase();
        let found = KINDS.iter().find(|(_, names)| names.contains(&lowercase.as_str()));
        found.map(|(kind, _)| *kind).ok_or_else(|| {
            let known = KINDS.iter().filter_map(|(_, names)| names.first().copied());
            format!("there is no kind `{name}` in this cluster; {}", suggestion(name, known))
        })
    }

    /// Returns the singular name, as in events.
    pub(crate) fn singular(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).and_then(|(_, names)| names.get(1)).unwrap_or(&"object")
    }

    /// Returns the plural name.
    pub(crate) fn plural(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self)
            .and_then(|(_, names)| names.first())
            .unwrap_or(&"objects")
    }
}

impl ClusterObject {
    /// Returns whether the object is in a namespace or has none; `None` matches all.
    pub(crate) fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace
            .is_none_or(|namespace| self.namespace.as_deref() == Some(namespace) || self.namespace.is_none())
    }

    /// Returns the cells of the row.
    pub(crate) fn cells(&self, clock: IncidentClock) -> impl Iterator<Item = String> {
        self.row.values().map(move |value| clock.fill(&shown(value)))
    }

    /// Returns the description without events.
    pub(crate) fn describe(&self, clock: IncidentClock) -> String {
        let namespace = self.namespace.as_deref().unwrap_or("(none)");
        let named = [("Name", self.name.clone()), ("Namespace", namespace.to_owned())];
        let row = self.row.iter().map(|(column, value)| (column.as_str(), shown(value)));
        let head =
            named.into_iter().chain(row).map(|(key, value)| format!("{:14} {value}\n", format!("{key}:")));
        clock.fill(&format!("{}{}", head.collect::<String>(), self.details))
    }

    /// Returns the manifest in YAML.
    pub(crate) fn manifest(&self, clock: IncidentClock) -> String {
        if !self.manifest.is_empty() {
            return clock.fill(&self.manifest);
        }
        let namespace = self.namespace.iter().map(|namespace| format!("  namespace: {namespace}\n"));
        let status = self
            .row
            .iter()
            .map(|(column, value)| format!("  {}: {}\n", column.to_lowercase(), quoted(value)));
        let text = format!(
            "kind: {:?}\nmetadata:\n  name: {}\n{}status:\n{}",
            self.kind,
            self.name,
            namespace.collect::<String>(),
            status.collect::<String>()
        );
        clock.fill(&text)
    }
}

fn quoted(value: &Value) -> String {
    Value::String(shown(value)).to_string()
}

/// Formats a cell; strings have no quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_abbreviations_and_suggests_similar_kinds() {
        assert_eq!(ObjectKind::parse("Deploy"), Ok(ObjectKind::Deployment));
        assert_eq!(ObjectKind::parse("po"), Ok(ObjectKind::Pod));
        let error = ObjectKind::parse("podz").unwrap_err();
        assert_eq!(error, "there is no kind `podz` in this cluster; did you mean pods?");
    }
}
