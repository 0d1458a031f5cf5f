//! The cluster of an incident: the healthy shop, overlaid with the files of the incident.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::deploy::Deploy;
use crate::event::ClusterEvent;
use crate::incident::{ClusterFiles, ContentError, Incident, SHOP};
use crate::log::{ContainerLog, ContainerRun};
use crate::metric::Metric;
use crate::object::{ClusterObject, ObjectKind};
use crate::suggestion::suggestion;

/// The observable state of a cluster.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) objects: Vec<ClusterObject>,
    /// In the order of their last occurrence.
    pub(crate) events: Vec<ClusterEvent>,
    pub(crate) metrics: Vec<Metric>,
    /// Latest first.
    pub(crate) deploys: Vec<Deploy>,
    logs: Vec<ContainerLog>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectsFile {
    objects: Vec<ClusterObject>,
}

impl Cluster {
    /// Builds the cluster of an incident.
    pub(crate) fn of(incident: &Incident) -> Result<Self, ContentError> {
        let mut cluster = Self::read(&SHOP)?;
        cluster.merge(Self::read(&incident.files)?);
        Ok(cluster)
    }

    fn read(files: &ClusterFiles) -> Result<Self, ContentError> {
        let logs = files.logs.iter().map(|(name, text)| {
            ContainerLog::parse(name, text).map_err(|problem| content_error(files, "logs", problem))
        });
        Ok(Self {
            objects: parse::<ObjectsFile>(files, "objects.yaml", files.objects)?.objects,
            events: parse(files, "events.yaml", files.events)?,
            metrics: parse(files, "metrics.yaml", files.metrics)?,
            deploys: parse(files, "deploys.yaml", files.deploys)?,
            logs: logs.collect::<Result<_, _>>()?,
        })
    }

    /// Adds everything of another cluster; its objects replace those of the same kind, namespace and name.
    fn merge(&mut self, other: Self) {
        let same = |one: &ClusterObject, other: &ClusterObject| {
            (one.kind, &one.namespace, &one.name) == (other.kind, &other.namespace, &other.name)
        };
        self.objects.retain(|object| !other.objects.iter().any(|newer| same(object, newer)));
        self.objects.extend(other.objects);
        self.objects.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
        self.events.extend(other.events);
        self.events.sort_by_key(|event| event.at);
        self.deploys.extend(other.deploys);
        self.deploys.sort_by_key(|deploy| std::cmp::Reverse(deploy.at));
        self.logs.extend(other.logs);
        for metric in other.metrics {
            match self.metrics.iter_mut().find(|known| known.name == metric.name) {
                Some(known) => known.series.extend(metric.series),
                None => self.metrics.push(metric),
            }
        }
    }

    /// Returns an object, or an error that suggests existing ones.
    pub(crate) fn object(
        &self,
        kind: ObjectKind,
        name: &str,
        namespace: Option<&str>,
    ) -> Result<&ClusterObject, String> {
        let of_kind = || self.objects.iter().filter(|object| object.kind == kind);
        let found = of_kind().find(|object| object.name == name && object.is_in(namespace));
        found.ok_or_else(|| match of_kind().find(|object| object.name == name) {
            Some(ClusterObject { namespace: Some(other), .. }) => {
                format!("{} {name} is in the namespace {other}", kind.singular())
            }
            Some(_) | None => {
                let known = of_kind().filter(|object| object.is_in(namespace));
                let known = suggestion(name, known.map(|object| object.name.as_str()));
                format!("there is no {} {name}{}; {known}", kind.singular(), within(namespace))
            }
        })
    }

    /// Returns the log of a pod.
    pub(crate) fn log(&self, pod: &ClusterObject, run: ContainerRun) -> Result<&ContainerLog, String> {
        let of_pod = |log: &&ContainerLog| log.pod == pod.name;
        let found = self.logs.iter().filter(of_pod).find(|log| log.run == run);
        found.ok_or_else(|| match run {
            ContainerRun::Previous => {
                format!("pod {} has no log of a previous container; leave out `previous`", pod.name)
            }
            ContainerRun::Current => format!("the log of pod {} is empty", pod.name),
        })
    }

