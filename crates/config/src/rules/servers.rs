//! The rules on MCP servers: a transport has the keys of its type, and settings do not contradict each other.
//!
//! No connection is made.

use super::RuleContext;
use crate::file::{
    CustomPatternConfig, DataMasking, IsolationConfig, McpServerConfig, ToolFilterConfig, TransportConfig,
    TransportType,
};
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (id, server) in &file.mcp_servers {
        let path = Path::entry("mcp_servers", id);
        transport(context, &path.key("transport"), &server.transport);
        isolation(context, &path.key("isolation"), server);
        tools(context, &path.key("tools"), &server.tools);
        if let Some(masking) = &server.data_masking {
            custom_patterns(context, &path.key("data_masking").key("custom_patterns"), masking);
        }
    }
}

/// Keys of the `stdio` transport, and keys of the HTTP transports.
const STDIO_KEYS: [&str; 3] = ["command", "args", "env"];
const HTTP_KEYS: [&str; 5] = ["url", "bearer_token", "headers", "verify_ssl", "session_cleanup_url"];

fn transport(context: &mut RuleContext<'_>, path: &Path, transport: &TransportConfig) {
    if context.locations.is_invalid(&path.key("type")) {
        return;
    }
    let (kind, needed, foreign) = match transport.r#type {
        TransportType::Stdio => ("stdio", "command", &HTTP_KEYS[..]),
        TransportType::Http => ("http", "url", &STDIO_KEYS[..]),
        TransportType::Sse => ("sse", "url", &STDIO_KEYS[..]),
    };
    let is_set = match needed {
        "command" => transport.command.is_some(),
        _ => transport.url.is_some(),
    };
    if !is_set && !context.locations.is_invalid(&path.key(needed)) {
        context.error_at_key(path, format!("a transport of type `{kind}` requires `{needed}`"));
    }
    for key in foreign.iter().filter(|key| context.locations.is_written(&path.key(key))) {
        context.error_at_key(&path.key(key), format!("`{key}` is not supported for transport type `{kind}`"));
    }
}

fn isolation(context: &mut RuleContext<'_>, path: &Path, server: &McpServerConfig) {
    if server.isolation == Some(IsolationConfig::Shared) && server.transport.mentions_session() {
        let message = "executions cannot share a connection whose transport contains `{{.SESSION_ID}}` or `{{.SESSION_AGENT}}`; \
                       set `execution`, or remove this key";
        context.error(path, message);
    }
}

fn tools(context: &mut RuleContext<'_>, path: &Path, tools: &ToolFilterConfig) {
    for (index, name) in tools.deny.iter().enumerate() {
        if tools.allow.iter().flatten().any(|allowed| allowed == name && !name.is_empty()) {
            let path = path.key("deny").index(index);
            let message = format!(
                "`{}` is in `allow` and in `deny`; remove it from one of them",
                context.locations.shown(&path)
            );
            context.error(&path, message);
        }
    }
}

fn custom_patterns(context: &mut RuleContext<'_>, path: &Path, masking: &DataMasking) {
    for (index, pattern) in masking.custom_patterns.iter().enumerate() {
        let is_same = |other: &CustomPatternConfig| other.name.is_some() && other.name == pattern.name;
        let earlier = masking.custom_patterns[..index].iter().position(is_same);
        if let Some(first) = earlier {
            let name = path.index(index).key("name");
            let message = format!(
                "duplicate pattern name `{}`, first used at {}",
                context.locations.shown(&name),
                context.locations.line(&path.index(first).key("name"))
            );
            context.error(&name, message);
        }
    }
}
