//! What the stages of a chain pass on to the strategies of later ones.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tarsy_domain::{IterationStrategy, SessionStatus, TimelineEventType, dense_tokens, prose_tokens};
use tarsy_store::Session;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, TestDatabase, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{Gate, TIMEOUT, TestEngine};

/// Returns a chain of three stages: two agents collect in parallel, one investigates, and one with the
/// strategy `last` concludes.
fn three_stages(last: IterationStrategy) -> String {
    format!(
        "
    stages:
      - name: collect
        agents: [{{ name: a, llm_provider: a }}, {{ name: b, llm_provider: b }}]
        synthesis: {{ llm_provider: merges }}
      - {{ name: investigate, agent: c, llm_provider: investigates }}
      - {{ name: conclude, agent: c, llm_provider: c, iteration_strategy: {last} }}
"
    )
}

fn call(text: &str, tool: &str, arguments: Value) -> ScriptedReply {
    ScriptedReply::Calls(text.to_owned(), vec![(tool.to_owned(), arguments)])
}

/// The agents of the chain: each calls one or two tools and concludes.
fn plays(request: &ScriptedRequest) -> ScriptedReply {
    let text = |text: &str| ScriptedReply::Text(text.to_owned());
    match (request.model.as_str(), request.results()) {
        ("a", 0) => call("I read the log of the pod.", "shed__log", json!({ "lines": 150 })),
        ("a", 1) => call("I look at the pod itself.", "shed__look", json!({ "pod": "shop-1" })),
        ("a", _) => text("The log of shop-1 is full of errors since 10:02."),
        ("b", 0) => call("I read the log of the node.", "shed__log", json!({ "lines": 140 })),
        ("b", 1) => call("I try the broken tool.", "shed__fail", json!({ "node": "n1" })),
        ("b", _) => text("The node n1 has enough memory."),
        ("merges", _) => text("shop-1 fails since 10:02; its node is healthy."),
        ("investigates", 0) => call("I read the log of the database.", "shed__log", json!({ "lines": 145 })),
        ("investigates", 1) => call("I read the log of its replica.", "shed__log", json!({ "lines": 120 })),
        ("investigates", _) => text("The database refuses connections since 10:01."),
        ("c", _) => text("Thought: I know.\nFinal Answer: The database is the cause."),
        _ => text("In short: the database."),
    }
}

async fn run(database: &TestDatabase, window: Option<u32>, last: IterationStrategy) -> (TestEngine, Session) {
    let mut engine = TestEngine::with_window(database, window, &three_stages(last), plays).await;
    engine.launch();
    let session = engine.investigate(r#"{"pod": "shop-1"}"#).await;
    (engine, session)
}

/// Formats the first request to a model, with token counts. Long logs are abbreviated.
fn sent_to(engine: &TestEngine, model: &str) -> String {
    let request = engine.model.log().into_iter().find(|request| request.model == model).unwrap();
    let mut shown = String::new();
    for message in &request.messages {
        let content = message["content"].as_str().unwrap_or_default();
        let (role, tokens) = (message["role"].as_str().unwrap_or_default(), tokens(content));
        writeln!(shown, "==== {role}, about {tokens} tokens").unwrap();
        if role != "system" {
            shown.push_str(&abbreviated(content));
            shown.push('\n');
        }
    }
    shown
}

fn is_log_line(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(number, rest)| {
        number.len() == 6 && number.bytes().all(|byte| byte.is_ascii_digit()) && !rest.contains(' ')
    })
}

/// Counts log lines as dense text, and the rest as prose.
fn tokens(content: &str) -> u64 {
    content
        .lines()
        .map(|line| if is_log_line(line) { dense_tokens(line) + 1 } else { prose_tokens(line) + 1 })
        .sum()
}

/// Replaces all but the first and the last line of a run of log lines by their number.
fn abbreviated(content: &str) -> String {
    let lines: Vec<&str> = content.lines().collect();
    let mut shown = Vec::new();
    for run in lines.chunk_by(|one, next| is_log_line(one) == is_log_line(next)) {
        match run {
            [first, middle @ .., last] if is_log_line(first) && middle.len() > 1 => {
                shown.push((*first).to_owned());
                shown.push(format!("… {} lines …", middle.len()));
                shown.push((*last).to_owned());
            }
            run => shown.extend(run.iter().map(|line| (*line).to_owned())),
        }
    }
    shown.join("\n")
}

