//! Kinds of secrets: their names, their groups, and which kinds include others.
//!
//! The names are used in configuration files and in placeholders. Detection is elsewhere.

/// A built-in kind of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SecretKind {
    /// `anthropic_key`: keys of Anthropic.
    AnthropicKey,
    /// `api_key`: values of names like `api_key`, and keys of vendors without their own kind.
    ApiKey,
    /// `aws_access_key`: the id of an AWS access key.
    AwsAccessKey,
    /// `aws_secret_key`: the secret half of an AWS access key.
    AwsSecretKey,
    /// `aws_session_token`: the third part of temporary AWS credentials.
    AwsSessionToken,
    /// `azure_key`: account keys, shared access signatures and client secrets of Azure.
    AzureKey,
    /// `base64_secret`: Base64 values of file names that are usual in Secrets, outside of a Secret.
    Base64Secret,
    /// `base64_short`: like `base64_secret`, shorter than 16 characters.
    Base64Short,
    /// `certificate`: PEM certificates, also Base64-encoded.
    Certificate,
    /// `certificate_authority_data`: certificates in kubeconfigs and webhooks.
    CertificateAuthorityData,
    /// `connection_string`: the password in the URL of a database or broker.
    ConnectionString,
    /// `email`: e-mail addresses.
    Email,
    /// `gcp_key`: API keys, access tokens and client secrets of Google.
    GcpKey,
    /// `github_token`: tokens of GitHub.
    GithubToken,
    /// `gitlab_token`: tokens of GitLab.
    GitlabToken,
    /// `jwt`: JSON Web Tokens.
    Jwt,
    /// `kubernetes_secret`: the values of Kubernetes Secrets.
    KubernetesSecret,
    /// `npm_token`: tokens of npm.
    NpmToken,
    /// `openai_key`: keys of OpenAI.
    OpenaiKey,
    /// `password`: values of names like `password`.
    Password,
    /// `private_key`: private keys in PEM and other armor.
    PrivateKey,
    /// `pypi_token`: tokens of PyPI.
    PypiToken,
    /// `secret_key`: values of names like `client_secret` or `encryption_key`.
    SecretKey,
    /// `slack_token`: tokens and webhooks of Slack.
    SlackToken,
    /// `ssh_key`: SSH keys.
    SshKey,
    /// `stripe_key`: keys of Stripe.
    StripeKey,
    /// `token`: values of names like `token`, bearer tokens, cookies, signatures.
    Token,
    /// `url_credentials`: the password in a URL.
    UrlCredentials,
    /// `vault_token`: tokens of Vault.
    VaultToken,
}

use SecretKind::*;

/// For each kind in order: name, rank, and the specific kinds that it includes.
///
/// Selecting `token` selects GitHub's tokens too. If two detectors match the same text, the kind with the
/// higher rank wins; `certificate_authority_data` is a certificate with a more specific name.
const TABLE: [(SecretKind, &str, u8, &[SecretKind]); 29] = [
    (AnthropicKey, "anthropic_key", 2, &[]),
    (ApiKey, "api_key", 0, &[AnthropicKey, AzureKey, GcpKey, OpenaiKey, StripeKey]),
    (AwsAccessKey, "aws_access_key", 2, &[AwsSecretKey, AwsSessionToken]),
    (AwsSecretKey, "aws_secret_key", 2, &[]),
    (AwsSessionToken, "aws_session_token", 2, &[]),
    (AzureKey, "azure_key", 2, &[]),
    (Base64Secret, "base64_secret", 0, &[Base64Short]),
    (Base64Short, "base64_short", 0, &[]),
    (Certificate, "certificate", 2, &[CertificateAuthorityData]),
    (CertificateAuthorityData, "certificate_authority_data", 3, &[]),
    (ConnectionString, "connection_string", 2, &[]),
    (Email, "email", 1, &[]),
    (GcpKey, "gcp_key", 2, &[]),
    (GithubToken, "github_token", 2, &[]),
    (GitlabToken, "gitlab_token", 2, &[]),
    (Jwt, "jwt", 2, &[]),
    (KubernetesSecret, "kubernetes_secret", 4, &[]),
    (NpmToken, "npm_token", 2, &[]),
    (OpenaiKey, "openai_key", 2, &[]),
    (Password, "password", 0, &[ConnectionString, UrlCredentials]),
    (PrivateKey, "private_key", 2, &[SshKey]),
    (PypiToken, "pypi_token", 2, &[]),
    (SecretKey, "secret_key", 0, &[AwsSecretKey, AzureKey]),
    (SlackToken, "slack_token", 2, &[]),
    (SshKey, "ssh_key", 2, &[]),
    (StripeKey, "stripe_key", 2, &[]),
    (
        Token,
        "token",
        0,
        &[AwsSessionToken, GithubToken, GitlabToken, Jwt, NpmToken, PypiToken, SlackToken, VaultToken],
    ),
    (UrlCredentials, "url_credentials", 1, &[]),
    (VaultToken, "vault_token", 2, &[]),
];

