//! API tokens: shown once when they are created, stored as a digest.
//!
//! A token is looked up by its SHA-256, so that the duration of the lookup reveals nothing about the token.
//! Lookups are cached for some seconds, so that most requests cost no query.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use tarsy_domain::{Secret, Timestamp};
use tarsy_store::{ApiToken, Store, StoreError};
use tokio::time::interval;
use tracing::warn;

/// Prefix of every token, by which people, secret scanners and our own masking recognize it.
pub(super) const PREFIX: &str = "tarsy_";
/// 256 bits.
const BYTES: usize = 32;
/// Number of cached tokens.
const CACHED_TOKENS: usize = 1_000;

/// A new token with its secret.
#[derive(Debug)]
pub struct GeneratedToken {
    /// What the caller sends. It is not stored.
    pub secret: Secret,
    /// What is stored: the SHA-256 in hexadecimal digits.
    pub digest: String,
}

impl GeneratedToken {
    /// Generates a token. Fails if the system's random number generator does.
    pub fn generate() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let token = format!("{PREFIX}{}", hex::encode(bytes));
        Ok(Self { digest: TokenDigest::of(&token).0.to_string(), secret: Secret::new(token) })
    }
}

/// The SHA-256 of a token in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TokenDigest(Arc<str>);

impl TokenDigest {
    pub(super) fn of(token: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(token).into();
        Self(hex::encode(digest).into())
    }
}

/// The tokens of a store, cached.
pub(super) struct Tokens {
    store: Store,
    cache: Cache<TokenDigest, CachedToken>,
    token_cache_ttl: Duration,
}

/// A token and when it was read from the database.
#[derive(Clone)]
struct CachedToken {
    token: Arc<ApiToken>,
    read_at: Instant,
}

impl Tokens {
    pub(super) fn new(store: Store, token_cache_ttl: Duration) -> Self {
        Self { store, cache: Cache::new(CACHED_TOKENS), token_cache_ttl }
    }

    /// Returns whether a token was valid before, even if its cache entry has expired.
    pub(super) fn is_cached(&self, digest: &TokenDigest) -> bool {
        self.cache.contains_key(digest)
    }

    /// Returns the token with this digest; None if it does not exist or was revoked.
    pub(super) async fn find(&self, digest: &TokenDigest) -> Result<Option<Arc<ApiToken>>, StoreError> {
        if let Some(token) = self.fresh(digest) {
            return Ok(Some(token));
        }
        let read_at = Instant::now();
        let Some(token) = self.store.token_find_by_digest(&digest.0).await? else {
            self.cache.remove(digest);
            return Ok(None);
        };
        // The token is valid even if its last use cannot be recorded.
        if let Err(error) = self.store.token_note_use(&token, Timestamp::now()).await {
            warn!(%error, token.name, "the last use of a token cannot be recorded");
        }
        let token = Arc::new(token);
        self.cache.insert(digest.clone(), CachedToken { token: Arc::clone(&token), read_at });
        Ok(Some(token))
    }

    fn fresh(&self, digest: &TokenDigest) -> Option<Arc<ApiToken>> {
        let cached = self.cache.get(digest)?;
        (cached.read_at.elapsed() < self.token_cache_ttl).then_some(cached.token)
    }

    /// Waits until a token is revoked. An unavailable database does not count as revocation.
    pub(super) async fn revoked(&self, digest: &TokenDigest) {
        let mut checks = interval(self.token_cache_ttl * 2);
        loop {
            checks.tick().await;
            match self.find(digest).await {
                Ok(None) => return,
                Ok(Some(_)) => {}
                Err(error) => warn!(%error, "cannot check whether a token was revoked; retrying"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_random_bits_and_a_prefix() {
        let (one, other) = (GeneratedToken::generate().unwrap(), GeneratedToken::generate().unwrap());
        let digits = one.secret.expose().strip_prefix("tarsy_").unwrap();
        assert!(digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
        assert_ne!(one.secret, other.secret);
        assert_eq!(format!("{:?}", one.secret), "[hidden]");
    }

    #[test]
    fn the_digest_covers_the_whole_token() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(&*TokenDigest::of("abc").0, expected);
    }
}
