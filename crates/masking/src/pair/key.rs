//! Classifies a name: the kind of secret it has, and how its value is checked.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::name::Words;
use super::word_list::{WordList, list};
use crate::kind::SecretKind;

/// The classification of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyHint {
    pub(super) kind: SecretKind,
    pub(super) rule: ValueRule,
}

/// The check that decides whether the value of a name is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueRule {
    /// Anything that can be a secret.
    Sure,
    /// Values that look random.
    Likely,
    /// Long values that look random.
    Signature,
    /// Base64.
    Encoded,
    /// Base64 of a user and a password.
    Login,
    /// A credential after an authentication scheme.
    Authorization,
    /// A list of cookies.
    Cookie,
    /// A collection: its items that look random.
    Collection,
}

/// Final words of names that describe a secret instead of containing it.
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

/// Final words of names that do not affect the classification.
static NEUTRAL: WordList = LazyLock::new(|| {
    list(
        "value val prod production dev development staging stage test testing live sandbox old new \
     current previous prev primary secondary default main backup plain plaintext clear cleartext raw \
     base b encoded hash hashed string str text confirm confirmation again override global internal \
     external readonly ro rw admin root master slave replica temp temporary",
    )
});

/// Words before `token` that make it a cursor or a lexical token.
static MARKS: WordList = LazyLock::new(|| {
    list(
        "next page continue continuation sync resume starting cancellation marker pagination cursor stop \
     eos bos pad unk sep cls mask special unexpected last per max min total delimiter paging change \
     invalidation idempotency fencing concurrency lock",
    )
});

/// Words before `secret` that make it the name of an object in a cluster.
static NAMED: WordList = LazyLock::new(|| {
    list(
        "pull existing tls k kubernetes cert certificate ingress registry source target image from \
     external sealed generic opaque bootstrap sa account config credentials credential the in for ca \
     storage backup cluster wildcard default docker vault helm kube node pod user users this that no \
     new a create created delete get missing mounted mount volume ssh",
    )
});

/// Words before `key` that certainly make it a secret, with its kind.
const KEYS: &[(&str, SecretKind)] = &[
    (
        "api apis license licence subscription ingest ingestion integration access openai anthropic \
         claude gemini google stripe sendgrid twilio datadog newrelic relic mailgun mailchimp \
         algolia pagerduty opsgenie sentry grafana cohere mistral groq replicate pinecone maps \
         recaptcha cloudflare fastly developer functions instrumentation auth rest consumer",
        SecretKind::ApiKey,
    ),
    (
        "secret encryption encrypt decryption signing master shared hmac aes crypto cipher jwt \
         unseal pepper kek dek preshared session cookie symmetric fernet webhook otp totp \
         validation base hash",
        SecretKind::SecretKey,
    ),
    ("private priv wireguard", SecretKind::PrivateKey),
    ("account", SecretKind::AzureKey),
];

/// Words before `key` that may make it a secret.
static LIKELY: WordList = LazyLock::new(|| {
    list(
        "app application client service deploy ssh admin write host user server storage root aws azure \
     gcp security site dd bot routing",
    )
});

/// Names of secrets in one word.
const JOINED: &[(&str, SecretKind)] = &[
    ("apikey", SecretKind::ApiKey),
    ("accesskey", SecretKind::ApiKey),
    ("authkey", SecretKind::ApiKey),
    ("licensekey", SecretKind::ApiKey),
    ("secretkey", SecretKind::SecretKey),
    ("signingkey", SecretKind::SecretKey),
    ("encryptionkey", SecretKind::SecretKey),
    ("masterkey", SecretKind::SecretKey),
    ("sharedkey", SecretKind::SecretKey),
    ("privatekey", SecretKind::PrivateKey),
    ("privkey", SecretKind::PrivateKey),
    ("accountkey", SecretKind::AzureKey),
    ("password", SecretKind::Password),
    ("passwd", SecretKind::Password),
    ("passphrase", SecretKind::Password),
    ("passcode", SecretKind::Password),
    ("passwort", SecretKind::Password),
    ("pwd", SecretKind::Password),
    ("masterauth", SecretKind::Password),
    ("bindpw", SecretKind::Password),
    ("rootpw", SecretKind::Password),
    ("token", SecretKind::Token),
    ("clientsecret", SecretKind::SecretKey),
    ("appsecret", SecretKind::SecretKey),
    ("apisecret", SecretKind::SecretKey),
    ("jwtsecret", SecretKind::SecretKey),
    ("sharedsecret", SecretKind::SecretKey),
];

