//! The incidents: folders of files that are embedded in the binary.

use thiserror::Error;

use crate::suggestion::suggestion;

/// An incident of the demo shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incident {
    /// The name of the incident and of its folder.
    pub name: &'static str,
    /// The symptom in one line.
    pub title: &'static str,
    /// The type of the alert.
    pub alert_type: &'static str,
    pub(crate) alert: &'static str,
    pub(crate) cassette: &'static str,
    pub(crate) files: ClusterFiles,
}

/// The files that describe a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClusterFiles {
    /// The name of the folder.
    pub(crate) folder: &'static str,
    pub(crate) objects: &'static str,
    pub(crate) events: &'static str,
    pub(crate) metrics: &'static str,
    pub(crate) deploys: &'static str,
    /// The names and texts of the logs.
    pub(crate) logs: &'static [(&'static str, &'static str)],
}

/// An incident that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no incident `{name}`; {}", suggestion(name, INCIDENTS.iter().map(|incident| incident.name)))]
pub struct UnknownIncident {
    /// The requested name.
    pub name: String,
}

/// An embedded file that is invalid. Tests parse all files, so users should never see this error.
#[derive(Debug, Error)]
#[error("demo file {file}: {problem}")]
pub struct ContentError {
    /// The file.
    pub file: String,
    /// The problem.
    pub problem: String,
}

/// Embeds a folder under `incidents/`.
macro_rules! files {
    ($folder:literal, logs: [$($log:literal),* $(,)?]) => {
        ClusterFiles {
            folder: $folder,
            objects: include_str!(concat!("../incidents/", $folder, "/objects.yaml")),
            events: include_str!(concat!("../incidents/", $folder, "/events.yaml")),
            metrics: include_str!(concat!("../incidents/", $folder, "/metrics.yaml")),
            deploys: include_str!(concat!("../incidents/", $folder, "/deploys.yaml")),
            logs: &[$(($log, include_str!(concat!("../incidents/", $folder, "/logs/", $log)))),*],
        }
    };
}

/// The files that all incidents share: the healthy parts of the shop.
pub(crate) const SHOP: ClusterFiles = files!(
    "shop",
    logs: [
        "cart-6b8f94c7d-hx2mv.log",
        "catalog-75d6c4f9bb-4zkqp.log",
        "storefront-5f7c8d9b64-9wlrt.log",
        "storefront-5f7c8d9b64-q4dnc.log",
    ]
);

const INCIDENTS: [Incident; 3] = [
    Incident {
        name: "checkout-oom",
        title: "Checkout pods are killed repeatedly",
        alert_type: "CheckoutPodsRestarting",
        alert: include_str!("../incidents/checkout-oom/alert.json"),
        cassette: include_str!("../incidents/checkout-oom/cassette.yaml"),
        files: files!(
            "checkout-oom",
            logs: [
                "checkout-6c9d7f5b8-k2x4p.log",
                "checkout-6c9d7f5b8-k2x4p.previous.log",
                "checkout-6c9d7f5b8-m7q9z.log",
                "checkout-6c9d7f5b8-m7q9z.previous.log",
                "checkout-6c9d7f5b8-tw5hn.log",
                "orders-86b5d7c9f4-r8tjx.log",
                "payments-7f9b6d5c88-c5wzn.log",
            ]
        ),
    },
    Incident {
        name: "expired-certificate",
        title: "All payments fail",
        alert_type: "PaymentCallsFailing",
        alert: include_str!("../incidents/expired-certificate/alert.json"),
        cassette: include_str!("../incidents/expired-certificate/cassette.yaml"),
        files: files!(
            "expired-certificate",
            logs: [
                "cert-keeper-58d9c7b6f-xv7lq.log",
                "checkout-5d8b9c6f7d-j4hks.log",
                "checkout-5d8b9c6f7d-zp2vm.log",
                "orders-86b5d7c9f4-r8tjx.log",
                "payments-6d7f5c9b8d-b9tqw.log",
                "payments-6d7f5c9b8d-n3fgk.log",
            ]
        ),
    },
    Incident {
        name: "slow-database",
        title: "Orders are slow",
        alert_type: "OrdersSlow",
        alert: include_str!("../incidents/slow-database/alert.json"),
        cassette: include_str!("../incidents/slow-database/cassette.yaml"),
        files: files!(
            "slow-database",
            logs: [
                "checkout-5d8b9c6f7d-j4hks.log",
                "orders-79c4f8d6b5-6lmxd.log",
                "orders-79c4f8d6b5-vk8sp.log",
                "orders-db-0.log",
                "orders-migrate-3-8-0-tz6nb.log",
                "payments-7f9b6d5c88-c5wzn.log",
            ]
        ),
    },
];

impl Incident {
    /// Returns all incidents. The first one is the default.
    pub fn all() -> &'static [Self] {
        &INCIDENTS
    }

    /// Returns the incident of this name.
    pub fn named(name: &str) -> Result<&'static Self, UnknownIncident> {
        INCIDENTS
            .iter()
            .find(|incident| incident.name == name)
            .ok_or_else(|| UnknownIncident { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_an_unknown_incident_suggests_known_ones() {
        let nearest = Incident::named("slow-databse").unwrap_err().to_string();
        assert_eq!(nearest, "there is no incident `slow-databse`; did you mean slow-database?");
        let none = Incident::named("x").unwrap_err().to_string();
        assert!(none.ends_with("there are: checkout-oom, expired-certificate, slow-database"), "{none}");
    }
}
