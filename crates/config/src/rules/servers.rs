//! The rules on MCP servers: a transport has what it needs and nothing of another kind, and its settings
//! agree.
//!
//! Whether the server can be reached is not asked here.

use super::RuleContext;
use crate::file::{
    DataMasking, IsolationConfig, McpServerConfig, ToolFilterConfig, TransportConfig, TransportType,
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

/// Keys that only `stdio` knows, and keys that only the HTTP transports know.
const STDIO_KEYS: [&str; 3] = ["command", "args", "env"];
const HTTP_KEYS: [&str; 5] = ["url", "bearer_token", "headers", "verify_ssl", "session_cleanup_url"];

fn transport(context: &mut RuleContext<'_>, path: &Path, transport: &TransportConfig) {
    if context.locations.is_faulty(&path.key("type")) {
        return;
    }
    let (kind, needed, foreign) = match transport.r#type {
        TransportType::Stdio => ("stdio", "command", &HTTP_KEYS[..]),
        TransportType::Http => ("http", "url", &STDIO_KEYS[..]),
        TransportType::Sse => ("sse", "url", &STDIO_KEYS[..]),
    };
    let is_there = match needed {
        "command" => transport.command.is_some(),
        _ => transport.url.is_some(),
    };
    if !is_there && !context.locations.is_faulty(&path.key(needed)) {
        context.fault_at_key(path, format!("a transport of type `{kind}` needs `{needed}`"));
    }
    for key in foreign.iter().filter(|key| context.locations.is_written(&path.key(key))) {
        context.fault_at_key(&path.key(key), format!("a transport of type `{kind}` has no `{key}`"));
    }
}

fn isolation(context: &mut RuleContext<'_>, path: &Path, server: &McpServerConfig) {
    if server.isolation == Some(IsolationConfig::Shared) && server.transport.mentions_session() {
        let message = "the transport mentions `{{.SESSION_ID}}` or `{{.SESSION_AGENT}}`, so executions cannot share it; \
                       write `execution`, or leave it out";
        context.fault(path, message);
    }
}

fn tools(context: &mut RuleContext<'_>, path: &Path, tools: &ToolFilterConfig) {
    for (index, name) in tools.deny.iter().enumerate() {
        if tools.allow.iter().flatten().any(|allowed| allowed == name && !name.is_empty()) {
            let path = path.key("deny").index(index);
            let message = format!("`{}` is both allowed and denied", context.locations.shown(&path));
            context.fault(&path, message);
        }
    }
}

fn custom_patterns(context: &mut RuleContext<'_>, path: &Path, masking: &DataMasking) {
    for (index, pattern) in masking.custom_patterns.iter().enumerate() {
        let earlier = masking.custom_patterns[..index].iter().position(|other| other.name == pattern.name);
        if let Some(first) = earlier {
            let name = path.index(index).key("name");
            let message = format!(
                "another pattern of this server is already called `{}`, {}",
                context.locations.shown(&name),
                context.locations.line(&path.index(first).key("name"))
            );
            context.fault(&name, message);
        }
    }
}