/// Complete names.
const SPECIAL: &[(&str, SecretKind, ValueRule)] = &[
    (
        "authorization proxy-authorization x-authorization http_authorization",
        SecretKind::Token,
        ValueRule::Authorization,
    ),
    ("cookie set-cookie http_cookie set-cookie2", SecretKind::Token, ValueRule::Cookie),
    ("rediscli_auth securestring convertto-securestring", SecretKind::Password, ValueRule::Sure),
    ("x-honeycomb-team", SecretKind::ApiKey, ValueRule::Sure),
    ("sig", SecretKind::AzureKey, ValueRule::Signature),
    (
        "signature x-amz-signature x-goog-signature x-hub-signature x-hub-signature-256",
        SecretKind::Token,
        ValueRule::Signature,
    ),
    ("secret_id secret-id secretid", SecretKind::SecretKey, ValueRule::Sure),
    ("auth _auth", SecretKind::Password, ValueRule::Login),
    (
        "jsessionid phpsessid asp.net_sessionid connect.sid sessionid sessid",
        SecretKind::Token,
        ValueRule::Likely,
    ),
    ("client-key-data key-data client_key_data", SecretKind::PrivateKey, ValueRule::Encoded),
    (
        "client-certificate-data tls.crt client_certificate_data client.crt server.crt",
        SecretKind::Certificate,
        ValueRule::Encoded,
    ),
    (
        "certificate-authority-data certificate_authority_data ca.crt cabundle ca_bundle ca-bundle ca-bundle.crt \
         service-ca.crt",
        SecretKind::CertificateAuthorityData,
        ValueRule::Encoded,
    ),
    // Files in Secrets.
    (
        "tls.key ca.key server.key client.key ssh-privatekey .dockerconfigjson .dockercfg keystore.jks truststore.jks \
         keystore.p12 key.json credentials.json kubeconfig dockerconfigjson service-account-key.json ca-key.pem key.pem",
        SecretKind::Base64Secret,
        ValueRule::Encoded,
    ),
];

impl KeyHint {
    /// Classifies a name; `None` if its value is not secret.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let trimmed = name.iter().position(|byte| !matches!(byte, b'-'))?;
        let name = name.get(trimmed..)?;
        special(name).or_else(|| general(&Words::of(name)))
    }

    const fn sure(kind: SecretKind) -> Self {
        Self { kind, rule: ValueRule::Sure }
    }

    const fn likely(kind: SecretKind) -> Self {
        Self { kind, rule: ValueRule::Likely }
    }
}

/// `SPECIAL`, by name.
static BY_NAME: LazyLock<HashMap<&str, KeyHint>> = LazyLock::new(|| {
    let keys = SPECIAL.iter().flat_map(|(names, kind, rule)| {
        names.split_ascii_whitespace().map(|name| (name, KeyHint { kind: *kind, rule: *rule }))
    });
    keys.collect()
});

fn special(name: &[u8]) -> Option<KeyHint> {
    BY_NAME.get(std::str::from_utf8(&name.to_ascii_lowercase()).ok()?).copied()
}

/// Classifies a name by its words.
fn general(words: &Words) -> Option<KeyHint> {
    let mut position = words.len().checked_sub(1)?;
    while position > 0 && (words.get(position).is_empty() || NEUTRAL.contains(words.get(position))) {
        position -= 1;
    }
    if ABOUT.contains(words.get(words.len() - 1)) {
        return None;
    }
    if let Some(key) = noun(words, position) {
        return Some(key);
    }
    if ABOUT.contains(words.get(position)) {
        return None;
    }
    // The relevant word may come earlier, as in `TOKEN_GITHUB`.
    let earlier = (0..position).rev().find_map(|index| noun(words, index))?;
    (earlier.rule != ValueRule::Collection).then_some(KeyHint { rule: ValueRule::Likely, ..earlier })
}

