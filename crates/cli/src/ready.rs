//! `tarsy ready`: checks whether the local server is ready. For container health checks, because the image has no curl.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use crate::arguments::ReadyArguments;

/// Longer than the server's own timeout for its database, which is two seconds.
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// Prints the readiness report of the server. The exit status is 0 if it is ready.
pub(crate) fn ready(arguments: &ReadyArguments) -> anyhow::Result<ExitCode> {
    let address = connect_address(arguments.listen);
    let response = request(address).with_context(|| format!("requesting http://{address}/ready"))?;
    let (is_ready, body) = parse(&response).with_context(|| format!("{address} is not an HTTP server"))?;
    writeln!(std::io::stdout(), "{body}").context("writing the response")?;
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the address to connect to: the loopback address for a server that listens on all addresses.
fn connect_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

fn request(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.take(MAX_RESPONSE_BYTES).read_to_string(&mut response)?;
    Ok(response)
}

/// Returns whether the status is 200, and the body.
fn parse(response: &str) -> Option<(bool, &str)> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?;
    Some((status.starts_with("200 "), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_reached_by_loopback() {
        for (listen, expected) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(connect_address(listen.parse().unwrap()), expected.parse().unwrap());
        }
    }

    #[test]
    fn only_200_is_ready() {
        assert_eq!(parse("HTTP/1.1 200 OK\r\na: b\r\n\r\n{}"), Some((true, "{}")));
        assert_eq!(parse("HTTP/1.1 503 Service Unavailable\r\n\r\nno"), Some((false, "no")));
        assert_eq!(parse("SSH-2.0-OpenSSH"), None);
    }
}
