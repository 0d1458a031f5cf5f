//! API tokens: made once and shown once, known by their digest from then on.
//!
//! A token is looked up by its SHA-256, so that how long the search takes says nothing about the token. One that was
//! found is believed for some seconds, so that most requests cost no query.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use tarsy_domain::{Secret, Timestamp};
use tarsy_store::{Store, StoreError, Token};
use tokio::time::interval;
use tracing::warn;

/// Every token begins like this, so that people, scanners and our own masking know one when they see it.
pub(super) const PREFIX: &str = "tarsy_";
/// 256 bits.
const BYTES: usize = 32;
/// Tokens that are believed at the same time.
const KEPT: usize = 1_000;

/// A new token, while it can still be seen.
#[derive(Debug)]
pub struct ApiToken {
    /// What its holder sends. It is kept nowhere.
    pub secret: Secret,
    /// What is kept of it: SHA-256 in hexadecimal digits.
    pub digest: String,
}

impl ApiToken {
    /// A token that nobody can guess; an error if this machine has no randomness to give.
    pub fn generate() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let token = format!("{PREFIX}{}", hexadecimal(&bytes));
        Ok(Self { digest: TokenDigest::of(&token).0.to_string(), secret: Secret::new(token) })
    }
}

/// What is known of a token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TokenDigest(Arc<str>);

impl TokenDigest {
    pub(super) fn of(token: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(token).into();
        Self(hexadecimal(&digest).into())
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        // Writing to a text cannot fail.
        let _written = write!(digits, "{byte:02x}");
        digits
    })
}

/// The tokens of a store.
pub(super) struct Tokens {
    store: Store,
    found: Cache<TokenDigest, Found>,
    belief: Duration,
}

/// A token, and when the database said so.
#[derive(Clone)]
struct Found {
    token: Arc<Token>,
    at: Instant,
}

impl Tokens {
    pub(super) fn new(store: Store, belief: Duration) -> Self {
        Self { store, found: Cache::new(KEPT), belief }
    }

    /// Whether a token was found before, however long ago.
    pub(super) fn is_familiar(&self, digest: &TokenDigest) -> bool {
        self.found.contains_key(digest)
    }

    /// The token with this digest, unless there is none or it was revoked.
    pub(super) async fn find(&self, digest: &TokenDigest) -> Result<Option<Arc<Token>>, StoreError> {
        if let Some(token) = self.fresh(digest) {
            return Ok(Some(token));
        }
        let asked_at = Instant::now();
        let Some(token) = self.store.token_find_by_digest(&digest.0).await? else {
            self.found.remove(digest);
            return Ok(None);
        };
        // Whoever holds a token is not to wait for a note about it to be right.
        if let Err(error) = self.store.token_note_use(&token, Timestamp::now()).await {
            warn!(%error, token.name, "the use of a token cannot be noted");
        }
        let token = Arc::new(token);
        self.found.insert(digest.clone(), Found { token: Arc::clone(&token), at: asked_at });
        Ok(Some(token))
    }

    fn fresh(&self, digest: &TokenDigest) -> Option<Arc<Token>> {
        let found = self.found.get(digest)?;
        (found.at.elapsed() < self.belief).then_some(found.token)
    }

    /// Waits until a token is revoked. A database that does not answer revokes nothing.
    pub(super) async fn revoked(&self, digest: &TokenDigest) {
        let mut looks = interval(self.belief * 2);
        loop {
            looks.tick().await;
            match self.find(digest).await {
                Ok(None) => return,
                Ok(Some(_)) => {}
                Err(error) => warn!(%error, "whether a token still counts cannot be read; trying again"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_random_bits_and_a_prefix() {
        let (one, other) = (ApiToken::generate().unwrap(), ApiToken::generate().unwrap());
        let digits = one.secret.expose().strip_prefix("tarsy_").unwrap();
        assert!(digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
        assert_ne!(one.secret, other.secret);
        assert_eq!(format!("{:?}", one.secret), "[hidden]");
    }

    #[test]
    fn the_digest_is_that_of_all_that_is_shown() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(&*TokenDigest::of("abc").0, expected);
    }
}
