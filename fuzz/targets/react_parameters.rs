//! Any text is an input that can be read; what it was read as, written as JSON, is read the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tarsy_agent::react::{Action, parse_parameters};

fuzz_target!(|text: &str| {
    let action = Action::new("a.b", parse_parameters(text));
    assert_eq!(parse_parameters(&action.input), action.parameters);
});