/// All kinds, in the order of their names.
const KINDS: [SecretKind; TABLE.len()] = {
    let mut kinds = [ApiKey; TABLE.len()];
    let mut index = 0;
    while index < TABLE.len() {
        kinds[index] = TABLE[index].0;
        index += 1;
    }
    kinds
};

/// The names of all kinds in order: the patterns that a selection may name.
pub const PATTERNS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut index = 0;
    while index < TABLE.len() {
        names[index] = TABLE[index].1;
        index += 1;
    }
    names
};

/// The names of all groups.
pub const GROUPS: [&str; 6] = ["basic", "secrets", "security", "kubernetes", "cloud", "all"];

impl SecretKind {
    /// Returns the name that is used in configuration files and in placeholders.
    pub const fn as_str(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the kind with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns how specific the kind is.
    pub(crate) const fn rank(self) -> u8 {
        TABLE[self as usize].2
    }
}

/// Returns the kinds of a group, without those they include.
pub(crate) fn group(name: &str) -> Option<&'static [SecretKind]> {
    Some(match name {
        "basic" => &[ApiKey, Password],
        "secrets" => {
            &[ApiKey, AwsAccessKey, Base64Secret, KubernetesSecret, Password, PrivateKey, SecretKey, Token]
        }
        "security" => &[
            ApiKey,
            AwsAccessKey,
            Base64Secret,
            Certificate,
            Email,
            KubernetesSecret,
            Password,
            PrivateKey,
            SecretKey,
            Token,
        ],
        "kubernetes" => &[
            ApiKey,
            Base64Secret,
            CertificateAuthorityData,
            KubernetesSecret,
            Password,
            PrivateKey,
            SecretKey,
            Token,
        ],
        "cloud" => &[ApiKey, AwsAccessKey, AzureKey, GcpKey, Password, PrivateKey, SecretKey, Token],
        "all" => &KINDS,
        _ => return None,
    })
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SecretKinds(u64);

impl SecretKinds {
    /// Adds a kind and those it includes.
    pub(crate) fn add(&mut self, kind: SecretKind) {
        self.0 |= 1 << kind as u8;
        for included in TABLE[kind as usize].3 {
            self.0 |= 1 << *included as u8;
        }
    }

    /// Returns whether the set contains a kind.
    pub(crate) const fn has(self, kind: SecretKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Returns whether the set is empty.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_resolve_to_their_kind() {
        assert!(PATTERNS.is_sorted());
        assert!(KINDS.into_iter().enumerate().all(|(index, kind)| kind as usize == index));
        assert!(KINDS.into_iter().all(|kind| SecretKind::named(kind.as_str()) == Some(kind)));
    }

    #[test]
    fn every_group_has_kinds() {
        assert!(GROUPS.into_iter().all(|name| group(name).is_some_and(|kinds| !kinds.is_empty())));
        assert_eq!(group("none"), None);
    }
}
