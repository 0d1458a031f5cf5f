//! Authentication and authorization of requests.
//!
//! The middleware `authorize` runs before each group of routes: it authenticates the caller by a token or by
//! the headers of a trusted proxy, rejects cross-origin requests that change data, enforces rate limits and
//! checks the role. The result is a [`Principal`], which is added to the request. The router defines the role
//! that each route requires.

mod authentication;
mod browser;
mod cookie;
mod host;
mod origin;
mod proxy;
mod rate;
mod token;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use tarsy_config::Config;
use tarsy_domain::AccessRole;
use tarsy_store::Store;

pub use authentication::Authentication;
pub(crate) use cookie::clear as clear_cookie;
pub(crate) use origin::AllowedOrigins;
pub use token::GeneratedToken;

use crate::ApiError;
use browser::reject_cross_origin;
use host::reject_unknown_host;
use rate::{RateLimitKey, RateLimits};
use token::{TokenDigest, Tokens};

/// The authentication mode of the server.
#[derive(Debug, Clone)]
pub enum AccessMode {
    /// No authentication: every caller is an administrator. Only for loopback addresses.
    Open,
    /// Every caller is authenticated.
    Authenticated(Authentication),
}

impl AccessMode {
    /// Reads the mode from the configuration.
    pub fn new(config: &Config) -> Self {
        Authentication::new(&config.system().access).map_or(Self::Open, Self::Authenticated)
    }

    fn token_cache_ttl(&self) -> Duration {
        match self {
            Self::Open => Duration::ZERO,
            Self::Authenticated(authentication) => authentication.token_cache_ttl,
        }
    }
}

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name of the caller; None without authentication.
    pub name: Option<String>,
    /// The role of the caller.
    pub role: AccessRole,
    /// How the caller was authenticated.
    credential: Credential,
}

impl Principal {
    /// Returns whether the caller is a browser that signed in with a token.
    pub(crate) fn is_signed_in(&self) -> bool {
        matches!(self.credential, Credential::Cookie(_))
    }
}

/// How a caller was authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Credential {
    /// Without authentication.
    Nothing,
    /// By a token in the `Authorization` header.
    Token(TokenDigest),
    /// By a token in a cookie.
    Cookie(TokenDigest),
    /// By the headers of a trusted proxy.
    Proxy,
}

impl Credential {
    /// Returns whether a browser sends the credential with every request, including those of other sites'
    /// pages.
    fn is_ambient(&self) -> bool {
        match self {
            Self::Nothing | Self::Cookie(_) | Self::Proxy => true,
            Self::Token(_) => false,
        }
    }
}

/// Authenticates and authorizes callers.
pub(crate) struct AccessControl {
    access: AccessMode,
    tokens: Tokens,
    pub(crate) origins: AllowedOrigins,
    limits: RateLimits,
}

impl AccessControl {
    /// Creates access control over the tokens of `store`.
    pub(crate) fn new(access: AccessMode, config: &Config, store: Store) -> Self {
        Self {
            tokens: Tokens::new(store, access.token_cache_ttl()),
            access,
            origins: AllowedOrigins::new(config),
            limits: RateLimits::default(),
        }
    }

    /// Authenticates the caller of a request and checks that its role is at least `needed`.
    async fn authorize(&self, request: &Parts, needed: AccessRole) -> Result<Principal, ApiError> {
        let principal = self.principal(request).await?;
        if let Some(name) = &principal.name {
            self.limits.check(&RateLimitKey::Name(name.clone()))?;
        }
        if principal.credential.is_ambient() {
            reject_cross_origin(&request.method, &request.headers, &self.origins)?;
        }
        if principal.role < needed {
            return Err(ApiError::Forbidden { needed });
        }
        Ok(principal)
    }

    async fn principal(&self, request: &Parts) -> Result<Principal, ApiError> {
        let AccessMode::Authenticated(authentication) = &self.access else {
            reject_unknown_host(&request.headers, &self.origins)?;
            return Ok(Principal { name: None, role: AccessRole::Admin, credential: Credential::Nothing });
        };
        let address = peer_of(request);
        if let Some(digest) = authentication.token_in(&request.headers) {
            return self.by_token(digest, Credential::Token, address).await;
        }
        if let Some(digest) = authentication.token_in_cookie(&request.headers) {
            return self.by_token(digest, Credential::Cookie, address).await;
        }
        if let Some(user) = authentication.proxy_user(address, &request.headers)? {
            return Ok(Principal { name: Some(user.name), role: user.role, credential: Credential::Proxy });
        }
        self.limits.check(&RateLimitKey::Anonymous(address))?;
        Err(ApiError::Unauthenticated(authentication.instructions().to_owned()))
    }

    /// Authenticates by a token. Unknown tokens are rate limited by address before the database is queried,
    /// which slows down guessing; tokens that were valid before are exempt, so callers behind the same
    /// address are not affected.
    async fn by_token(
        &self,
        digest: TokenDigest,
        credential: fn(TokenDigest) -> Credential,
        address: Option<IpAddr>,
    ) -> Result<Principal, ApiError> {
        if !self.tokens.is_cached(&digest) {
            self.limits.check(&RateLimitKey::Anonymous(address))?;
        }
        let Some(token) = self.tokens.find(&digest).await? else {
            return Err(ApiError::Unauthenticated("the token is unknown or was revoked".to_owned()));
        };
        Ok(Principal { name: Some(token.name.clone()), role: token.role, credential: credential(digest) })
    }

    /// Authenticates a browser by a token, and returns the cookie that stores it.
    pub(crate) async fn sign_in(
        &self,
        request: &Parts,
        token: &str,
    ) -> Result<(Principal, String), ApiError> {
        reject_cross_origin(&request.method, &request.headers, &self.origins)?;
        let AccessMode::Authenticated(authentication) = &self.access else {
            return Err(ApiError::Conflict("authentication is disabled; no sign-in is required".to_owned()));
        };
        let Some(digest) = authentication.digest_of(token) else {
            return Err(ApiError::Unauthenticated(authentication.malformed_token().to_owned()));
        };
        let principal = self.by_token(digest, Credential::Cookie, peer_of(request)).await?;
        Ok((principal, cookie::set(token, &request.headers)))
    }

    /// Waits until the caller's token is revoked. Never returns for other credentials.
    pub(crate) async fn revoked(&self, principal: &Principal) {
        match &principal.credential {
            Credential::Token(digest) | Credential::Cookie(digest) => self.tokens.revoked(digest).await,
            Credential::Nothing | Credential::Proxy => std::future::pending().await,
        }
    }
}

/// Returns the address of the client, with IPv4-mapped IPv6 addresses as IPv4.
fn peer_of(request: &Parts) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(peer.ip().to_canonical())
}

/// The state of the middleware [`authorize`].
#[derive(Clone)]
pub(crate) struct RoleGuard {
    pub(crate) access_control: Arc<AccessControl>,
    /// The minimum role that may pass.
    pub(crate) role: AccessRole,
}

/// Middleware that authorizes a request and adds its [`Principal`] to the extensions.
pub(crate) async fn authorize(
    State(guard): State<RoleGuard>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let principal = guard.access_control.authorize(&parts, guard.role).await?;
    parts.extensions.insert(principal);
    Ok(next.run(Request::from_parts(parts, body)).await)
}
