//! `kubectl_get`: a list of objects, or the manifests of some.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Look;
use crate::cluster::{Cluster, within};
use crate::event::Event;
use crate::object::{Kind, Object};
use crate::present::Present;
use crate::table::Table;

/// More objects than this are listed, not written out.
const MOST_MANIFESTS: usize = 5;

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

impl Look for Get {
    const NAME: &'static str = "kubectl_get";
    const DESCRIPTION: &'static str = "Lists objects of the cluster as `kubectl get` does, with status, restarts, age and node, or \
        shows the manifest of one as YAML. Events are listed with the latest last.";

    fn look(&self, cluster: &Cluster, present: Present) -> Result<String, String> {
        let (kind, namespace) = (Kind::parse(&self.kind)?, self.namespace.as_deref());
        cluster.check_namespace(namespace)?;
        if kind == Kind::Event {
            return Ok(self.events(cluster, present));
        }
        let objects = self.objects(kind, cluster)?;
        match self.output {
            Output::Table if objects.is_empty() => Ok(self.nothing(kind)),
            Output::Table => Ok(list(&objects, present)),
            Output::Yaml if objects.len() > MOST_MANIFESTS => Err(format!(
                "{} {} are too many to write out; say which one with `name`, or list them with `output: table`",
                objects.len(),
                kind.plural()
            )),
            Output::Yaml => {
                Ok(objects.iter().map(|object| object.manifest(present)).collect::<Vec<_>>().join("---\n"))
            }
        }
    }
}

impl Get {
    fn objects<'a>(&self, kind: Kind, cluster: &'a Cluster) -> Result<Vec<&'a Object>, String> {
        let namespace = self.namespace.as_deref();
        match &self.name {
            Some(name) => Ok(vec![cluster.object(kind, name, namespace)?]),
            None => {
                let objects = cluster.objects.iter();
                Ok(objects.filter(|object| object.kind == kind && object.is_in(namespace)).collect())
            }
        }
    }

    fn events(&self, cluster: &Cluster, present: Present) -> String {
        let about =
            |event: &&Event| self.name.as_deref().is_none_or(|name| event.object_name().starts_with(name));
        let events =
            cluster.events.iter().filter(|event| event.is_in(self.namespace.as_deref())).filter(about);
        event_list(events, present).unwrap_or_else(|| self.nothing(Kind::Event))
    }

    fn nothing(&self, kind: Kind) -> String {
        let about = self.name.as_ref().map(|name| format!(" about {name}")).unwrap_or_default();
        format!("No {}{about} found{}.\n", kind.plural(), within(self.namespace.as_deref()))
    }
}

fn list(objects: &[&Object], present: Present) -> String {
    let columns = objects.first().into_iter().flat_map(|object| object.row.keys().map(String::as_str));
    let mut table = Table::new(["NAMESPACE", "NAME"].into_iter().chain(columns));
    for object in objects {
        let named = [object.namespace.clone().unwrap_or_else(|| "-".to_owned()), object.name.clone()];
        table.push(named.into_iter().chain(object.cells(present)).collect());
    }
    table.render()
}

/// Events as a table; nothing if there are none.
pub(super) fn event_list<'a>(events: impl Iterator<Item = &'a Event>, present: Present) -> Option<String> {
    let mut events = events.peekable();
    events.peek()?;
    let mut table = Table::new(["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]);
    events.for_each(|event| table.push(event.cells(present)));
    Some(table.render())
}
