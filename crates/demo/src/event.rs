//! An event of the cluster.

use serde::Deserialize;

use crate::object::{Kind, Object};
use crate::offset::Offset;
use crate::present::Present;

/// An event.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    /// When it was seen last.
    pub(crate) at: Offset,
    pub(crate) r#type: EventType,
    pub(crate) reason: String,
    /// What it is about, such as `pod/checkout-1`.
    pub(crate) object: String,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    /// How often it was seen.
    #[serde(default = "once")]
    pub(crate) count: u32,
    pub(crate) message: String,
}

/// Whether an event is bad news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum EventType {
    Normal,
    Warning,
}

impl Event {
    /// Its name of the object it is about, without the kind.
    pub(crate) fn object_name(&self) -> &str {
        self.object.split_once('/').map_or(self.object.as_str(), |(_, name)| name)
    }

    /// Whether it is about this object.
    pub(crate) fn is_about(&self, object: &Object) -> bool {
        let kind = self.object.split_once('/').map(|(kind, _)| Kind::parse(kind));
        kind == Some(Ok(object.kind)) && self.object_name() == object.name
    }

    /// Whether it is in a namespace; any is where none is asked for.
    pub(crate) fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|namespace| self.namespace.as_deref() == Some(namespace))
    }

    /// Its row in a list.
    pub(crate) fn cells(&self, present: Present) -> Vec<String> {
        let times = if self.count > 1 { format!(" (x{})", self.count) } else { String::new() };
        vec![
            format!("{}{times}", present.age(self.at)),
            format!("{:?}", self.r#type),
            self.reason.clone(),
            self.object.clone(),
            present.fill(&self.message),
        ]
    }
}

fn once() -> u32 {
    1
}
