//! The rules on access: a proxy names its users in headers, and somebody can come in through it.

use std::collections::BTreeMap;

use super::{RuleContext, is_header_name};
use crate::file::AccessProxy;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(proxy) = &context.file.system.access.proxy else { return };
    let path = Path::default().key("system").key("access").key("proxy");
    headers(context, proxy, &path);
    roles(context, proxy, &path);
}

fn headers(context: &mut RuleContext<'_>, proxy: &AccessProxy, path: &Path) {
    let named = [
        ("user_header", &proxy.user_header),
        ("email_header", &proxy.email_header),
        ("groups_header", &proxy.groups_header),
    ];
    let mut seen = BTreeMap::new();
    for (key, header) in named {
        let at = path.key(key);
        if !is_header_name(header) {
            let shown = context.locations.shown(&at);
            let message = format!("`{shown}` is not the name of a header; one has letters, digits and `-`");
            context.fault(&at, message);
        } else if let Some(other) = seen.insert(header.to_ascii_lowercase(), key) {
            // Of the two, one that was left to its default is nowhere to be seen.
            let (at, other) =
                if context.locations.is_written(&at) { (at, other) } else { (path.key(other), key) };
            context.fault(&at, format!("this header is `{other}` already; each needs one of its own"));
        }
    }
}

fn roles(context: &mut RuleContext<'_>, proxy: &AccessProxy, path: &Path) {
    let roles = path.key("roles");
    let mut seen = BTreeMap::new();
    for (role, groups) in proxy.roles.by_role() {
        for (index, group) in groups.iter().enumerate() {
            if let Some(other) = seen.insert(group, role) {
                let message = format!("this group is listed under `{other}` already, and has one role");
                context.fault(&roles.key(role.as_str()).index(index), message);
            }
        }
    }
    let faulty =
        context.locations.is_faulty(&roles) || context.locations.is_faulty(&path.key("default_role"));
    if seen.is_empty() && proxy.default_role.is_none() && !faulty {
        let message = "nobody would have a role; list groups under `roles`, or say a `default_role`";
        context.fault_at_key(path, message);
    }
}
