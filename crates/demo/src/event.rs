//! A Kubernetes event of the cluster.

use serde::Deserialize;

use crate::incident_clock::IncidentClock;
use crate::object::{ClusterObject, ObjectKind};
use crate::offset::Offset;

/// A Kubernetes event.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClusterEvent {
    /// When it occurred last.
    pub(crate) at: Offset,
    pub(crate) r#type: ClusterEventType,
    pub(crate) reason: String,
    /// The object it refers to, such as `pod/checkout-1`.
    pub(crate) object: String,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    /// The number of occurrences.
    #[serde(default = "once")]
    pub(crate) count: u32,
    pub(crate) message: String,
}

/// The severity of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum ClusterEventType {
    Normal,
    Warning,
}

impl ClusterEvent {
    /// Returns the name of the object without its kind.
    pub(crate) fn object_name(&self) -> &str {
        self.object.split_once('/').map_or(self.object.as_str(), |(_, name)| name)
    }

    /// Returns whether the event refers to an object.
    pub(crate) fn is_about(&self, object: &ClusterObject) -> bool {
        let kind = self.object.split_once('/').map(|(kind, _)| ObjectKind::parse(kind));
        kind == Some(Ok(object.kind)) && self.object_name() == object.name
    }

    /// Returns whether the event is in a namespace; `None` matches all.
    pub(crate) fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|namespace| self.namespace.as_deref() == Some(namespace))
    }

    /// Returns the cells of the event in a table.
    pub(crate) fn cells(&self, clock: IncidentClock) -> Vec<String> {
        let times = if self.count > 1 { format!(" (x{})", self.count) } else { String::new() };
        vec![
            format!("{}{times}", clock.age(self.at)),
            format!("{:?}", self.r#type),
            self.reason.clone(),
            self.object.clone(),
            clock.fill(&self.message),
        ]
    }
}

fn once() -> u32 {
    1
}
