//! The structure of a YAML text, without the content of its scalars.

use saphyr_parser::{Event, Parser};

/// Returns the collections, scalars and aliases of a text in order.
pub(crate) fn outline(text: &str) -> Result<String, String> {
    let mut outline = String::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        outline.push_str(match event {
            Event::Scalar(..) => "s",
            Event::Alias(_) => "*",
            Event::SequenceStart(..) => "[",
            Event::SequenceEnd => "]",
            Event::MappingStart(..) => "{",
            Event::MappingEnd => "}",
            Event::DocumentStart(_) => "-",
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => "",
        });
    }
    Ok(outline)
}
