//! `tarsy ready`: is the server on this machine ready? For health checks of containers, which have no other program to ask with.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use crate::arguments::ReadyArguments;

/// A server asks its database for two seconds at most.
const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_ANSWER: u64 = 1 << 20;

/// Prints what the server says of itself. The exit status is 0 only if it is ready.
pub(crate) fn ready(arguments: &ReadyArguments) -> anyhow::Result<ExitCode> {
    let address = reachable(arguments.listen);
    let answer = ask(address).with_context(|| format!("asking http://{address}/ready"))?;
    let (is_ready, body) = read(&answer).with_context(|| format!("{address} does not speak HTTP"))?;
    writeln!(std::io::stdout(), "{body}").context("writing the answer")?;
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where somebody who listens on this address is found. Nobody can be asked on all addresses at once.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(LONGEST_ANSWER).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Whether the answer is 200, and what is in it.
fn read(answer: &str) -> Option<(bool, &str)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?;
    Some((status.starts_with("200 "), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_is_asked_on_this_machine() {
        for (listen, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()), asked.parse().unwrap());
        }
    }

    #[test]
    fn only_200_is_ready() {
        assert_eq!(read("HTTP/1.1 200 OK\r\na: b\r\n\r\n{}"), Some((true, "{}")));
        assert_eq!(read("HTTP/1.1 503 Service Unavailable\r\n\r\nno"), Some((false, "no")));
        assert_eq!(read("SSH-2.0-OpenSSH"), None);
    }
}
