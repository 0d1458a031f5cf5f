//! Scans a text once for needles and passes each hit to the detector it belongs to.
//!
//! The set of needles depends on the selection. Kubernetes Secrets are not detected here.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use crate::bytes::Runs;
use crate::embedded::Embedded;
use crate::kind::{SecretKind, SecretKinds};
use crate::pair;
use crate::span::Span;
use crate::vendor::{VENDORS, VendorToken};
use crate::{email, pem, url, web_token};

/// Finds secrets that are marked by a needle.
#[derive(Debug)]
pub(crate) struct Scanner {
    needles: AhoCorasick,
    /// The rule of each needle.
    rules: Vec<Rule>,
    kinds: SecretKinds,
}

/// The detector of a needle.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// Prefix of a vendor's tokens.
    Vendor(&'static VendorToken),
    /// Word in the names of settings with secrets.
    Word,
    /// `Bearer ` and `Basic `.
    Scheme,
    /// `eyJ`: `{"` in Base64.
    WebToken,
    /// `-----BEGIN ` and similar.
    Armor,
    /// Armor in Base64.
    EncodedArmor,
    /// `://`
    Address,
    /// `@tcp(`
    Host,
    /// `jdbc:oracle:thin:`
    Login,
    /// `@` and `%40`.
    At,
    /// Commands with password arguments: `curl -u`, `mysql -p`.
    Command,
}

const KEYED: [SecretKind; 13] = [
    SecretKind::ApiKey,
    SecretKind::AwsSecretKey,
    SecretKind::AwsSessionToken,
    SecretKind::AzureKey,
    SecretKind::Base64Secret,
    SecretKind::Base64Short,
    SecretKind::Certificate,
    SecretKind::CertificateAuthorityData,
    SecretKind::Password,
    SecretKind::PrivateKey,
    SecretKind::SecretKey,
    SecretKind::SshKey,
    SecretKind::Token,
];

/// Needles other than vendors' prefixes, with the kinds they are needed for.
const NEEDLES: &[(&[&str], Rule, &[SecretKind])] = &[
    (pair::WORDS, Rule::Word, &KEYED),
    (pair::SCHEMES, Rule::Scheme, &[SecretKind::Token, SecretKind::Password]),
    (pair::COMMANDS, Rule::Command, &[SecretKind::Password]),
    (&["eyJ"], Rule::WebToken, &[SecretKind::Jwt]),
    (pem::ARMOR, Rule::Armor, &[SecretKind::Certificate, SecretKind::PrivateKey, SecretKind::SshKey]),
    (
        pem::ENCODED,
        Rule::EncodedArmor,
        &[SecretKind::Certificate, SecretKind::PrivateKey, SecretKind::SshKey],
    ),
    (&["://"], Rule::Address, &[SecretKind::UrlCredentials, SecretKind::ConnectionString]),
    (url::HOSTS, Rule::Host, &[SecretKind::ConnectionString]),
    (url::LOGINS, Rule::Login, &[SecretKind::ConnectionString]),
    (email::SIGNS, Rule::At, &[SecretKind::Email]),
];

impl Scanner {
    /// Builds the automaton for the selected kinds.
    pub(crate) fn new(kinds: SecretKinds) -> Result<Self, BuildError> {
        let mut needles: Vec<&str> = Vec::new();
        let mut rules = Vec::new();
        for vendor in VENDORS.iter().filter(|vendor| kinds.has(vendor.kind)) {
            needles.extend(vendor.prefixes);
            rules.resize(needles.len(), Rule::Vendor(vendor));
        }
        for (words, rule, wanted) in NEEDLES {
            if wanted.iter().any(|kind| kinds.has(*kind)) {
                needles.extend(*words);
                rules.resize(needles.len(), *rule);
            }
        }
        let needles = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(needles)?;
        Ok(Self { needles, rules, kinds })
    }

