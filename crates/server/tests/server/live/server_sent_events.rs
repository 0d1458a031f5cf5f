//! The event stream of a session as server-sent events.

use tarsy_testkit::TestDatabase;

use super::investigation::Investigation;
use super::test_server::TestServer;

/// Reads a stream until it contains `wanted`.
async fn read_until(response: reqwest::Response, wanted: &str) -> String {
    use futures_util::StreamExt;
    let mut body = response.bytes_stream();
    let mut read = String::new();
    while !read.contains(wanted) {
        read.push_str(&String::from_utf8_lossy(&body.next().await.unwrap().unwrap()));
    }
    read
}

#[tokio::test]
async fn a_stream_can_be_resumed_after_the_last_event() {
    let database = TestDatabase::sqlite().await;
    let server = TestServer::open(database.store.clone()).await;
    let investigation = Investigation::begin(&database.store).await;
    let url = format!("http://{}/api/v1/sessions/{}/events", server.address, investigation.session_id);
    let client = reqwest::Client::new();
    let response = client.get(&url).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    investigation.end().await;
    let read = read_until(response, r#""status":"completed""#).await;
    assert!(read.starts_with("event: session.status\n"), "{read}");
    let last: u64 =
        read.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().parse().unwrap();
    let again = client.get(&url).header("last-event-id", (last - 1).to_string()).send().await.unwrap();
    let read = read_until(again, r#""status":"completed""#).await;
    assert_eq!(
        read.lines().filter(|line| line.starts_with("id: ")).collect::<Vec<_>>(),
        [format!("id: {last}")]
    );
    let wrong = client.get(&url).header("last-event-id", "yesterday").send().await.unwrap();
    assert_eq!(wrong.status(), 400);
    let unknown = url.replace(&investigation.session_id.to_string(), "00000000-0000-7000-8000-000000000000");
    assert_eq!(client.get(unknown).send().await.unwrap().status(), 404);
    database.remove().await;
}
