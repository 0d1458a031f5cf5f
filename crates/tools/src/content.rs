//! What a tool returned, as a text.
//!
//! A result is a list of blocks: texts, pictures, sound, resources and links to resources, and maybe a value beside them. A
//! model reads text, so everything else becomes a text or a line that says what it was.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolResult, ContentBlock, ReadResourceRequestParams, Resource, ResourceContents};
use rmcp::service::Peer;
use serde_json::Value;
use tokio::time::timeout;

use crate::error::CallError;

/// How many links are followed in one result.
const MOST_LINKS: usize = 8;
/// How long following one may take.
const FOLLOWED_WITHIN: Duration = Duration::from_secs(10);
/// The most text that one result may make.
const LARGEST_TEXT: usize = 48 * 1024 * 1024;

/// Writes a result as a text.
pub(crate) struct Writer<'a> {
    peer: &'a Peer<RoleClient>,
    text: String,
    links: usize,
}

impl<'a> Writer<'a> {
    /// A writer that follows links at this server.
    pub(crate) fn new(peer: &'a Peer<RoleClient>) -> Self {
        Self { peer, text: String::new(), links: 0 }
    }

    /// The text of a result.
    pub(crate) async fn write(mut self, result: CallToolResult) -> String {
        let structured = result.structured_content.filter(|value| !repeated(value, &result.content));
        for block in result.content {
            self.block(block).await;
        }
        if let Some(value) = structured {
            let value = serde_json::to_string_pretty(&value).unwrap_or_default();
            self.part(&value);
        }
        if self.text.is_empty() { "(the tool returned nothing)".to_owned() } else { self.text }
    }

    async fn block(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.part(&text.text),
            ContentBlock::Image(image) => self.part(&stub("image", &image.mime_type, &image.data)),
            ContentBlock::Audio(audio) => self.part(&stub("audio", &audio.mime_type, &audio.data)),
            ContentBlock::Resource(resource) => self.resource(resource.resource),
            ContentBlock::ResourceLink(link) => self.link(link).await,
            _ => self.part("[a kind of content that is not known here]"),
        }
    }

    fn resource(&mut self, contents: ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                self.part(&format!("[resource {uri}]\n{text}"));
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
                self.part(&stub(&format!("resource {uri}"), &kind, &blob));
            }
            _ => self.part("[a kind of resource that is not known here]"),
        }
    }

    /// A link is followed at the server that gave it and nowhere else: its address is not fetched from here.
    async fn link(&mut self, link: Resource) {
        self.links += 1;
        if self.links > MOST_LINKS {
            return self.part(&format!("[link to {}: {}]", link.uri, link.name));
        }
        match self.follow(&link.uri).await {
            Ok(contents) => contents.into_iter().for_each(|contents| self.resource(contents)),
            Err(error) => self.part(&format!("[link to {}: {}; not read: {error}]", link.uri, link.name)),
        }
    }

    async fn follow(&self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        let can = self.peer.peer_info().is_some_and(|info| info.capabilities.resources.is_some());
        if !can {
            return Err(CallError::Refused("the server offers no resources".to_owned()));
        }
        let reading = self.peer.read_resource(ReadResourceRequestParams::new(uri));
        let read =
            timeout(FOLLOWED_WITHIN, reading).await.map_err(|_| CallError::TimedOut(FOLLOWED_WITHIN))?;
        Ok(read?.contents)
    }

    fn part(&mut self, text: &str) {
        let note = format!("[{} bytes left out: the result is too large]", text.len());
        let fits = self.text.len() + text.len() <= LARGEST_TEXT;
        let text = if fits { text } else { &note };
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}

/// Whether a value is only what the texts beside it say already, as the protocol asks of servers.
///
/// Libraries wrap what is no object into one with a single member, and say a list item by item.
fn repeated(value: &Value, content: &[ContentBlock]) -> bool {
    let texts: Vec<_> = content.iter().filter_map(ContentBlock::as_text).collect();
    let is_text = |value: &Value, text: &str| {
        value.as_str() == Some(text) || serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value)
    };
    let is_said = |value: &Value| {
        let items = value.as_array().filter(|items| !items.is_empty() && items.len() == texts.len());
        texts.iter().any(|text| is_text(value, &text.text))
            || items
                .is_some_and(|items| items.iter().zip(&texts).all(|(item, text)| is_text(item, &text.text)))
    };
    let wrapped = value.as_object().filter(|object| object.len() == 1);
    is_said(value) || wrapped.is_some_and(|object| object.values().all(is_said))
}

/// A line in place of something that is no text. The data is in base64: four characters for three bytes.
fn stub(what: &str, kind: &str, data: &str) -> String {
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (data.len() / 4 * 3).saturating_sub(padding);
    format!("[{what}: {kind}, {bytes} bytes, not shown]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_says_what_it_stands_for() {
        assert_eq!(stub("image", "image/png", "QUJDRA=="), "[image: image/png, 4 bytes, not shown]");
    }

    #[test]
    fn a_value_is_repeated_if_a_text_says_the_same() {
        let value = serde_json::json!({"a": 1});
        assert!(repeated(&value, &[ContentBlock::text("{ \"a\": 1 }")]));
        assert!(!repeated(&value, &[ContentBlock::text("a is 1")]));
    }

    #[test]
    fn a_value_that_a_library_wrapped_is_repeated_too() {
        let texts = |texts: &[&str]| texts.iter().copied().map(ContentBlock::text).collect::<Vec<_>>();
        let wrapped = |value: Value| serde_json::json!({"result": value});
        assert!(repeated(&wrapped("two\nlines".into()), &texts(&["two\nlines"])));
        assert!(repeated(&wrapped(serde_json::json!([{"a": 1}, "b"])), &texts(&[r#"{"a":1}"#, "b"])));
        assert!(!repeated(&wrapped(serde_json::json!(["a", "b"])), &texts(&["a"])));
        assert!(!repeated(&wrapped(serde_json::json!([])), &[]));
        assert!(!repeated(&serde_json::json!({"result": "a", "more": "a"}), &texts(&["a"])));
    }
}
