//! An object of the cluster: its row in a list, what `describe` says about it, and its manifest.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::nearest::instead;
use crate::present::Present;

/// An object. Texts may have times and ages in them, as [`Present::fill`] knows them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    /// Nodes are in no namespace.
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    /// What a list shows besides the name, in the order of its columns.
    pub(crate) row: Map<String, Value>,
    /// What `describe` shows between the row and the events.
    #[serde(default)]
    details: String,
    /// What is shown as YAML. Without it there is one made of the row.
    #[serde(default)]
    manifest: String,
}

/// The kinds of objects in the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Kind {
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

/// Every kind with the words for it, the usual one first.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Certificate, &["certificates", "certificate", "cert", "certs"]),
    (Kind::ConfigMap, &["configmaps", "configmap", "cm"]),
    (Kind::CronJob, &["cronjobs", "cronjob", "cj"]),
    (Kind::Deployment, &["deployments", "deployment", "deploy"]),
    (Kind::Event, &["events", "event", "ev"]),
    (Kind::Job, &["jobs", "job"]),
    (Kind::Namespace, &["namespaces", "namespace", "ns"]),
    (Kind::Node, &["nodes", "node", "no"]),
    (Kind::PersistentVolumeClaim, &["persistentvolumeclaims", "persistentvolumeclaim", "pvc"]),
    (Kind::Pod, &["pods", "pod", "po"]),
    (Kind::Secret, &["secrets", "secret"]),
    (Kind::Service, &["services", "service", "svc"]),
    (Kind::StatefulSet, &["statefulsets", "statefulset", "sts"]),
];

impl Kind {
    /// The kind that a word stands for.
    pub(crate) fn parse(word: &str) -> Result<Self, String> {
        let small = word.to_lowercase();
        let found = KINDS.iter().find(|(_, words)| words.contains(&small.as_str()));
        found.map(|(kind, _)| *kind).ok_or_else(|| {
            let known = KINDS.iter().filter_map(|(_, words)| words.first().copied());
            format!("there is no kind `{word}` in this cluster; {}", instead(word, known))
        })
    }

    /// The word for one of it, as events name it.
    pub(crate) fn singular(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).and_then(|(_, words)| words.get(1)).unwrap_or(&"object")
    }

    /// The word for several of it.
    pub(crate) fn plural(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self)
            .and_then(|(_, words)| words.first())
            .unwrap_or(&"objects")
    }
}

impl Object {
    /// Whether it is in a namespace; any is where none is asked for.
    pub(crate) fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace
            .is_none_or(|namespace| self.namespace.as_deref() == Some(namespace) || self.namespace.is_none())
    }

    /// The cells of its row.
    pub(crate) fn cells(&self, present: Present) -> impl Iterator<Item = String> {
        self.row.values().map(move |value| present.fill(&shown(value)))
    }

    /// What `describe` says, without events.
    pub(crate) fn describe(&self, present: Present) -> String {
        let namespace = self.namespace.as_deref().unwrap_or("(none)");
        let named = [("Name", self.name.clone()), ("Namespace", namespace.to_owned())];
        let row = self.row.iter().map(|(column, value)| (column.as_str(), shown(value)));
        let head =
            named.into_iter().chain(row).map(|(key, value)| format!("{:14} {value}\n", format!("{key}:")));
        present.fill(&format!("{}{}", head.collect::<String>(), self.details))
    }

    /// Its manifest in YAML.
    pub(crate) fn manifest(&self, present: Present) -> String {
        if !self.manifest.is_empty() {
            return present.fill(&self.manifest);
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
        present.fill(&text)
    }
}

fn quoted(value: &Value) -> String {
    Value::String(shown(value)).to_string()
}

/// A cell as it is shown: texts without quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_short_words_and_a_misspelt_one_is_answered() {
        assert_eq!(Kind::parse("Deploy"), Ok(Kind::Deployment));
        assert_eq!(Kind::parse("po"), Ok(Kind::Pod));
        let wrong = Kind::parse("podz").unwrap_err();
        assert_eq!(wrong, "there is no kind `podz` in this cluster; did you mean pods?");
    }
}
