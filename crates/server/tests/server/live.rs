//! Tests of the live stream over real connections.

mod investigation;
mod reconnecting_clients;
mod server_sent_events;
mod test_server;
mod web_sockets;
