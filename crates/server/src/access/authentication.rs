//! How people and programs are known where they are asked who they are.
//!
//! What is here is decided from a request alone; looking tokens up is next door.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use tarsy_config::file;

use super::cookie::kept_token;
use super::proxy::{ProxyUser, TrustedProxy};
use super::token::{PREFIX, TokenDigest};
use crate::ApiError;

/// How long a token that was found is believed, unless somebody says otherwise.
const BELIEF: Duration = Duration::from_secs(10);

/// How callers are known: by tokens, by what a proxy says of them, or by either.
#[derive(Debug, Clone)]
pub struct Authentication {
    tokens: bool,
    proxy: Option<TrustedProxy>,
    /// How long a token that was found is believed without asking again.
    pub(super) belief: Duration,
}

impl Authentication {
    /// What a configuration asks for; None if it asks nobody.
    pub(super) fn new(access: &file::AccessConfig) -> Option<Self> {
        let proxy = access.proxy.as_ref().map(TrustedProxy::new);
        access.is_guarded().then_some(Self { tokens: access.tokens, proxy, belief: BELIEF })
    }

    /// The same, with another time for which a token that was found is believed. Whoever holds a stream open is looked
    /// at again after twice that time.
    #[must_use]
    pub fn believing_for(self, belief: Duration) -> Self {
        Self { belief, ..self }
    }

    /// The token that a request shows. What else stands there is for somebody else: proxies pass on what they were given.
    pub(super) fn token_in(&self, headers: &HeaderMap) -> Option<TokenDigest> {
        let shown = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = shown.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        self.digest_of(token.trim())
    }

    /// The token that a browser kept.
    pub(super) fn token_kept(&self, headers: &HeaderMap) -> Option<TokenDigest> {
        self.digest_of(kept_token(headers)?)
    }

    /// What is known of a token, if it looks like one of ours and tokens are asked for.
    pub(super) fn digest_of(&self, token: &str) -> Option<TokenDigest> {
        (self.tokens && token.starts_with(PREFIX)).then(|| TokenDigest::of(token))
    }

    /// What somebody is told who wants to sign in with something else.
    pub(super) fn no_token(&self) -> &'static str {
        match self.tokens {
            true => "this is no token of TARSy: they begin with `tarsy_`, and `tarsy token create` makes one",
            false => self.invitation(),
        }
    }

    /// The user whom a trusted proxy names.
    pub(super) fn proxy_user(
        &self,
        peer: Option<IpAddr>,
        headers: &HeaderMap,
    ) -> Result<Option<ProxyUser>, ApiError> {
        match (&self.proxy, peer) {
            (Some(proxy), Some(peer)) => proxy.user(peer, headers),
            (None, _) | (_, None) => Ok(None),
        }
    }

    /// What somebody is told whom nobody knows.
    pub(super) fn invitation(&self) -> &'static str {
        match (self.tokens, &self.proxy) {
            (true, None) => "send a token as `Authorization: Bearer tarsy_…`; `tarsy token create` makes one",
            (true, Some(_)) => {
                "log in at the proxy in front of this server, or send a token as `Authorization: Bearer tarsy_…`"
            }
            (false, _) => "come through the proxy in front of this server, and log in there",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_token_of_ours_is_taken_for_one() {
        let by_tokens = Authentication { tokens: true, proxy: None, belief: BELIEF };
        let by_proxy = Authentication { tokens: false, ..by_tokens.clone() };
        let ours = Some(TokenDigest::of("tarsy_1"));
        let cases = [
            ("Bearer tarsy_1", ours.clone()),
            ("bearer  tarsy_1 ", ours),
            ("Bearer eyJhbGciOi", None),
            ("Basic tarsy_1", None),
            ("tarsy_1", None),
            ("", None),
        ];
        for (shown, expected) in cases {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, shown.parse().unwrap())]);
            assert_eq!(by_tokens.token_in(&headers), expected, "{shown}");
            assert_eq!(by_proxy.token_in(&headers), None, "{shown}");
        }
    }
}