/// Compares what each strategy is sent with its snapshot.
async fn compare(database: &TestDatabase, window: Option<u32>) {
    let prefix = window.map_or_else(|| "default_window".to_owned(), |window| format!("window_{window}"));
    for last in IterationStrategy::ALL.iter().copied() {
        let (mut engine, session) = run(database, window, last).await;
        assert_eq!(session.status, SessionStatus::Completed, "{last}: {:?}", session.error_message);
        if last == IterationStrategy::React {
            insta::assert_snapshot!(format!("{prefix}_collect_synthesis"), sent_to(&engine, "merges"));
            insta::assert_snapshot!(format!("{prefix}_investigate"), sent_to(&engine, "investigates"));
        }
        insta::assert_snapshot!(format!("{prefix}_conclude_{last}"), sent_to(&engine, "c"));
        for request in engine.model.log() {
            let sent: u64 = request
                .messages
                .iter()
                .map(|message| tokens(message["content"].as_str().unwrap_or_default()))
                .sum();
            assert!(
                sent < u64::from(window.unwrap_or(32_000)),
                "{last}: {sent} tokens were sent to {}",
                request.model
            );
        }
        engine.stop().await;
    }
}

both_engines! {
    async fn each_strategy_is_sent_what_it_needs(database) {
        compare(database, None).await;
    }

    async fn each_strategy_is_sent_what_fits_into_8000_tokens(database) {
        compare(database, Some(8000)).await;
    }

    async fn a_resumed_session_is_sent_the_same(database) {
        let last = IterationStrategy::ReactFinalAnalysis;
        let (mut undisturbed, _) = run(database, Some(8000), last).await;
        let expected = sent_to(&undisturbed, "c");
        undisturbed.stop().await;

        let gate = Gate::default();
        let closed = gate.clone();
        let script = move |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("investigates", 2) => closed.or(plays(request)),
            _ => plays(request),
        };
        let mut engine = TestEngine::with_window(database, Some(8000), &three_stages(last), script).await;
        engine.launch();
        let session_id = engine.submit(r#"{"pod": "shop-1"}"#).await;
        timeout(TIMEOUT, engine.model.wait_for_requests(10)).await.unwrap();
        engine.stop().await;
        gate.open();
        engine.launch();
        assert_eq!(engine.wait_for_end(session_id).await.status, SessionStatus::Completed);
        assert_eq!(sent_to(&engine, "c"), expected);
        engine.stop().await;
    }

    async fn a_later_agent_reads_a_result_of_an_earlier_stage(database) {
        let chain = "
    stages:
      - { name: collect, agent: a, llm_provider: a }
      - { name: investigate, agent: b, llm_provider: b }
";
        let script = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            // A call of an unknown tool is not executed and has no id.
            ("a", 0) => ScriptedReply::Calls(
                "The log.".to_owned(),
                vec![("shed__nothing".to_owned(), json!({})), ("shed__log".to_owned(), json!({ "lines": 100 }))],
            ),
            ("b", 0) => call("One line.", "tarsy__read_result", json!({ "id": "s1.a1.r1", "pattern": "^000042 ", "context": 0 })),
            ("b", 1) => call("Another one.", "tarsy__read_result", json!({ "id": "s2.a7.r1" })),
            (model, _) => ScriptedReply::Text(format!("{model} is done.")),
        };
        let mut engine = TestEngine::start(database, chain, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let prompt = engine.model.log().into_iter().find(|request| request.model == "b").unwrap().text();
        assert!(prompt.contains("s1.a1.r1: shed.log {\"lines\":100}"), "{prompt}");
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[2].starts_with("43: 000042 "), "{results:?}");
        assert!(results[3].contains("there is no result with the id \"s2.a7.r1\""), "{results:?}");
        engine.stop().await;
    }
}
