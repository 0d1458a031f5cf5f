//! The rule on webhooks: a sender proves itself in exactly one way.
//!
//! Whether the variables are set is asked when the server starts.

use super::{RuleContext, is_header_name};
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(proof) = &context.file.system.webhooks.alertmanager else { return };
    let path = Path::default().key("system").key("webhooks").key("alertmanager");
    let (token, secret) = (path.key("bearer_token_env"), path.key("hmac_secret_env"));
    if context.locations.is_faulty(&token) || context.locations.is_faulty(&secret) {
        return;
    }
    match (&proof.bearer_token_env, &proof.hmac_secret_env) {
        (None, None) => {
            context.fault_at_key(&path, "one of `bearer_token_env` and `hmac_secret_env` is needed");
        }
        (Some(_), Some(_)) => {
            context.fault_at_key(&secret, "a sender shows a token or signs, not both; leave out one of them");
        }
        (Some(_), None) if proof.hmac_header.is_some() => {
            context.fault_at_key(
                &path.key("hmac_header"),
                "only a signature has a header; leave it out, or name `hmac_secret_env`",
            );
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if proof.hmac_header.as_deref().is_some_and(|header| !is_header_name(header)) {
        let path = path.key("hmac_header");
        let shown = context.locations.shown(&path);
        let message = format!("`{shown}` is not the name of a header; one has letters, digits and `-`");
        context.fault(&path, message);
    }
}
