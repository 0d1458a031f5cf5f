//! Kinds of secrets: their names, which groups they belong to, and which kinds bring others along.
//!
//! The names are what a configuration file says and what a placeholder shows. How a kind is found is not here.

/// A kind of secret that is found without being described by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// `anthropic_key`: keys of Anthropic.
    AnthropicKey,
    /// `api_key`: values behind a key like `api_key`, and keys of vendors that have no kind of their own.
    ApiKey,
    /// `aws_access_key`: the id of an AWS access key.
    AwsAccessKey,
    /// `aws_secret_key`: the secret half of an AWS access key.
    AwsSecretKey,
    /// `aws_session_token`: the third part of temporary AWS credentials.
    AwsSessionToken,
    /// `azure_key`: account keys, shared access signatures and client secrets of Azure.
    AzureKey,
    /// `base64_secret`: Base64 behind the usual file names in Secrets, where no Secret is around it.
    Base64Secret,
    /// `base64_short`: the same, shorter than 16 characters.
    Base64Short,
    /// `certificate`: certificates in PEM, also as Base64.
    Certificate,
    /// `certificate_authority_data`: certificates in kubeconfigs and webhooks.
    CertificateAuthorityData,
    /// `connection_string`: the password in the address of a database or broker.
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
    /// `password`: values behind a key like `password`.
    Password,
    /// `private_key`: private keys in PEM and other armour.
    PrivateKey,
    /// `pypi_token`: tokens of PyPI.
    PypiToken,
    /// `secret_key`: values behind a key like `client_secret` or `encryption_key`.
    SecretKey,
    /// `slack_token`: tokens and webhooks of Slack.
    SlackToken,
    /// `ssh_key`: SSH keys.
    SshKey,
    /// `stripe_key`: keys of Stripe.
    StripeKey,
    /// `token`: values behind a key like `token`, bearer tokens, cookies, signatures.
    Token,
    /// `url_credentials`: the password in a URL.
    UrlCredentials,
    /// `vault_token`: tokens of Vault.
    VaultToken,
}

use Kind::*;

/// Every kind, in the order of their names.
pub(crate) const KINDS: [Kind; 29] = [
    AnthropicKey,
    ApiKey,
    AwsAccessKey,
    AwsSecretKey,
    AwsSessionToken,
    AzureKey,
    Base64Secret,
    Base64Short,
    Certificate,
    CertificateAuthorityData,
    ConnectionString,
    Email,
    GcpKey,
    GithubToken,
    GitlabToken,
    Jwt,
    KubernetesSecret,
    NpmToken,
    OpenaiKey,
    Password,
    PrivateKey,
    PypiToken,
    SecretKey,
    SlackToken,
    SshKey,
    StripeKey,
    Token,
    UrlCredentials,
    VaultToken,
];

/// The names of all kinds, in order: the single patterns that a selection may name.
pub const PATTERNS: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut index = 0;
    while index < KINDS.len() {
        names[index] = KINDS[index].as_str();
        index += 1;
    }
    names
};

/// The names of all groups.
pub const GROUPS: [&str; 6] = ["basic", "secrets", "security", "kubernetes", "cloud", "all"];

impl Kind {
    /// The name in a configuration file and in a placeholder.
    pub const fn as_str(self) -> &'static str {
        match self {
            AnthropicKey => "anthropic_key",
            ApiKey => "api_key",
            AwsAccessKey => "aws_access_key",
            AwsSecretKey => "aws_secret_key",
            AwsSessionToken => "aws_session_token",
            AzureKey => "azure_key",
            Base64Secret => "base64_secret",
            Base64Short => "base64_short",
            Certificate => "certificate",
            CertificateAuthorityData => "certificate_authority_data",
            ConnectionString => "connection_string",
            Email => "email",
            GcpKey => "gcp_key",
            GithubToken => "github_token",
            GitlabToken => "gitlab_token",
            Jwt => "jwt",
            KubernetesSecret => "kubernetes_secret",
            NpmToken => "npm_token",
            OpenaiKey => "openai_key",
            Password => "password",
            PrivateKey => "private_key",
            PypiToken => "pypi_token",
            SecretKey => "secret_key",
            SlackToken => "slack_token",
            SshKey => "ssh_key",
            StripeKey => "stripe_key",
            Token => "token",
            UrlCredentials => "url_credentials",
            VaultToken => "vault_token",
        }
    }

    /// The kind of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The particular kinds that a general one stands for: who asks for tokens asks for GitHub's too.
    fn brings(self) -> &'static [Kind] {
        match self {
            ApiKey => &[AnthropicKey, AzureKey, GcpKey, OpenaiKey, StripeKey],
            AwsAccessKey => &[AwsSecretKey, AwsSessionToken],
            Base64Secret => &[Base64Short],
            Certificate => &[CertificateAuthorityData],
            Password => &[ConnectionString, UrlCredentials],
            PrivateKey => &[SshKey],
            SecretKey => &[AwsSecretKey, AzureKey],
            Token => {
                &[AwsSessionToken, GithubToken, GitlabToken, Jwt, NpmToken, PypiToken, SlackToken, VaultToken]
            }
            AnthropicKey
            | AwsSecretKey
            | AwsSessionToken
            | AzureKey
            | Base64Short
            | CertificateAuthorityData
            | ConnectionString
            | Email
            | GcpKey
            | GithubToken
            | GitlabToken
            | Jwt
            | KubernetesSecret
            | NpmToken
            | OpenaiKey
            | PypiToken
            | SlackToken
            | SshKey
            | StripeKey
            | UrlCredentials
            | VaultToken => &[],
        }
    }

    /// How much a kind says about a value. Of two families that claim the same text, the higher wins.
    pub(crate) const fn rank(self) -> u8 {
        match self {
            KubernetesSecret => 4,
            // A certificate too, but with a better name.
            CertificateAuthorityData => 3,
            Password | Token | ApiKey | SecretKey | Base64Secret | Base64Short => 0,
            Email | UrlCredentials => 1,
            AnthropicKey | AwsAccessKey | AwsSecretKey | AwsSessionToken | AzureKey | Certificate
            | ConnectionString | GcpKey | GithubToken | GitlabToken | Jwt | NpmToken | OpenaiKey
            | PrivateKey | PypiToken | SlackToken | SshKey | StripeKey | VaultToken => 2,
        }
    }
}

/// The kinds of a group, without those they bring along.
pub(crate) fn group(name: &str) -> Option<&'static [Kind]> {
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
pub(crate) struct Kinds(u64);

impl Kinds {
    /// Takes a kind in, with those it brings along.
    pub(crate) fn add(&mut self, kind: Kind) {
        self.0 |= 1 << kind as u8;
        for brought in kind.brings() {
            self.0 |= 1 << *brought as u8;
        }
    }

    /// Whether a kind is in the set.
    pub(crate) const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Whether no kind is in the set.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_find_their_kind() {
        assert!(PATTERNS.is_sorted());
        assert!(KINDS.into_iter().all(|kind| Kind::named(kind.as_str()) == Some(kind)));
    }

    #[test]
    fn every_group_has_kinds() {
        assert!(GROUPS.into_iter().all(|name| group(name).is_some_and(|kinds| !kinds.is_empty())));
        assert_eq!(group("none"), None);
    }
}
