//! One walk over a text that stops at needles and has each judged by the family it belongs to.
//!
//! Which needles there are depends on the selection. Kubernetes Secrets are not found here.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use crate::bytes::Runs;
use crate::kind::{Kind, Kinds};
use crate::pair::{self, Pair};
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
    /// `@`
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
    (&["eyJ", "ewog"], Rule::WebToken, &[Kind::Jwt]),
    (pem::ARMOUR, Rule::Armour, &[Kind::Certificate, Kind::PrivateKey, Kind::SshKey]),
    (pem::ENCODED, Rule::EncodedArmour, &[Kind::Certificate, Kind::PrivateKey, Kind::SshKey]),
    (&["://"], Rule::Address, &[Kind::UrlCredentials, Kind::ConnectionString]),
    (&["@"], Rule::At, &[Kind::Email]),
];

impl Scanner {
    /// A scanner for some kinds.
    pub(crate) fn new(kinds: Kinds) -> Result<Self, BuildError> {
        let mut needles = Vec::new();
        let mut rules = Vec::new();
        for vendor in VENDORS.iter().filter(|vendor| kinds.has(vendor.kind)) {
            needles.push(vendor.prefix);
            rules.push(Rule::Vendor(vendor));
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

    /// Finds all spans of a text.
    pub(crate) fn scan(&self, text: &[u8], spans: &mut Vec<Span>) {
        let mut scan = Scan { text, kinds: self.kinds, runs: Runs::new(text), spans };
        let mut from = 0;
        while let Some((rule, start, end)) = self.hit(text, from) {
            let next = match rule {
                Rule::Word => self.pair(&mut scan, start, end),
                Rule::Vendor(_)
                | Rule::Scheme
                | Rule::WebToken
                | Rule::Armour
                | Rule::EncodedArmour
                | Rule::Address
                | Rule::At
                | Rule::Command => {
                    let span = judge(rule, text, (start, end), &mut scan.runs);
                    scan.one(span)
                }
            };
            from = next.unwrap_or(end).max(end);
        }
    }

    fn hit(&self, text: &[u8], from: usize) -> Option<(Rule, usize, usize)> {
        let found = self.needles.find(Input::new(text).range(from.min(text.len())..))?;
        Some((*self.rules.get(found.pattern().as_usize())?, found.start(), found.end()))
    }

    /// A key and its value. If all of the value is something that has a better name, it gets that.
    fn pair(&self, scan: &mut Scan<'_, '_>, start: usize, end: usize) -> Option<usize> {
        let mut last = None;
        for span in Pair::find(scan.text, start, end)? {
            if let Some(mut span) = scan.wanted(span) {
                span.kind = self.better_kind(scan, span);
                last = Some(span.end);
                scan.spans.push(span);
            }
        }
        last
    }

    fn better_kind(&self, scan: &mut Scan<'_, '_>, span: Span) -> Kind {
        let Some((rule, start, end)) = self.hit(scan.text, span.start).filter(|hit| hit.1 == span.start)
        else {
            return span.kind;
        };
        let found = match rule {
            Rule::Word | Rule::Scheme | Rule::Command | Rule::Armour | Rule::Address | Rule::At => None,
            Rule::Vendor(_) | Rule::WebToken | Rule::EncodedArmour => {
                judge(rule, scan.text, (start, end), &mut scan.runs)
            }
        };
        found
            .filter(|found| found.start == span.start && found.end == span.end && scan.kinds.has(found.kind))
            .filter(|found| found.kind.rank() > span.kind.rank())
            .map_or(span.kind, |found| found.kind)
    }
}

/// Has a hit judged by its family. A name and its value are more than one span and judged elsewhere.
fn judge(rule: Rule, text: &[u8], (start, end): (usize, usize), runs: &mut Runs<'_>) -> Option<Span> {
    match rule {
        Rule::Word => None,
        Rule::Vendor(vendor) => vendor.find(text, start, runs),
        Rule::Scheme => pair::credential(text, start, end),
        Rule::Command => pair::argument(text, start, end),
        Rule::WebToken => web_token::find(text, start, runs),
        Rule::Armour => pem::find(text, start),
        Rule::EncodedArmour => pem::find_encoded(text, start, runs),
        Rule::Address => url::find(text, start),
        Rule::At => email::find(text, start),
    }
}

/// What a walk carries along.
struct Scan<'t, 's> {
    text: &'t [u8],
    kinds: Kinds,
    runs: Runs<'t>,
    spans: &'s mut Vec<Span>,
}

impl Scan<'_, '_> {
    /// Takes in a span, if there is one of a kind that is wanted, and says where to go on.
    fn one(&mut self, span: Option<Span>) -> Option<usize> {
        let span = self.wanted(span?)?;
        self.spans.push(span);
        Some(span.end)
    }

    fn wanted(&self, span: Span) -> Option<Span> {
        self.kinds.has(span.kind).then_some(span)
    }
}
