//! The cluster of an incident: the healthy shop, with what is different in the incident.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::deploy::Deploy;
use crate::event::Event;
use crate::incident::{ContentFault, Files, Incident, SHOP};
use crate::log::{Log, Run};
use crate::metric::Metric;
use crate::nearest::instead;
use crate::object::{Kind, Object};

/// Everything that can be seen of a cluster.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) objects: Vec<Object>,
    /// In the order in which they were seen last.
    pub(crate) events: Vec<Event>,
    pub(crate) metrics: Vec<Metric>,
    /// The latest first.
    pub(crate) deploys: Vec<Deploy>,
    logs: Vec<Log>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Objects {
    objects: Vec<Object>,
}

impl Cluster {
    /// The cluster in the middle of an incident.
    pub(crate) fn of(incident: &Incident) -> Result<Self, ContentFault> {
        let mut cluster = Self::read(&SHOP)?;
        cluster.join(Self::read(&incident.files)?);
        Ok(cluster)
    }

    fn read(files: &Files) -> Result<Self, ContentFault> {
        let logs = files
            .logs
            .iter()
            .map(|(name, text)| Log::parse(name, text).map_err(|problem| fault(files, "logs", problem)));
        Ok(Self {
            objects: parse::<Objects>(files, "objects.yaml", files.objects)?.objects,
            events: parse(files, "events.yaml", files.events)?,
            metrics: parse(files, "metrics.yaml", files.metrics)?,
            deploys: parse(files, "deploys.yaml", files.deploys)?,
            logs: logs.collect::<Result<_, _>>()?,
        })
    }

    /// Takes over what another has, in place of what is there under the same name.
    fn join(&mut self, other: Self) {
        let same = |one: &Object, other: &Object| {
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

    /// The object of a kind and name, or which there are.
    pub(crate) fn object(&self, kind: Kind, name: &str, namespace: Option<&str>) -> Result<&Object, String> {
        let of_kind = || self.objects.iter().filter(|object| object.kind == kind);
        let found = of_kind().find(|object| object.name == name && object.is_in(namespace));
        found.ok_or_else(|| match of_kind().find(|object| object.name == name) {
            Some(Object { namespace: Some(other), .. }) => {
                format!("{} {name} is in the namespace {other}", kind.singular())
            }
            Some(_) | None => {
                let known = of_kind().filter(|object| object.is_in(namespace));
                let known = instead(name, known.map(|object| object.name.as_str()));
                format!("there is no {} {name}{}; {known}", kind.singular(), within(namespace))
            }
        })
    }

    /// The log of a pod, or why there is none.
    pub(crate) fn log(&self, pod: &Object, run: Run) -> Result<&Log, String> {
        let of_pod = |log: &&Log| log.pod == pod.name;
        let found = self.logs.iter().filter(of_pod).find(|log| log.run == run);
        found.ok_or_else(|| match run {
            Run::Previous => {
                format!("pod {} has no log of a previous container; leave out `previous`", pod.name)
            }
            Run::Current => format!("the log of pod {} is empty", pod.name),
        })
    }

    /// The namespaces that something is in.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().filter_map(|object| object.namespace.as_deref())
    }

    /// A namespace that was asked for, if it exists.
    pub(crate) fn check_namespace(&self, namespace: Option<&str>) -> Result<(), String> {
        match namespace {
            Some(name) if !self.namespaces().any(|known| known == name) => {
                Err(format!("there is no namespace {name}; {}", instead(name, self.namespaces())))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The end of a sentence about a namespace.
pub(crate) fn within(namespace: Option<&str>) -> String {
    namespace.map(|namespace| format!(" in the namespace {namespace}")).unwrap_or_default()
}

fn parse<T: DeserializeOwned>(files: &Files, name: &str, text: &str) -> Result<T, ContentFault> {
    serde_saphyr::from_str(text).map_err(|error| fault(files, name, error.to_string()))
}

fn fault(files: &Files, name: &str, problem: String) -> ContentFault {
    ContentFault { file: format!("{}/{name}", files.folder), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters() -> Vec<(&'static str, Cluster)> {
        let read = |incident: &Incident| {
            (incident.name, Cluster::of(incident).unwrap_or_else(|fault| panic!("{fault}")))
        };
        Incident::all().iter().map(read).collect()
    }

    #[test]
    fn every_log_is_of_a_pod() {
        for (incident, cluster) in clusters() {
            for log in &cluster.logs {
                let pod = cluster.object(Kind::Pod, &log.pod, None);
                assert!(pod.is_ok(), "{incident}: {pod:?}");
                assert!(!log.lines.is_empty(), "{incident}: {} is empty", log.pod);
            }
        }
    }

    #[test]
    fn every_event_is_about_something_that_exists_or_is_a_pod_that_is_gone() {
        for (incident, cluster) in clusters() {
            for event in cluster.events.iter().filter(|event| !event.object.starts_with("replicaset/")) {
                let known = cluster.objects.iter().any(|object| event.is_about(object));
                assert!(known, "{incident}: {}", event.object);
            }
        }
    }

    #[test]
    fn every_pod_is_on_a_node_that_exists() {
        for (incident, cluster) in clusters() {
            for pod in cluster.objects.iter().filter(|object| object.kind == Kind::Pod) {
                let node = pod.row["NODE"].as_str().unwrap();
                assert!(cluster.object(Kind::Node, node, None).is_ok(), "{incident}: {} on {node}", pod.name);
            }
        }
    }

    #[test]
    fn every_series_of_a_pod_is_of_one_that_exists() {
        for (incident, cluster) in clusters() {
            for series in cluster.metrics.iter().flat_map(|metric| &metric.series) {
                let Some(pod) = series.labels.get("pod") else { continue };
                assert!(cluster.object(Kind::Pod, pod, None).is_ok(), "{incident}: {pod}");
            }
        }
    }

    #[test]
    fn rows_of_a_kind_have_the_same_columns() {
        for (incident, cluster) in clusters() {
            for object in &cluster.objects {
                let first = cluster.objects.iter().find(|other| other.kind == object.kind).unwrap();
                let columns = |object: &Object| object.row.keys().cloned().collect::<Vec<_>>();
                assert_eq!(columns(object), columns(first), "{incident}: {}", object.name);
            }
        }
    }

    #[test]
    fn what_is_misspelt_or_elsewhere_is_answered_with_help() {
        let cluster = Cluster::of(&Incident::all()[0]).unwrap();
        let misspelt = cluster.object(Kind::Deployment, "chekout", Some("shop")).unwrap_err();
        assert_eq!(misspelt, "there is no deployment chekout in the namespace shop; did you mean checkout?");
        let elsewhere = cluster.object(Kind::Deployment, "checkout", Some("platform")).unwrap_err();
        assert_eq!(elsewhere, "deployment checkout is in the namespace shop");
        let namespace = cluster.check_namespace(Some("shopp")).unwrap_err();
        assert_eq!(namespace, "there is no namespace shopp; did you mean shop?");
    }
}
