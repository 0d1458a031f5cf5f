//! Converts the result of a tool to text.
//!
//! A result is a list of blocks (text, images, audio, resources, links to resources) and optionally a
//! structured value. Models read text, so everything else becomes text or a line that describes it.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolResult, ContentBlock, ReadResourceRequestParams, Resource, ResourceContents};
use rmcp::service::Peer;
use serde_json::Value;
use tokio::time::timeout;

use crate::error::CallError;

/// Maximum number of links that are followed in one result.
const MAX_LINKS: usize = 8;
/// Timeout of reading one linked resource.
const LINK_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the text of one result.
const MAX_TEXT_BYTES: usize = 48 * 1024 * 1024;

/// Converts one result to text.
pub(crate) struct ContentWriter<'a> {
    peer: &'a Peer<RoleClient>,
    text: String,
    links: usize,
}

impl<'a> ContentWriter<'a> {
    /// Creates a writer that reads linked resources from this server.
    pub(crate) fn new(peer: &'a Peer<RoleClient>) -> Self {
        Self { peer, text: String::new(), links: 0 }
    }

    /// Returns the text of a result.
    pub(crate) async fn write(mut self, result: CallToolResult) -> String {
        let structured = result.structured_content.filter(|value| !is_repeated(value, &result.content));
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

    /// Reads a linked resource from the server that returned the link. The URI itself is never fetched.
    async fn link(&mut self, link: Resource) {
        self.links += 1;
        if self.links > MAX_LINKS {
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
        let read = timeout(LINK_TIMEOUT, reading).await.map_err(|_| CallError::TimedOut(LINK_TIMEOUT))?;
        Ok(read?.contents)
    }

    fn part(&mut self, text: &str) {
        let note = format!("[{} bytes left out: the result is too large]", text.len());
        let fits = self.text.len() + text.len() <= MAX_TEXT_BYTES;
        let text = if fits { text } else { &note };
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}

/// Returns whether the text blocks already contain the structured value, as the protocol requires of servers.
///
/// Libraries wrap a value that is not an object in one with a single field, and write a list item by item.
fn is_repeated(value: &Value, content: &[ContentBlock]) -> bool {
    let texts: Vec<_> = content.iter().filter_map(ContentBlock::as_text).collect();
    let is_text = |value: &Value, text: &str| {
        value.as_str() == Some(text)
            || serde_json::from_str::<Value>(text).is_ok_and(|parsed| parsed == *value)
    };
    let is_contained = |value: &Value| {
        let items = value.as_array().filter(|items| !items.is_empty() && items.len() == texts.len());
        texts.iter().any(|text| is_text(value, &text.text))
            || items
                .is_some_and(|items| items.iter().zip(&texts).all(|(item, text)| is_text(item, &text.text)))
    };
    let wrapped = value.as_object().filter(|object| object.len() == 1);
    is_contained(value) || wrapped.is_some_and(|object| object.values().all(is_contained))
}

/// Returns a line that replaces binary data. The data is base64-encoded: four characters for three bytes.
fn stub(what: &str, kind: &str, data: &str) -> String {
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (data.len() / 4 * 3).saturating_sub(padding);
    format!("[{what}: {kind}, {bytes} bytes, not shown]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_binary_data_with_its_size() {
        assert_eq!(stub("image", "image/png", "QUJDRA=="), "[image: image/png, 4 bytes, not shown]");
    }

    #[test]
    fn detects_a_structured_value_in_the_text() {
        let value = serde_json::json!({"a": 1});
        assert!(is_repeated(&value, &[ContentBlock::text("{ \"a\": 1 }")]));
        assert!(!is_repeated(&value, &[ContentBlock::text("a is 1")]));
    }

    #[test]
    fn detects_a_structured_value_that_a_library_wrapped() {
        let texts = |texts: &[&str]| texts.iter().copied().map(ContentBlock::text).collect::<Vec<_>>();
        let wrapped = |value: Value| serde_json::json!({"result": value});
        assert!(is_repeated(&wrapped("two\nlines".into()), &texts(&["two\nlines"])));
        assert!(is_repeated(&wrapped(serde_json::json!([{"a": 1}, "b"])), &texts(&[r#"{"a":1}"#, "b"])));
        assert!(!is_repeated(&wrapped(serde_json::json!(["a", "b"])), &texts(&["a"])));
        assert!(!is_repeated(&wrapped(serde_json::json!([])), &[]));
        assert!(!is_repeated(&serde_json::json!({"result": "a", "more": "a"}), &texts(&["a"])));
    }
}
