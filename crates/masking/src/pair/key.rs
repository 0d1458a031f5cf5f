//! What a name says about its value: which kind of secret it is, and how sure that is.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::name::Words;
use super::word_list::{WordList, list};
use crate::kind::Kind;

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) kind: Kind,
    pub(super) sign: Sign,
}

/// How a value behind a name is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Whatever can be a secret is one.
    Sure,
    /// It is one if it looks random.
    Likely,
    /// It is one if it is long and looks random.
    Signature,
    /// It is one if it is Base64.
    Encoded,
    /// It is one if it is the Base64 of a user and a password.
    Login,
    /// A scheme comes before it.
    Authorization,
    /// It is a list of cookies.
    Cookie,
    /// It is a collection, and what looks random in it is one.
    Many,
}

/// Words at the end of a name that make it say something about a secret, and not hold it.
static ABOUT: WordList = LazyLock::new(|| {
    list(
        "name names ref refs reference file files filename path paths dir directory url urls uri endpoint \
     host port id ids type types count counts counter length len size limit limits max min policy \
     policies expiry expiration expires expire expired ttl age lifetime timeout seconds minutes days \
     date time at version enabled disabled required optional exists present changed reset rotation \
     rotated status state valid invalid error errors failed failure failures attempts review reviews \
     request requests response handler provider manager store class mount mounts volume volumes \
     namespace annotation label labels selector field fields column attribute format algorithm alg \
     encoding scope scopes issuer audience usage used total bucket prefix suffix mode strategy method \
     hint prompt placeholder title description message template generator validator validation \
     strength rules requirements source sources plugin env var variable arn alias kind group groups \
     role roles user username owner index position cost price budget window rate chars controller \
     operator spec list map projection checksum digest fingerprint thumbprint bits curve pair pairs \
     server service servers engine backend exporter csi driver agent webhook syncer reloader rotator \
     operation event events metric duration latency bytes less auth login logins check checks change \
     update updates updated created creation cache client clients code codes command config \
     configuration settings manifest schema table page form input output button link email \
     notification complexity history grace period protected protection supported needed missing flow \
     grant exchange request_id ring chain board word words frame frames space binding bindings bound \
     hash_algorithm encryption",
    )
});

/// Words at the end of a name that change nothing.
static NEUTRAL: WordList = LazyLock::new(|| {
    list(
        "value val prod production dev development staging stage test testing live sandbox old new \
     current previous prev primary secondary default main backup plain plaintext clear cleartext raw \
     base b encoded hash hashed string str text confirm confirmation again override global internal \
     external readonly ro rw admin root master slave replica temp temporary",
    )
});

/// Words before `token` that make it a place in a list or a piece of a language.
static MARKS: WordList = LazyLock::new(|| {
    list(
        "next page continue continuation sync resume starting cancellation marker pagination cursor stop \
     eos bos pad unk sep cls mask special unexpected last per max min total delimiter paging change \
     invalidation idempotency fencing concurrency lock",
    )
});

/// Words before `secret` that make it a name of something in a cluster.
static NAMED: WordList = LazyLock::new(|| {
    list(
        "pull existing tls k kubernetes cert certificate ingress registry source target image from \
     external sealed generic opaque bootstrap sa account config credentials credential the in for ca \
     storage backup cluster wildcard default docker vault helm kube node pod user users this that no \
     new a create created delete get missing mounted mount volume ssh",
    )
});

/// Words before `key` that make it a secret for certain, and of which kind.
const KEYS: &[(&str, Kind)] = &[
    (
        "api apis license licence subscription ingest ingestion integration access openai anthropic \
         claude gemini google stripe sendgrid twilio datadog newrelic relic mailgun mailchimp \
         algolia pagerduty opsgenie sentry grafana cohere mistral groq replicate pinecone maps \
         recaptcha cloudflare fastly developer functions instrumentation auth rest consumer",
        Kind::ApiKey,
    ),
    (
        "secret encryption encrypt decryption signing master shared hmac aes crypto cipher jwt \
         unseal pepper kek dek preshared session cookie symmetric fernet webhook otp totp \
         validation base hash",
        Kind::SecretKey,
    ),
    ("private priv wireguard", Kind::PrivateKey),
    ("account", Kind::AzureKey),
];

