//! Any text can be parsed as parameters, and the result survives a round trip through JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tarsy_agent::react::{Action, parse_parameters};

fuzz_target!(|text: &str| {
    let action = Action::new("a.b", parse_parameters(text));
    assert_eq!(parse_parameters(&action.input), action.parameters);
});
