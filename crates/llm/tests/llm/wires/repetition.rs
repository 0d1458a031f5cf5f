//! A reply that repeats itself is cut at the first repetition.

use std::fmt::Write as _;

use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Assembly, Model, ModelError, RepetitionGuard, collect};
use tokio::time::timeout;

use super::{End, TestWire, WIRES, question};
use crate::peer::{Peer, SOON, ScriptedResponse, Then};

const NOTE: &str = "[The model repeated itself; its text was cut here.]";
const REPORT: &str = "## Summary\nThe payment service runs out of memory.\n\n## Next steps\n";
const BULLETS: &str = "- Raise the memory limit of the deployment.\n- Restart the pods one by one.\n";

/// Serves a text in events of `size` characters.
async fn guarded(wire: TestWire, text: &str, size: usize) -> Result<Assembly, ModelError> {
    let characters: Vec<char> = text.chars().collect();
    let texts: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let body = wire.texts(&texts) + &wire.end(End::Done);
    let peer = Peer::start([ScriptedResponse::stream(body.as_bytes(), 4096)]).await;
    let model = RepetitionGuard::new(wire.model(&peer, wire.default_model()));
    timeout(SOON, collect(model.stream(question()))).await.unwrap()
}

/// Returns the reply, which must not depend on the size of its chunks.
async fn reply(text: &str) -> Result<Assembly, ModelError> {
    let mut replies = Vec::new();
    for size in [1, 3, 7, 40, usize::MAX] {
        let mut reply = guarded(TestWire::Chat, text, size).await;
        if let Ok(assembly) = &mut reply {
            // The estimate counts what had arrived.
            assembly.reply.usage = tarsy_domain::TokenUsage::default();
        }
        if let Err(error) = &mut reply {
            error.failure.usage = tarsy_domain::TokenUsage::default();
        }
        replies.push(reply);
    }
    assert!(replies.windows(2).all(|pair| pair[0] == pair[1]), "{replies:#?}");
    replies.remove(0)
}

async fn kept(text: &str) -> String {
    reply(text).await.unwrap().reply.text
}

#[tokio::test]
async fn a_list_that_repeats_its_last_lines_is_cut_and_the_reader_sees_it() {
    for wire in WIRES {
        let reply = guarded(wire, &format!("{REPORT}{}", BULLETS.repeat(40)), 5).await.unwrap().reply;
        assert_eq!(reply.text, format!("{REPORT}{BULLETS}\n{NOTE}"), "{wire:?}");
        assert_eq!(reply.provider_state, None, "the state would contain the repetition");
        assert!(reply.usage.output_tokens > 0, "{wire:?}");
    }
}

#[tokio::test]
async fn numbering_spacing_and_emphasis_do_not_hide_a_repetition() {
    let mut numbered = String::new();
    for number in 1..60 {
        writeln!(numbered, "{number}. Check the logs of the pod for errors.").unwrap();
    }
    assert_eq!(
        kept(&format!("{REPORT}{numbered}")).await,
        format!("{REPORT}1. Check the logs of the pod for errors.\n\n{NOTE}")
    );
    let varied =
        "**Check** the logs of the payment pod.\n\n* check the logs  of the payment pod\n\n".repeat(20);
    assert_eq!(
        kept(&format!("{REPORT}{varied}")).await,
        format!("{REPORT}**Check** the logs of the payment pod.\n\n{NOTE}")
    );
    let steps: String = (3..50).map(|step| format!("Step {step}: look at the pods once more.\n")).collect();
    assert_eq!(
        kept(&format!("{REPORT}{steps}")).await,
        format!("{REPORT}Step 3: look at the pods once more.\n\n{NOTE}")
    );
}

#[tokio::test]
async fn a_whole_list_that_is_repeated_is_cut() {
    let list: String = ('a'..='j').map(|name| format!("- Check `{name}`. It may have failed.\n")).collect();
    assert_eq!(kept(&format!("{REPORT}{}", list.repeat(9))).await, format!("{REPORT}{list}\n{NOTE}"));
}

