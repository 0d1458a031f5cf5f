//! The rule on webhooks: a sender is authenticated in exactly one way.
//!
//! Whether the variables are set is checked when the server starts.

use super::{RuleContext, is_header_name};
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(proof) = &context.file.system.webhooks.alertmanager else { return };
    let path = Path::default().key("system").key("webhooks").key("alertmanager");
    let (token, secret) = (path.key("bearer_token_env"), path.key("hmac_secret_env"));
    if context.locations.is_invalid(&token) || context.locations.is_invalid(&secret) {
        return;
    }
    match (&proof.bearer_token_env, &proof.hmac_secret_env) {
        (None, None) => {
            context.error_at_key(&path, "set `bearer_token_env` or `hmac_secret_env`");
        }
        (Some(_), Some(_)) => {
            context.error_at_key(
                &secret,
                "`hmac_secret_env` and `bearer_token_env` cannot be combined; remove one of them",
            );
        }
        (Some(_), None) if proof.hmac_header.is_some() => {
            context.error_at_key(
                &path.key("hmac_header"),
                "`hmac_header` requires `hmac_secret_env`; set it, or remove `hmac_header`",
            );
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if proof.hmac_header.as_deref().is_some_and(|header| !is_header_name(header)) {
        let path = path.key("hmac_header");
        let shown = context.locations.shown(&path);
        let message = format!("`{shown}` is not a valid header name; use letters, digits, `-` and `_`");
        context.error(&path, message);
    }
}
