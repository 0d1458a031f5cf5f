//! Who may come in, and what they may do.
//!
//! A request is let in at the door of its group of routes (`admit`): who sends it is known by a token or by a proxy that
//! is trusted, a page of another site does not act for its reader, and nobody comes too often. Whoever is let in is a
//! [`Principal`] from there on. What a route does for whom is in the router, not here.

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
pub(crate) use cookie::forget as forgetting_cookie;
pub(crate) use origin::AllowedOrigins;
pub use token::ApiToken;
pub(crate) use token::hexadecimal;

use crate::ApiError;
use browser::refuse_foreign_pages;
use host::refuse_foreign_names;
use rate::{Caller, RateLimits};
use token::{TokenDigest, Tokens};

/// How people and programs come in.
#[derive(Debug, Clone)]
pub enum Access {
    /// Everybody who reaches the server may do everything. Only for an address that only this machine can reach.
    Open,
    /// Everybody is asked who they are.
    Authenticated(Authentication),
}

impl Access {
    /// What a configuration asks for.
    pub fn new(config: &Config) -> Self {
        Authentication::new(&config.system().access).map_or(Self::Open, Self::Authenticated)
    }

    fn belief(&self) -> Duration {
        match self {
            Self::Open => Duration::ZERO,
            Self::Authenticated(authentication) => authentication.belief,
        }
    }
}

/// Somebody who came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Who it is, if anything says so.
    pub name: Option<String>,
    /// What they may do.
    pub role: AccessRole,
    /// How that is known.
    credential: Credential,
}

impl Principal {
    /// Whether it is a browser that keeps a token.
    pub(crate) fn is_signed_in(&self) -> bool {
        matches!(self.credential, Credential::Cookie(_))
    }
}

/// How somebody is known.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Credential {
    /// Nobody was asked.
    Nothing,
    /// By a token that they show.
    Token(TokenDigest),
    /// By a token that their browser keeps.
    Cookie(TokenDigest),
    /// By what a proxy says of a browser's cookie.
    Proxy,
}

impl Credential {
    /// Whether a browser sends it along with whatever a page wants to be sent.
    fn comes_by_itself(&self) -> bool {
        match self {
            Self::Nothing | Self::Cookie(_) | Self::Proxy => true,
            Self::Token(_) => false,
        }
    }
}

/// Who stands at every door.
pub(crate) struct Doorkeeper {
    access: Access,
    tokens: Tokens,
    pub(crate) origins: AllowedOrigins,
    limits: RateLimits,
}

impl Doorkeeper {
    /// One who knows the tokens of this store.
    pub(crate) fn new(access: Access, config: &Config, store: Store) -> Self {
        Self {
            tokens: Tokens::new(store, access.belief()),
            access,
            origins: AllowedOrigins::new(config),
            limits: RateLimits::default(),
        }
    }

    /// Who sends a request, if they may do what takes this role.
    async fn admit(&self, request: &Parts, needed: AccessRole) -> Result<Principal, ApiError> {
        let principal = self.principal(request).await?;
        if let Some(name) = &principal.name {
            self.limits.check(&Caller::Name(name.clone()))?;
        }
        if principal.credential.comes_by_itself() {
            refuse_foreign_pages(&request.method, &request.headers, &self.origins)?;
        }
        if principal.role < needed {
            return Err(ApiError::Forbidden { needed });
        }
        Ok(principal)
    }

    async fn principal(&self, request: &Parts) -> Result<Principal, ApiError> {
        let Access::Authenticated(authentication) = &self.access else {
            refuse_foreign_names(&request.headers, &self.origins)?;
            return Ok(Principal { name: None, role: AccessRole::Admin, credential: Credential::Nothing });
        };
        let address = peer_of(request);
        if let Some(digest) = authentication.token_in(&request.headers) {
            return self.by_token(digest, Credential::Token, address).await;
        }
        if let Some(digest) = authentication.token_kept(&request.headers) {
            return self.by_token(digest, Credential::Cookie, address).await;
        }
        if let Some(user) = authentication.proxy_user(address, &request.headers)? {
            return Ok(Principal { name: Some(user.name), role: user.role, credential: Credential::Proxy });
        }
        self.limits.check(&Caller::Stranger(address))?;
        Err(ApiError::Unauthenticated(authentication.invitation().to_owned()))
    }

    /// Whoever guesses tokens is slowed down before the database is asked. Those who come through the same address with a
    /// token that was right before are not kept waiting for it.
    async fn by_token(
        &self,
        digest: TokenDigest,
        credential: fn(TokenDigest) -> Credential,
        address: Option<IpAddr>,
    ) -> Result<Principal, ApiError> {
        if !self.tokens.is_familiar(&digest) {
            self.limits.check(&Caller::Stranger(address))?;
        }
        let Some(token) = self.tokens.find(&digest).await? else {
            return Err(ApiError::Unauthenticated("this token is not known, or it was revoked".to_owned()));
        };
        Ok(Principal { name: Some(token.name.clone()), role: token.role, credential: credential(digest) })
    }

    /// Whose token this is, and the cookie in which their browser is to keep it.
    pub(crate) async fn sign_in(
        &self,
        request: &Parts,
        token: &str,
    ) -> Result<(Principal, String), ApiError> {
        refuse_foreign_pages(&request.method, &request.headers, &self.origins)?;
        let Access::Authenticated(authentication) = &self.access else {
            return Err(ApiError::Conflict("nobody is asked who they are here; just come in".to_owned()));
        };
        let Some(digest) = authentication.digest_of(token) else {
            return Err(ApiError::Unauthenticated(authentication.no_token().to_owned()));
        };
        let principal = self.by_token(digest, Credential::Cookie, peer_of(request)).await?;
        Ok((principal, cookie::keep(token, &request.headers)))
    }

    /// Waits until somebody who was let in may not stay: their token was revoked.
    pub(crate) async fn expelled(&self, principal: &Principal) {
        match &principal.credential {
            Credential::Token(digest) | Credential::Cookie(digest) => self.tokens.revoked(digest).await,
            Credential::Nothing | Credential::Proxy => std::future::pending().await,
        }
    }
}

/// Who is at the other end of the connection.
fn peer_of(request: &Parts) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(peer.ip().to_canonical())
}

/// A door that only some may pass.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) doorkeeper: Arc<Doorkeeper>,
    /// The least role that may.
    pub(crate) role: AccessRole,
}

/// Lets a request through if its sender may, and says who it is.
pub(crate) async fn admit(
    State(gate): State<Gate>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let principal = gate.doorkeeper.admit(&parts, gate.role).await?;
    parts.extensions.insert(principal);
    Ok(next.run(Request::from_parts(parts, body)).await)
}