/// Words before `key` that may make it one.
static LIKELY: WordList = LazyLock::new(|| {
    list(
        "app application client service deploy ssh admin write host user server storage root aws azure \
     gcp security site dd bot routing",
    )
});

/// The same in one word.
const JOINED: &[(&str, Kind)] = &[
    ("apikey", Kind::ApiKey),
    ("accesskey", Kind::ApiKey),
    ("authkey", Kind::ApiKey),
    ("licensekey", Kind::ApiKey),
    ("secretkey", Kind::SecretKey),
    ("signingkey", Kind::SecretKey),
    ("encryptionkey", Kind::SecretKey),
    ("masterkey", Kind::SecretKey),
    ("sharedkey", Kind::SecretKey),
    ("privatekey", Kind::PrivateKey),
    ("privkey", Kind::PrivateKey),
    ("accountkey", Kind::AzureKey),
    ("password", Kind::Password),
    ("passwd", Kind::Password),
    ("passphrase", Kind::Password),
    ("passcode", Kind::Password),
    ("passwort", Kind::Password),
    ("pwd", Kind::Password),
    ("masterauth", Kind::Password),
    ("bindpw", Kind::Password),
    ("rootpw", Kind::Password),
    ("token", Kind::Token),
    ("clientsecret", Kind::SecretKey),
    ("appsecret", Kind::SecretKey),
    ("apisecret", Kind::SecretKey),
    ("jwtsecret", Kind::SecretKey),
    ("sharedsecret", Kind::SecretKey),
];

/// Names that are known as a whole.
const SPECIAL: &[(&str, Kind, Sign)] = &[
    (
        "authorization proxy-authorization x-authorization http_authorization",
        Kind::Token,
        Sign::Authorization,
    ),
    ("cookie set-cookie http_cookie set-cookie2", Kind::Token, Sign::Cookie),
    ("rediscli_auth securestring convertto-securestring", Kind::Password, Sign::Sure),
    ("x-honeycomb-team", Kind::ApiKey, Sign::Sure),
    ("sig", Kind::AzureKey, Sign::Signature),
    (
        "signature x-amz-signature x-goog-signature x-hub-signature x-hub-signature-256",
        Kind::Token,
        Sign::Signature,
    ),
    ("secret_id secret-id secretid", Kind::SecretKey, Sign::Sure),
    ("auth _auth", Kind::Password, Sign::Login),
    ("jsessionid phpsessid asp.net_sessionid connect.sid sessionid sessid", Kind::Token, Sign::Likely),
    ("client-key-data key-data client_key_data", Kind::PrivateKey, Sign::Encoded),
    (
        "client-certificate-data tls.crt client_certificate_data client.crt server.crt",
        Kind::Certificate,
        Sign::Encoded,
    ),
    (
        "certificate-authority-data certificate_authority_data ca.crt cabundle ca_bundle ca-bundle ca-bundle.crt \
         service-ca.crt",
        Kind::CertificateAuthorityData,
        Sign::Encoded,
    ),
    // Files that Secrets hold.
    (
        "tls.key ca.key server.key client.key ssh-privatekey .dockerconfigjson .dockercfg keystore.jks truststore.jks \
         keystore.p12 key.json credentials.json kubeconfig dockerconfigjson service-account-key.json ca-key.pem key.pem",
        Kind::Base64Secret,
        Sign::Encoded,
    ),
];

impl Key {
    /// What a name says, if it says anything.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let trimmed = name.iter().position(|byte| !matches!(byte, b'-'))?;
        let name = name.get(trimmed..)?;
        special(name).or_else(|| general(&Words::of(name)))
    }

    const fn sure(kind: Kind) -> Self {
        Self { kind, sign: Sign::Sure }
    }

    const fn likely(kind: Kind) -> Self {
        Self { kind, sign: Sign::Likely }
    }
}

/// The same, by name.
static BY_NAME: LazyLock<HashMap<&str, Key>> = LazyLock::new(|| {
    let keys = SPECIAL.iter().flat_map(|(names, kind, sign)| {
        names.split_ascii_whitespace().map(|name| (name, Key { kind: *kind, sign: *sign }))
    });
    keys.collect()
});

fn special(name: &[u8]) -> Option<Key> {
    BY_NAME.get(std::str::from_utf8(&name.to_ascii_lowercase()).ok()?).copied()
}

