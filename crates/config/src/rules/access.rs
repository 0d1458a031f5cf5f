//! The rules on access: the headers of a proxy are valid and distinct, and at least one user can have a role.

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
            let message = format!("`{shown}` is not a valid header name; use letters, digits, `-` and `_`");
            context.error(&at, message);
        } else if let Some(other) = seen.insert(header.to_ascii_lowercase(), key) {
            // A header that has its default value is not in the file, so the error is reported at the other
            // one.
            let (at, other) =
                if context.locations.is_written(&at) { (at, other) } else { (path.key(other), key) };
            context.error(&at, format!("this header is already used as `{other}`; use a different one"));
        }
    }
}

fn roles(context: &mut RuleContext<'_>, proxy: &AccessProxy, path: &Path) {
    let roles = path.key("roles");
    let mut seen = BTreeMap::new();
    for (role, groups) in proxy.roles.by_role() {
        for (index, group) in groups.iter().enumerate() {
            if let Some(other) = seen.insert(group, role) {
                let message = format!("this group already has the role `{other}`; list it once");
                context.error(&roles.key(role.as_str()).index(index), message);
            }
        }
    }
    let invalid =
        context.locations.is_invalid(&roles) || context.locations.is_invalid(&path.key("default_role"));
    if seen.is_empty() && proxy.default_role.is_none() && !invalid {
        let message = "no user would have a role; list groups under `roles`, or set `default_role`";
        context.error_at_key(path, message);
    }
}
