//! What a client at a socket sees.

use serde_json::json;
use tarsy_testkit::{TestDatabase, both_engines};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::desk::Desk;
use super::investigation::Investigation;

both_engines! {
    async fn one_who_joins_in_the_middle_gets_the_beginning_first(database) {
        let desk = Desk::open(database.another().await).await;
        let investigation = Investigation::begin(&database.store).await;
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let reply = investigation.reply("The pod ran out of memory.");
        reply.add("The pod ran ");
        let mut client = desk.connect().await;
        client.subscribe(&investigation.channel(), None).await;
        let first = client.hear_type("stream.chunk").await;
        assert_eq!((&first["data"]["from_start"], &first["data"]["text"]), (&json!(true), &json!("The pod ran ")));
        reply.add("out of memory.");
        let next = client.hear_type("stream.chunk").await;
        assert_eq!((&next["data"]["from_start"], &next["data"]["text"]), (&json!(false), &json!("out of memory.")));
        investigation.record(reply).await;
        let recorded = client.hear_type("interaction.created").await;
        assert_eq!(recorded["data"]["interaction_id"], first["data"]["interaction_id"]);
        let entry = client.hear_type("timeline_event.completed").await;
        assert_eq!(entry["data"]["content"], "The pod ran out of memory.");
    }

    async fn the_list_hears_how_sessions_stand(database) {
        let desk = Desk::open(database.another().await).await;
        let mut client = desk.connect().await;
        client.subscribe("sessions", None).await;
        client.hear_type("subscribed").await;
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let investigation = Investigation::begin(&database.store).await;
        let created = client.hear_type("session.status").await;
        assert_eq!(created["data"]["session_id"], investigation.session_id.to_string());
        assert!(created["event_id"].is_u64());
        investigation.end().await;
        // News of progress is passing; between two processes that do not know each other yet it may be lost. The
        // status is stored.
        while client.hear().await.unwrap()["data"]["status"] != "completed" {}
    }
}

#[tokio::test]
async fn commands_that_make_no_sense_are_answered_and_the_socket_goes_on() {
    let database = TestDatabase::sqlite().await;
    let desk = Desk::open(database.store.clone()).await;
    let mut client = desk.connect().await;
    let nobody = "00000000-0000-7000-8000-000000000000";
    let cases = [
        ("no json", "body: expected ident at line 1 column 2".to_owned()),
        (r#"{"action":"sing"}"#, "action: unknown variant `sing`, expected one of `subscribe`, `unsubscribe`, `catchup`, `ping` at line 1 column 16".to_owned()),
        (r#"{"action":"subscribe"}"#, "channel: is missing".to_owned()),
        (
            r#"{"action":"subscribe","channel":"everything"}"#,
            "channel: unknown channel `everything`, expected `sessions` or `session:` followed by a session id at line 1 column 44".to_owned(),
        ),
        (
            &format!(r#"{{"action":"subscribe","channel":"session:{nobody}"}}"#),
            format!("there is no session {nobody}"),
        ),
    ];
    for (command, expected) in cases {
        client.say_text(command).await;
        let answer = client.hear().await.unwrap();
        assert_eq!((&answer["type"], &answer["message"]), (&json!("error"), &json!(expected)), "{command}");
    }
    client.say(json!({ "action": "ping" })).await;
    assert_eq!(client.hear().await.unwrap()["type"], "pong");
    database.remove().await;
}

#[tokio::test]
async fn what_was_missed_can_be_caught_up_in_pages() {
    let database = TestDatabase::sqlite().await;
    let desk = Desk::open(database.store.clone()).await;
    let investigation = Investigation::begin(&database.store).await;
    for number in 0..150 {
        investigation.record(investigation.reply(&format!("Answer {number}"))).await;
    }
    let mut client = desk.connect().await;
    let (mut last, mut ids, mut pages) = (0, Vec::new(), 0);
    loop {
        client
            .say(json!({ "action": "catchup", "channel": investigation.channel(), "last_event_id": last }))
            .await;
        let caught_up = loop {
            let message = client.hear().await.unwrap();
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
async fn a_page_of_another_origin_gets_no_socket() {
    let database = TestDatabase::sqlite().await;
    let desk = Desk::open(database.store.clone()).await;
    let url = format!("ws://{}/api/v1/ws", desk.address);
    for (origin, allowed) in
        [("https://evil.example".to_owned(), false), (format!("http://{}", desk.address), true)]
    {
        let mut request = url.as_str().into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        assert_eq!(connect_async(request).await.is_ok(), allowed, "{origin}");
    }
    database.remove().await;
}
