//! Applies a script to a run and writes everything it requests and records into a text, for snapshots.

use std::fmt::Write as _;
use std::sync::Arc;

use tarsy_agent::{AgentRun, Ask, Happened, ModelAsk, Record, Setup};
use tarsy_domain::{Message, ToolCall};

/// Returns the transcript of a run for a complete script.
pub(crate) fn transcript(setup: &Setup, script: &[Happened]) -> String {
    let mut text = String::from("=== opening\n");
    let mut run = AgentRun::new(setup.clone());
    write_record(&mut text, &run.opening());
    for (number, happened) in script.iter().enumerate() {
        write_ask(&mut text, &run.next());
        let record = run.apply(happened).unwrap();
        write_record(&mut text, &record);
        assert_eq!(run, AgentRun::rebuild(setup.clone(), &script[..=number]).unwrap());
    }
    write_ask(&mut text, &run.next());
    text
}

/// Returns the conversation that a run would send after a script.
pub(crate) fn sent_after(setup: &Setup, script: &[Happened]) -> String {
    let mut text = String::new();
    match AgentRun::rebuild(setup.clone(), script).unwrap().next() {
        Ask::Model(ask) => write_messages(&mut text, &ask.messages),
        Ask::Tools(_) | Ask::Done(_) => panic!("the run does not wait for a model call"),
    }
    text
}

fn write_ask(text: &mut String, ask: &Ask) {
    match ask {
        Ask::Model(ask) => write_model_ask(text, ask),
        Ask::Tools(calls) => {
            text.push_str("\n>>> asks for tools\n");
            calls.iter().for_each(|call| write_call(text, call));
        }
        Ask::Done(outcome) => writeln!(text, "\n>>> is done\n{outcome:#?}").unwrap(),
    }
}

fn write_model_ask(text: &mut String, ask: &ModelAsk) {
    let tools: Vec<&str> = ask.tools.iter().map(|tool| tool.name.as_str()).collect();
    let (purpose, call, count, pause) = (ask.purpose.call_kind(), ask.call, ask.messages.len(), ask.pause);
    writeln!(
        text,
        "\n>>> asks the model: {purpose} {call}, {count} messages, tools {tools:?}, pause {pause:?}"
    )
    .unwrap();
}

fn write_record(text: &mut String, record: &Record) {
    write_messages(text, &record.messages);
    for entry in &record.timeline {
        let metadata = serde_json::to_string(&entry.metadata).unwrap();
        writeln!(text, "* {} {metadata}", entry.event_type).unwrap();
        write_indented(text, &entry.content);
    }
}

fn write_messages(text: &mut String, messages: &[Arc<Message>]) {
    for message in messages {
        write!(text, "[{}]", message.role).unwrap();
        if let (Some(id), Some(name)) = (&message.tool_call_id, &message.tool_name) {
            write!(text, " answers {id} of {name}").unwrap();
        }
        if let Some(state) = &message.provider_state {
            write!(text, " with state {state}").unwrap();
        }
        text.push('\n');
        write_indented(text, &message.content);
        message.tool_calls.iter().for_each(|call| write_call(text, call));
    }
}

fn write_call(text: &mut String, call: &ToolCall) {
    writeln!(text, "    -> {} {} {}", call.id, call.name, call.arguments).unwrap();
}

fn write_indented(text: &mut String, content: &str) {
    for line in content.lines() {
        writeln!(text, "    {line}").unwrap();
    }
}