    /// Finds all spans of a text, except in embedded strings.
    pub(crate) fn scan(&self, text: &[u8], embedded: &[Embedded], spans: &mut Vec<Span>) {
        let mut runs = Runs::new(text);
        let mut embedded = embedded.iter().peekable();
        let mut from = 0;
        while let Some((rule, start, end)) = self.hit(text, from) {
            while embedded.next_if(|piece| piece.end <= start).is_some() {}
            if let Some(piece) = embedded.next_if(|piece| piece.start <= start) {
                from = piece.end;
                continue;
            }
            let found = match rule {
                Rule::Word => pair::find(text, start, end).unwrap_or_default(),
                Rule::Vendor(_)
                | Rule::Scheme
                | Rule::WebToken
                | Rule::Armor
                | Rule::EncodedArmor
                | Rule::Address
                | Rule::Host
                | Rule::Login
                | Rule::At
                | Rule::Command => detect(rule, text, (start, end), &mut runs).into_iter().collect(),
            };
            // Words may start inside of these needles, as in ` -password`.
            from = if matches!(rule, Rule::Command | Rule::Vendor(_)) { start + 1 } else { end };
            for mut span in found.into_iter().filter(|span| self.kinds.has(span.kind)) {
                span.kind = self.specific_kind(rule, text, span, &mut runs);
                // The `@` after the password in a URL does not belong to an e-mail address.
                from = from.max(span.end + usize::from(matches!(rule, Rule::Address)));
                spans.push(span);
                if let Some(block) = self.block(text, span) {
                    from = from.max(block.end);
                    spans.push(block);
                }
            }
        }
    }

    fn hit(&self, text: &[u8], from: usize) -> Option<(Rule, usize, usize)> {
        let found = self.needles.find(Input::new(text).range(from.min(text.len())..))?;
        Some((*self.rules.get(found.pattern().as_usize())?, found.start(), found.end()))
    }

    /// Returns the armored block that a value starts with: it may be longer than the value.
    fn block(&self, text: &[u8], span: Span) -> Option<Span> {
        let (rule, start, _) = self.hit(text, span.start).filter(|(_, start, _)| *start == span.start)?;
        let block = if matches!(rule, Rule::Armor) { pem::find(text, start) } else { None };
        block.filter(|block| block.end > span.end)
    }

    /// Returns the kind of a span that was found by its context. If the whole span has a vendor's format,
    /// that is more specific.
    fn specific_kind(&self, rule: Rule, text: &[u8], span: Span, runs: &mut Runs<'_>) -> SecretKind {
        if !matches!(rule, Rule::Word | Rule::Scheme | Rule::Command | Rule::Address) {
            return span.kind;
        }
        let inside = self.hit(text, span.start).filter(|(_, start, _)| *start < span.end);
        let found = inside.and_then(|(rule, start, end)| match rule {
            Rule::Vendor(_) | Rule::WebToken | Rule::EncodedArmor => detect(rule, text, (start, end), runs),
            Rule::Word | Rule::Scheme | Rule::Command | Rule::Armor | Rule::Address => None,
            Rule::Host | Rule::Login | Rule::At => None,
        });
        found
            .filter(|found| (found.start, found.end) == (span.start, span.end) && self.kinds.has(found.kind))
            .filter(|found| found.kind.rank() >= span.kind.rank())
            .map_or(span.kind, |found| found.kind)
    }
}

/// Calls the detector of a hit. `Rule::Word` may find several spans and is handled by the caller.
fn detect(rule: Rule, text: &[u8], (start, end): (usize, usize), runs: &mut Runs<'_>) -> Option<Span> {
    match rule {
        Rule::Word => None,
        Rule::Vendor(vendor) => vendor.find(text, start, end, runs),
        Rule::Scheme => pair::credential(text, start, end),
        Rule::Command => pair::argument(text, start, end),
        Rule::WebToken => web_token::find(text, start, runs),
        Rule::Armor => pem::find(text, start),
        Rule::EncodedArmor => pem::find_encoded(text, start, runs),
        Rule::Address => url::find(text, start),
        Rule::Host => url::find_before(text, start),
        Rule::Login => url::find_login(text, end),
        Rule::At => email::find(text, start, end),
    }
}
