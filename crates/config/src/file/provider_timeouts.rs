//! Timeouts of providers, which depend on where the model runs.
//!
//! A model on a laptop or a small server needs minutes for a long prompt before its first token, and seconds for
//! every token after it. Values of the file take precedence over these defaults.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::{ProviderConfig, ProviderType};
use crate::Period;

/// Default of `iteration_timeout` in seconds.
const ITERATION_TIMEOUT: u64 = 6 * 60;
/// The same for local models.
const LOCAL_ITERATION_TIMEOUT: u64 = 20 * 60;
/// Time in seconds for a reply after its first chunk, if the timeout of the first chunk is configured.
const MARGIN_SECONDS: u64 = 60;

/// Endings of host names that exist only in private networks.
const PRIVATE_SUFFIXES: [&str; 4] = [".local", ".internal", ".lan", ".localhost"];

impl ProviderConfig {
    /// Returns the timeout for the first chunk of a reply.
    pub fn first_chunk_timeout(&self) -> Period {
        self.first_chunk_timeout.unwrap_or(Period::from_secs(if self.is_local() { 10 * 60 } else { 5 * 60 }))
    }

    /// Returns the timeout for each further chunk.
    pub fn stall_timeout(&self) -> Period {
        self.stall_timeout.unwrap_or(Period::from_secs(if self.is_local() { 5 * 60 } else { 60 }))
    }

    /// Returns the timeout of a whole reply.
    pub fn reply_timeout(&self) -> Period {
        Period::from_secs(if self.is_local() { 30 * 60 } else { 15 * 60 })
    }

    /// Returns the default of `iteration_timeout`: enough for the first chunk and the reply after it.
    pub fn default_iteration_timeout(&self) -> Period {
        let usual = if self.is_local() { LOCAL_ITERATION_TIMEOUT } else { ITERATION_TIMEOUT };
        let slow_start =
            self.first_chunk_timeout.map_or(0, |first| first.duration().as_secs() + MARGIN_SECONDS);
        Period::from_secs(usual.max(slow_start))
    }

    /// Returns whether the model probably runs on hardware of the operator.
    fn is_local(&self) -> bool {
        self.r#type == ProviderType::OpenaiCompatible
            || self.base_url.as_ref().is_some_and(|url| is_private_url(url.expose()))
    }
}

fn is_private_url(url: &str) -> bool {
    let url = Url::parse(url).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => is_private_name(name.trim_end_matches('.')),
        Some(Host::Ipv4(address)) => is_private_v4(address),
        Some(Host::Ipv6(address)) => is_private_v6(address),
        None => false,
    }
}

fn is_private_name(name: &str) -> bool {
    !name.contains('.') || PRIVATE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    // 100.64.0.0/10 is shared address space, which overlay networks use.
    let is_shared = address.octets()[0] == 100 && address.octets()[1] & 0b1100_0000 == 64;
    address.is_loopback() || address.is_private() || address.is_link_local() || is_shared
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_private_hosts() {
        let private = [
            "http://127.0.0.1:8080/v1",
            "http://localhost:11434",
            "http://10.1.2.3",
            "http://172.16.0.1",
            "https://192.168.1.7/v1",
            "http://169.254.1.1",
            "http://100.64.0.9",
            "http://[::1]:8080",
            "http://[fd00::1]",
            "http://[fe80::1]",
            "http://[::ffff:10.0.0.1]",
            "http://ollama:11434",
            "http://vllm.models.svc.cluster.local:8000",
            "http://GPU.LOCAL.",
            "http://host.docker.internal:11434",
        ];
        for url in private {
            assert!(is_private_url(url), "{url}");
        }
        let public =
            ["https://api.openai.com", "http://8.8.8.8", "http://172.32.0.1", "http://[2001:db8::1]"];
        for url in public.into_iter().chain(["https://local.example.com", "https://100.128.0.1", "no url"]) {
            assert!(!is_private_url(url), "{url}");
        }
    }
}
