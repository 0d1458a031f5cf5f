//! One walk over a text that stops at needles and has each judged by the family it belongs to.
//!
//! Which needles there are depends on the selection. Kubernetes Secrets are not found here.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use crate::bytes::Runs;
use crate::embedded::Embedded;
use crate::kind::{Kind, Kinds};
use crate::pair;
use crate::span::Span;
use crate::vendor::{VENDORS, Vendor};
use crate::{email, pem, url, web_token};

/// Finds what has a needle.
#[derive(Debug)]
pub(crate) struct Scanner {
    needles: AhoCorasick,
    /// Which rule each needle calls.
    rules: Vec<Rule>,
    kinds: Kinds,
}

/// Who judges a hit.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// A prefix of a vendor's tokens.
    Vendor(&'static Vendor),
    /// A word that names of settings with secrets have in them.
    Word,
    /// `Bearer ` and `Basic `.
    Scheme,
    /// `eyJ`, which is how `{"` looks in Base64.
    WebToken,
    /// `-----BEGIN ` and its like.
    Armour,
    /// The same in Base64.
    EncodedArmour,
    /// `://`
    Address,
    /// `@tcp(`
    Host,
    /// `jdbc:oracle:thin:`
    Login,
    /// `@` and `%40`.
    At,
    /// Commands that take passwords: `curl -u`, `mysql -p`.
    Command,
}

const KEYED: [Kind; 13] = [
    Kind::ApiKey,
    Kind::AwsSecretKey,
    Kind::AwsSessionToken,
    Kind::AzureKey,
    Kind::Base64Secret,
    Kind::Base64Short,
    Kind::Certificate,
    Kind::CertificateAuthorityData,
    Kind::Password,
    Kind::PrivateKey,
    Kind::SecretKey,
    Kind::SshKey,
    Kind::Token,
];

/// What is looked for besides vendors' prefixes, for which kinds.
const NEEDLES: &[(&[&str], Rule, &[Kind])] = &[
    (pair::WORDS, Rule::Word, &KEYED),
    (pair::SCHEMES, Rule::Scheme, &[Kind::Token, Kind::Password]),
    (pair::COMMANDS, Rule::Command, &[Kind::Password]),
    (&["eyJ"], Rule::WebToken, &[Kind::Jwt]),
    (pem::ARMOUR, Rule::Armour, &[Kind::Certificate, Kind::PrivateKey, Kind::SshKey]),
    (pem::ENCODED, Rule::EncodedArmour, &[Kind::Certificate, Kind::PrivateKey, Kind::SshKey]),
    (&["://"], Rule::Address, &[Kind::UrlCredentials, Kind::ConnectionString]),
    (url::HOSTS, Rule::Host, &[Kind::ConnectionString]),
    (url::LOGINS, Rule::Login, &[Kind::ConnectionString]),
    (email::SIGNS, Rule::At, &[Kind::Email]),
];

impl Scanner {
    /// A scanner for some kinds.
    pub(crate) fn new(kinds: Kinds) -> Result<Self, BuildError> {
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

    /// Finds all spans of a text, but for those in texts inside of it.
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
                | Rule::Armour
                | Rule::EncodedArmour
                | Rule::Address
                | Rule::Host
                | Rule::Login
                | Rule::At
                | Rule::Command => judge(rule, text, (start, end), &mut runs).into_iter().collect(),
            };
            // Words may begin inside of these needles, as in ` -password`.
            from = if matches!(rule, Rule::Command | Rule::Vendor(_)) { start + 1 } else { end };
            for mut span in found.into_iter().filter(|span| self.kinds.has(span.kind)) {
                span.kind = self.better_kind(rule, text, span, &mut runs);
                // The sign behind the password of an address is not that of an e-mail address.
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

    /// The armoured block that a value begins with: its end is not where the value seems to end.
    fn block(&self, text: &[u8], span: Span) -> Option<Span> {
        let (rule, start, _) = self.hit(text, span.start).filter(|(_, start, _)| *start == span.start)?;
        let block = if matches!(rule, Rule::Armour) { pem::find(text, start) } else { None };
        block.filter(|block| block.end > span.end)
    }

    /// The kind of what was found by what is around it. If all of it has a shape of its own, that says more.
    fn better_kind(&self, rule: Rule, text: &[u8], span: Span, runs: &mut Runs<'_>) -> Kind {
        if !matches!(rule, Rule::Word | Rule::Scheme | Rule::Command | Rule::Address) {
            return span.kind;
        }
        let inside = self.hit(text, span.start).filter(|(_, start, _)| *start < span.end);
        let found = inside.and_then(|(rule, start, end)| match rule {
            Rule::Vendor(_) | Rule::WebToken | Rule::EncodedArmour => judge(rule, text, (start, end), runs),
            Rule::Word | Rule::Scheme | Rule::Command | Rule::Armour | Rule::Address => None,
            Rule::Host | Rule::Login | Rule::At => None,
        });
        found
            .filter(|found| (found.start, found.end) == (span.start, span.end) && self.kinds.has(found.kind))
            .filter(|found| found.kind.rank() >= span.kind.rank())
            .map_or(span.kind, |found| found.kind)
    }
}

/// Has a hit judged by its family. A name and its value are more than one span and judged elsewhere.
fn judge(rule: Rule, text: &[u8], (start, end): (usize, usize), runs: &mut Runs<'_>) -> Option<Span> {
    match rule {
        Rule::Word => None,
        Rule::Vendor(vendor) => vendor.find(text, start, end, runs),
        Rule::Scheme => pair::credential(text, start, end),
        Rule::Command => pair::argument(text, start, end),
        Rule::WebToken => web_token::find(text, start, runs),
        Rule::Armour => pem::find(text, start),
        Rule::EncodedArmour => pem::find_encoded(text, start, runs),
        Rule::Address => url::find(text, start),
        Rule::Host => url::find_before(text, start),
        Rule::Login => url::find_login(text, end),
        Rule::At => email::find(text, start, end),
    }
}