    /// Returns the namespaces of all objects.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().filter_map(|object| object.namespace.as_deref())
    }

    /// Returns an error if the namespace does not exist.
    pub(crate) fn check_namespace(&self, namespace: Option<&str>) -> Result<(), String> {
        match namespace {
            Some(name) if !self.namespaces().any(|known| known == name) => {
                Err(format!("there is no namespace {name}; {}", suggestion(name, self.namespaces())))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Returns ` in the namespace …`, or nothing.
pub(crate) fn within(namespace: Option<&str>) -> String {
    namespace.map(|namespace| format!(" in the namespace {namespace}")).unwrap_or_default()
}

fn parse<T: DeserializeOwned>(files: &ClusterFiles, name: &str, text: &str) -> Result<T, ContentError> {
    serde_saphyr::from_str(text).map_err(|error| content_error(files, name, error.to_string()))
}

fn content_error(files: &ClusterFiles, name: &str, problem: String) -> ContentError {
    ContentError { file: format!("{}/{name}", files.folder), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters() -> Vec<(&'static str, Cluster)> {
        let read = |incident: &Incident| {
            (incident.name, Cluster::of(incident).unwrap_or_else(|error| panic!("{error}")))
        };
        Incident::all().iter().map(read).collect()
    }

    #[test]
    fn every_log_belongs_to_a_pod() {
        for (incident, cluster) in clusters() {
            for log in &cluster.logs {
                let pod = cluster.object(ObjectKind::Pod, &log.pod, None);
                assert!(pod.is_ok(), "{incident}: {pod:?}");
                assert!(!log.lines.is_empty(), "{incident}: {} is empty", log.pod);
            }
        }
    }

    #[test]
    fn every_event_refers_to_an_existing_object() {
        for (incident, cluster) in clusters() {
            for event in cluster.events.iter().filter(|event| !event.object.starts_with("replicaset/")) {
                let known = cluster.objects.iter().any(|object| event.is_about(object));
                assert!(known, "{incident}: {}", event.object);
            }
        }
    }

    #[test]
    fn every_pod_runs_on_an_existing_node() {
        for (incident, cluster) in clusters() {
            for pod in cluster.objects.iter().filter(|object| object.kind == ObjectKind::Pod) {
                let node = pod.row["NODE"].as_str().unwrap();
                assert!(
                    cluster.object(ObjectKind::Node, node, None).is_ok(),
                    "{incident}: {} on {node}",
                    pod.name
                );
            }
        }
    }

    #[test]
    fn every_pod_series_belongs_to_an_existing_pod() {
        for (incident, cluster) in clusters() {
            for series in cluster.metrics.iter().flat_map(|metric| &metric.series) {
                let Some(pod) = series.labels.get("pod") else { continue };
                assert!(cluster.object(ObjectKind::Pod, pod, None).is_ok(), "{incident}: {pod}");
            }
        }
    }

    #[test]
    fn objects_of_a_kind_have_the_same_columns() {
        for (incident, cluster) in clusters() {
            for object in &cluster.objects {
                let first = cluster.objects.iter().find(|other| other.kind == object.kind).unwrap();
                let columns = |object: &ClusterObject| object.row.keys().cloned().collect::<Vec<_>>();
                assert_eq!(columns(object), columns(first), "{incident}: {}", object.name);
            }
        }
    }

    #[test]
    fn errors_suggest_similar_names_and_other_namespaces() {
        let cluster = Cluster::of(&Incident::all()[0]).unwrap();
        let misspelt = cluster.object(ObjectKind::Deployment, "chekout", Some("shop")).unwrap_err();
        assert_eq!(misspelt, "there is no deployment chekout in the namespace shop; did you mean checkout?");
        let elsewhere = cluster.object(ObjectKind::Deployment, "checkout", Some("platform")).unwrap_err();
        assert_eq!(elsewhere, "deployment checkout is in the namespace shop");
        let namespace = cluster.check_namespace(Some("shopp")).unwrap_err();
        assert_eq!(namespace, "there is no namespace shopp; did you mean shop?");
    }
}
