//! Extracts credentials from requests.
//!
//! These functions read the request only; tokens are looked up in `token`.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use tarsy_config::file;

use super::cookie::cookie_token;
use super::proxy::{ProxyUser, TrustedProxy};
use super::token::{PREFIX, TokenDigest};
use crate::ApiError;

/// Default lifetime of a cached token.
const TOKEN_CACHE_TTL: Duration = Duration::from_secs(10);

/// How callers are authenticated: by tokens, by a trusted proxy, or by either.
#[derive(Debug, Clone)]
pub struct Authentication {
    tokens: bool,
    proxy: Option<TrustedProxy>,
    /// How long a token is cached before the database is queried again.
    pub(super) token_cache_ttl: Duration,
}

impl Authentication {
    /// Reads the configuration; None if authentication is disabled.
    pub(super) fn new(access: &file::AccessConfig) -> Option<Self> {
        let proxy = access.proxy.as_ref().map(TrustedProxy::new);
        access.is_guarded().then_some(Self { tokens: access.tokens, proxy, token_cache_ttl: TOKEN_CACHE_TTL })
    }

    /// Sets how long tokens are cached. The tokens of open streams are checked again after twice that time.
    #[must_use]
    pub fn with_token_cache_ttl(self, token_cache_ttl: Duration) -> Self {
        Self { token_cache_ttl, ..self }
    }

    /// Returns the token of the `Authorization` header. Other values are ignored: a proxy may forward
    /// credentials that are meant for itself.
    pub(super) fn token_in(&self, headers: &HeaderMap) -> Option<TokenDigest> {
        let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = value.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        self.digest_of(token.trim())
    }

    /// Returns the token of the cookie.
    pub(super) fn token_in_cookie(&self, headers: &HeaderMap) -> Option<TokenDigest> {
        self.digest_of(cookie_token(headers)?)
    }

    /// Returns the digest of a token; None if it lacks the prefix or tokens are disabled.
    pub(super) fn digest_of(&self, token: &str) -> Option<TokenDigest> {
        (self.tokens && token.starts_with(PREFIX)).then(|| TokenDigest::of(token))
    }

    /// Returns the error message for a sign-in with a malformed token.
    pub(super) fn malformed_token(&self) -> &'static str {
        match self.tokens {
            true => {
                "this is not a TARSy token; tokens start with `tarsy_` and are created with `tarsy token create`"
            }
            false => self.instructions(),
        }
    }

    /// Returns the user that a trusted proxy authenticated.
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

    /// Returns the error message for a request without credentials.
    pub(super) fn instructions(&self) -> &'static str {
        match (self.tokens, &self.proxy) {
            (true, None) => {
                "send a token as `Authorization: Bearer tarsy_…`; create one with `tarsy token create`"
            }
            (true, Some(_)) => {
                "sign in at the proxy in front of this server, or send a token as `Authorization: Bearer tarsy_…`"
            }
            (false, _) => "sign in at the proxy in front of this server",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_bearer_tokens_with_the_prefix() {
        let by_tokens = Authentication { tokens: true, proxy: None, token_cache_ttl: TOKEN_CACHE_TTL };
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
        for (value, expected) in cases {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())]);
            assert_eq!(by_tokens.token_in(&headers), expected, "{value}");
            assert_eq!(by_proxy.token_in(&headers), None, "{value}");
        }
    }
}