/// Classifies a name by the word at `index`.
fn noun(words: &Words, index: usize) -> Option<KeyHint> {
    let word = words.get(index);
    let before = index.checked_sub(1).map_or("", |before| words.get(before));
    let has = |other: &str| words.iter().any(|word| word == other);
    match word {
        "pass" | "pw" if before.is_empty() => Some(KeyHint::likely(SecretKind::Password)),
        "pass" | "pw" => Some(KeyHint::sure(SecretKind::Password)),
        "token" if MARKS.contains(before) => None,
        "token" if has("aws") || has("amz") => Some(KeyHint::sure(SecretKind::AwsSessionToken)),
        "secret" if has("azure") && !NAMED.contains(before) => Some(KeyHint::sure(SecretKind::AzureKey)),
        "secret" if has("aws") => Some(KeyHint::sure(SecretKind::AwsSecretKey)),
        "secret" if before.is_empty() || NAMED.contains(before) => {
            Some(KeyHint::likely(SecretKind::SecretKey))
        }
        "secret" => Some(KeyHint::sure(SecretKind::SecretKey)),
        "secrets" => Some(KeyHint { kind: SecretKind::SecretKey, rule: ValueRule::Collection }),
        "tokens" => Some(KeyHint { kind: SecretKind::Token, rule: ValueRule::Collection }),
        "passwords" => Some(KeyHint { kind: SecretKind::Password, rule: ValueRule::Collection }),
        "keys" => key(words, before).map(|key| KeyHint { rule: ValueRule::Collection, ..key }),
        "key" => key(words, before),
        "passe" => Some(KeyHint::sure(SecretKind::Password)),
        "credentials" | "creds" => Some(KeyHint::likely(SecretKind::Password)),
        "jwt" | "bearer" | "pat" => Some(KeyHint::likely(SecretKind::Token)),
        "psk" => Some(KeyHint::sure(SecretKind::SecretKey)),
        _ => joined(word),
    }
}

fn key(words: &Words, before: &str) -> Option<KeyHint> {
    let has = |other: &str| words.iter().any(|word| word == other);
    if has("secret") && (has("access") || has("aws")) {
        return Some(KeyHint::sure(SecretKind::AwsSecretKey));
    }
    if has("public") || has("publishable") || has("primary") && !has("connection") || before.is_empty() {
        return None;
    }
    if before == "access" && has("shared") {
        return Some(KeyHint::sure(SecretKind::AzureKey));
    }
    let is = |word: &str| before == word || (word.len() >= 6 || word == "api") && before.ends_with(word);
    let known = KEYS.iter().find(|(words, _)| words.split(' ').any(is)).map(|(_, kind)| KeyHint::sure(*kind));
    known.or_else(|| LIKELY.contains(before).then_some(KeyHint::likely(SecretKind::ApiKey)))
}

fn joined(word: &str) -> Option<KeyHint> {
    let passes = ["bypass", "compass", "encompass", "surpass", "trespass", "overpass", "underpass"];
    if word.ends_with("pass") && !passes.contains(&word) {
        return Some(KeyHint::sure(SecretKind::Password));
    }
    JOINED.iter().find(|(end, _)| word.ends_with(end)).map(|(_, kind)| KeyHint::sure(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_names_of_secrets_from_names_about_secrets() {
        let kind = |name: &str| KeyHint::of(name.as_bytes()).map(|key| key.kind);
        assert_eq!(kind("DB_PASSWORD"), Some(SecretKind::Password));
        assert_eq!(kind("--api-key"), Some(SecretKind::ApiKey));
        assert_eq!(kind("AWS_SECRET_ACCESS_KEY"), Some(SecretKind::AwsSecretKey));
        assert_eq!(kind("PGPASSWORD"), Some(SecretKind::Password));
        assert_eq!(kind("authToken"), Some(SecretKind::Token));
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
