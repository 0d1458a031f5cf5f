//! Subscriptions and commands over WebSockets.

use serde_json::json;
use tarsy_testkit::{TestDatabase, both_engines};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::investigation::Investigation;
use super::test_server::TestServer;

both_engines! {
    async fn a_late_subscriber_receives_the_text_from_its_start(database) {
        let server = TestServer::open(database.another().await).await;
        let investigation = Investigation::begin(&database.store).await;
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let reply = investigation.reply("The pod ran out of memory.");
        reply.add("The pod ran ");
        let mut client = server.connect().await;
        client.subscribe(&investigation.channel(), None).await;
        let first = client.receive_type("stream.chunk").await;
        assert_eq!((&first["data"]["from_start"], &first["data"]["text"]), (&json!(true), &json!("The pod ran ")));
        reply.add("out of memory.");
        let next = client.receive_type("stream.chunk").await;
        assert_eq!((&next["data"]["from_start"], &next["data"]["text"]), (&json!(false), &json!("out of memory.")));
        investigation.record(reply).await;
        let recorded = client.receive_type("interaction.created").await;
        assert_eq!(recorded["data"]["interaction_id"], first["data"]["interaction_id"]);
        let entry = client.receive_type("timeline_event.completed").await;
        assert_eq!(entry["data"]["content"], "The pod ran out of memory.");
    }

    async fn the_sessions_channel_receives_statuses(database) {
        let server = TestServer::open(database.another().await).await;
        let mut client = server.connect().await;
        client.subscribe("sessions", None).await;
        client.receive_type("subscribed").await;
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let investigation = Investigation::begin(&database.store).await;
        let created = client.receive_type("session.status").await;
        assert_eq!(created["data"]["session_id"], investigation.session_id.to_string());
        assert!(created["event_id"].is_u64());
        investigation.end().await;
        // Progress messages are not stored and may be lost between two processes; the status is stored.
        while client.receive().await.unwrap()["data"]["status"] != "completed" {}
    }
}

#[tokio::test]
async fn invalid_commands_are_reported_and_the_connection_stays_open() {
    let database = TestDatabase::sqlite().await;
    let server = TestServer::open(database.store.clone()).await;
    let mut client = server.connect().await;
    let unknown = "00000000-0000-7000-8000-000000000000";
    let cases = [
        ("no json", "body: expected ident at line 1 column 2".to_owned()),
        (r#"{"action":"sing"}"#, "action: unknown variant `sing`, expected one of `subscribe`, `unsubscribe`, `catchup`, `ping` at line 1 column 16".to_owned()),
        (r#"{"action":"subscribe"}"#, "channel: is missing".to_owned()),
        (
            r#"{"action":"subscribe","channel":"everything"}"#,
            "channel: unknown channel `everything`, expected `sessions` or `session:` followed by a session id at line 1 column 45".to_owned(),
        ),
        (
            &format!(r#"{{"action":"subscribe","channel":"session:{unknown}"}}"#),
            format!("session {unknown} does not exist"),
        ),
    ];
    for (command, expected) in cases {
        client.send_text(command).await;
        let response = client.receive().await.unwrap();
        assert_eq!(
            (&response["type"], &response["message"]),
            (&json!("error"), &json!(expected)),
            "{command}"
        );
    }
    client.send(json!({ "action": "ping" })).await;
    assert_eq!(client.receive().await.unwrap()["type"], "pong");
    database.remove().await;
}

#[tokio::test]
async fn missed_events_can_be_fetched_in_pages() {
    let database = TestDatabase::sqlite().await;
    let server = TestServer::open(database.store.clone()).await;
    let investigation = Investigation::begin(&database.store).await;
    for number in 0..150 {
        investigation.record(investigation.reply(&format!("ApiResponse {number}"))).await;
    }
    let mut client = server.connect().await;
    let (mut last, mut ids, mut pages) = (0, Vec::new(), 0);
    loop {
        client
            .send(json!({ "action": "catchup", "channel": investigation.channel(), "last_event_id": last }))
            .await;
        let caught_up = loop {
            let message = client.receive().await.unwrap();
            match message["event_id"].as_u64() {
                Some(id) => ids.push(id),
                None => break message,
            }
        };
        assert_eq!(caught_up["type"], "caught_up");
        last = caught_up["last_event_id"].as_u64().unwrap();
        pages += 1;
        if caught_up["more"] == false {
            break;
        }
    }
    assert!(pages > 2 && ids == (1..=last).collect::<Vec<_>>(), "{pages} pages to {last}");
    database.remove().await;
}

#[tokio::test]
async fn rejects_web_sockets_of_other_origins() {
    let database = TestDatabase::sqlite().await;
    let server = TestServer::open(database.store.clone()).await;
    let url = format!("ws://{}/api/v1/ws", server.address);
    for (origin, allowed) in
        [("https://evil.example".to_owned(), false), (format!("http://{}", server.address), true)]
    {
        let mut request = url.as_str().into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        assert_eq!(connect_async(request).await.is_ok(), allowed, "{origin}");
    }
    database.remove().await;
}