/// Names that are made of words.
fn general(words: &Words) -> Option<Key> {
    let mut last = words.len().checked_sub(1)?;
    while last > 0 && (words.get(last).is_empty() || NEUTRAL.contains(words.get(last))) {
        last -= 1;
    }
    if ABOUT.contains(words.get(words.len() - 1)) {
        return None;
    }
    if let Some(key) = noun(words, last) {
        return Some(key);
    }
    if ABOUT.contains(words.get(last)) {
        return None;
    }
    // The word is further to the front, as in `TOKEN_GITHUB`.
    let earlier = (0..last).rev().find_map(|index| noun(words, index))?;
    (earlier.sign != Sign::Many).then_some(Key { sign: Sign::Likely, ..earlier })
}

/// What a name says whose word that counts is this one.
fn noun(words: &Words, index: usize) -> Option<Key> {
    let word = words.get(index);
    let before = index.checked_sub(1).map_or("", |before| words.get(before));
    let has = |other: &str| words.iter().any(|word| word == other);
    match word {
        "pass" | "pw" if before.is_empty() => Some(Key::likely(Kind::Password)),
        "pass" | "pw" => Some(Key::sure(Kind::Password)),
        "token" if MARKS.contains(before) => None,
        "token" if has("aws") || has("amz") => Some(Key::sure(Kind::AwsSessionToken)),
        "secret" if has("azure") && !NAMED.contains(before) => Some(Key::sure(Kind::AzureKey)),
        "secret" if has("aws") => Some(Key::sure(Kind::AwsSecretKey)),
        "secret" if before.is_empty() || NAMED.contains(before) => Some(Key::likely(Kind::SecretKey)),
        "secret" => Some(Key::sure(Kind::SecretKey)),
        "secrets" => Some(Key { kind: Kind::SecretKey, sign: Sign::Many }),
        "tokens" => Some(Key { kind: Kind::Token, sign: Sign::Many }),
        "passwords" => Some(Key { kind: Kind::Password, sign: Sign::Many }),
        "keys" => key(words, before).map(|key| Key { sign: Sign::Many, ..key }),
        "key" => key(words, before),
        "passe" => Some(Key::sure(Kind::Password)),
        "credentials" | "creds" => Some(Key::likely(Kind::Password)),
        "jwt" | "bearer" | "pat" => Some(Key::likely(Kind::Token)),
        "psk" => Some(Key::sure(Kind::SecretKey)),
        _ => joined(word),
    }
}

fn key(words: &Words, before: &str) -> Option<Key> {
    let has = |other: &str| words.iter().any(|word| word == other);
    if has("secret") && (has("access") || has("aws")) {
        return Some(Key::sure(Kind::AwsSecretKey));
    }
    if has("public") || has("publishable") || has("primary") && !has("connection") || before.is_empty() {
        return None;
    }
    if before == "access" && has("shared") {
        return Some(Key::sure(Kind::AzureKey));
    }
    let is = |word: &str| before == word || (word.len() >= 6 || word == "api") && before.ends_with(word);
    let known = KEYS.iter().find(|(words, _)| words.split(' ').any(is)).map(|(_, kind)| Key::sure(*kind));
    known.or_else(|| LIKELY.contains(before).then_some(Key::likely(Kind::ApiKey)))
}

fn joined(word: &str) -> Option<Key> {
    let passes = ["bypass", "compass", "encompass", "surpass", "trespass", "overpass", "underpass"];
    if word.ends_with("pass") && !passes.contains(&word) {
        return Some(Key::sure(Kind::Password));
    }
    JOINED.iter().find(|(end, _)| word.ends_with(end)).map(|(_, kind)| Key::sure(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_secrets_or_speak_about_them() {
        let kind = |name: &str| Key::of(name.as_bytes()).map(|key| key.kind);
        assert_eq!(kind("DB_PASSWORD"), Some(Kind::Password));
        assert_eq!(kind("--api-key"), Some(Kind::ApiKey));
        assert_eq!(kind("AWS_SECRET_ACCESS_KEY"), Some(Kind::AwsSecretKey));
        assert_eq!(kind("PGPASSWORD"), Some(Kind::Password));
        assert_eq!(kind("authToken"), Some(Kind::Token));
        for name in [
            "secretName",
            "passwordSecretRef",
            "token_count",
            "tokenReviews",
            "nextPageToken",
            "key",
            "primaryKey",
        ] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
