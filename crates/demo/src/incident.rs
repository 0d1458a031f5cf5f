//! The incidents, as folders of files that are a part of the binary.

use thiserror::Error;

use crate::nearest::instead;

/// An incident of the shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incident {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// What it looks like from outside, in one line.
    pub title: &'static str,
    /// The type of its alert.
    pub alert_type: &'static str,
    pub(crate) alert: &'static str,
    pub(crate) cassette: &'static str,
    pub(crate) files: Files,
}

/// The files about a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Files {
    /// The folder they are in.
    pub(crate) folder: &'static str,
    pub(crate) objects: &'static str,
    pub(crate) events: &'static str,
    pub(crate) metrics: &'static str,
    pub(crate) deploys: &'static str,
    /// Names and texts of logs.
    pub(crate) logs: &'static [(&'static str, &'static str)],
}

/// An incident that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no incident `{name}`; {}", instead(name, INCIDENTS.iter().map(|incident| incident.name)))]
pub struct UnknownIncident {
    /// The name that was asked for.
    pub name: String,
}

/// A file of an incident that cannot be read. Tests read them all, so nobody should ever see this.
#[derive(Debug, Error)]
#[error("{file} of the demo: {problem}")]
pub struct ContentFault {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The texts of a folder under `incidents/`.
macro_rules! files {
    ($folder:literal, logs: [$($log:literal),* $(,)?]) => {
        Files {
            folder: $folder,
            objects: include_str!(concat!("../incidents/", $folder, "/objects.yaml")),
            events: include_str!(concat!("../incidents/", $folder, "/events.yaml")),
            metrics: include_str!(concat!("../incidents/", $folder, "/metrics.yaml")),
            deploys: include_str!(concat!("../incidents/", $folder, "/deploys.yaml")),
            logs: &[$(($log, include_str!(concat!("../incidents/", $folder, "/logs/", $log)))),*],
        }
    };
}

/// What is the same in all incidents: the parts of the shop that are well.
pub(crate) const SHOP: Files = files!(
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
        title: "Pods of the checkout are killed again and again",
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
        title: "No payment goes through",
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
        title: "Orders take many seconds",
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
    /// All incidents; the first is the one that is shown where nobody chooses.
    pub fn all() -> &'static [Self] {
        &INCIDENTS
    }

    /// The incident of this name.
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
    fn an_unknown_incident_is_answered_with_what_there_is() {
        let nearest = Incident::named("slow-databse").unwrap_err().to_string();
        assert_eq!(nearest, "there is no incident `slow-databse`; did you mean slow-database?");
        let none = Incident::named("x").unwrap_err().to_string();
        assert!(none.ends_with("there are: checkout-oom, expired-certificate, slow-database"), "{none}");
    }
}