#[tokio::test]
async fn sentences_without_line_ends_are_cut_too() {
    let text = format!("The disk is full. {}", "I will check the pods of the node again. ".repeat(100));
    assert_eq!(
        kept(&text).await,
        format!("The disk is full. I will check the pods of the node again.\n\n{NOTE}")
    );
}

#[tokio::test]
async fn an_open_code_block_is_closed_before_the_note() {
    let text = format!("{REPORT}```\nstart\n{}", "connection refused by the database server\n".repeat(80));
    assert_eq!(
        kept(&text).await,
        format!("{REPORT}```\nstart\nconnection refused by the database server\n```\n\n{NOTE}")
    );
}

#[tokio::test]
async fn several_lines_from_the_start_are_kept_once() {
    let tools = ["pods", "logs", "events", "nodes"];
    let calls: String =
        tools.iter().map(|name| format!("{{\"name\": \"k8s__{name}\", \"arguments\": {{}}}}\n")).collect();
    assert_eq!(kept(&calls.repeat(40)).await, format!("{calls}\n{NOTE}"));
}

#[tokio::test]
async fn a_reply_that_is_nothing_but_repetition_fails() {
    let failure = reply(&BULLETS.repeat(60)).await.unwrap_err().failure;
    assert_eq!(failure.kind, ModelFailureKind::Repetition);
    assert_eq!(failure.partial_text, BULLETS.trim_end());
}

#[tokio::test]
async fn the_request_is_cancelled_when_a_reply_is_cut() {
    let wire = TestWire::Chat;
    let start = wire.texts(&[REPORT]);
    let again = wire.texts(&[BULLETS]);
    let answer =
        ScriptedResponse::slow_stream(&[&start, &again], std::time::Duration::ZERO).then(Then::Repeat);
    let peer = Peer::start([answer]).await;
    let model = RepetitionGuard::new(wire.model(&peer, "m"));
    let reply = timeout(SOON, collect(model.stream(question()))).await.unwrap().unwrap().reply;
    assert_eq!(reply.text, format!("{REPORT}{BULLETS}\n{NOTE}"));
    timeout(SOON, peer.next_hang_up()).await.unwrap();
}

#[tokio::test]
async fn texts_with_similar_lines_are_not_touched() {
    let rows: String = (0..60).map(|row| format!("| web-{row} | Running | 0 | 10.0.0.{row} |\n")).collect();
    let yaml: String =
        (0..40).map(|port| format!("- name: port-{port}\n  protocol: TCP\n  port: {port}\n")).collect();
    let log: String = (0..60).map(|at| format!("10:02:{at} pod web-{at} is ready\n")).collect();
    let code: String =
        (0..40).map(|n| format!("    if status == {n} {{\n        return Err(e);\n    }}\n")).collect();
    let braces = "        }\n".repeat(20);
    let sections: String =
        (0..30).map(|pod| format!("### web-{pod}\n- Status: Running\n- Restarts: 0\n\n")).collect();
    let nodes: String = (0..30).map(|node| format!("Node {node}: ready\n")).collect();
    let events = "```\nBack-off restarting failed container web in pod web-1\n".to_owned()
        + &"Liveness probe failed: connection refused\n".repeat(6)
        + "```\n";
    let thrice = "- Check the logs of the payment deployment for errors.\n".repeat(3);
    let short = "Yes.\n".repeat(6);
    let quoted =
        "Liveness probe failed: Get \"http://10.0.0.7:8080/healthz\": connection refused\n".repeat(5);
    let fenced =
        format!("```\n{}```\n", "E0412 dial tcp 10.0.0.5:5432: connect: connection refused\n".repeat(20));
    for text in [rows, yaml, log, code, braces, sections, nodes, events, thrice, short, quoted, fenced] {
        let text = format!("{REPORT}{text}\nDone.");
        assert_eq!(kept(&text).await, text);
    }
}
