//! The formats of vendors' tokens.

use super::{ByteRun, TokenPart, VendorToken};
use crate::bytes::Class;
use crate::bytes::Class::*;
use crate::kind::SecretKind::{self, *};

type Prefixes = &'static [&'static str];

const ANY: usize = usize::MAX;

const fn run(class: Class, min: usize, max: usize) -> TokenPart {
    TokenPart::Run(ByteRun { class, min, max })
}

const fn dot() -> TokenPart {
    TokenPart::Text(".")
}

const fn dash() -> TokenPart {
    TokenPart::Text("-")
}

/// Describes a token that starts with one of its prefixes.
const fn token(kind: SecretKind, prefixes: Prefixes, body: &'static [TokenPart]) -> VendorToken {
    VendorToken { kind, prefixes, before: None, body, keeps_prefix: false }
}

/// Describes a secret after a prefix that is not secret.
const fn behind(kind: SecretKind, prefixes: Prefixes, body: &'static [TokenPart]) -> VendorToken {
    VendorToken { kind, prefixes, before: None, body, keeps_prefix: true }
}

/// Describes a token with its marker in the middle: a run of one class precedes it.
const fn around(
    kind: SecretKind,
    before: (Class, usize, usize),
    prefixes: Prefixes,
    body: &'static [TokenPart],
) -> VendorToken {
    let (class, min, max) = before;
    VendorToken { kind, prefixes, before: Some(ByteRun { class, min, max }), body, keeps_prefix: false }
}

/// All formats, by kind.
pub(crate) const VENDORS: &[VendorToken] = &[
    token(AnthropicKey, &["sk-ant-"], &[run(Dashed, 24, ANY)]),
    behind(ApiKey, &[" key-", ":key-", "=key-"], &[run(Hex, 32, 32)]),
    around(ApiKey, (Hex, 32, 32), &["-us"], &[run(Digit, 1, 2)]),
    around(ApiKey, (Alnum, 14, 14), &[".atlasv1."], &[run(Dashed, 60, 70)]),
    token(
        ApiKey,
        &["1e-", "doe_v1_", "doo_v1_", "dop_v1_", "dor_v1_", "sk-or-v1-", "sntrya_", "sntryu_", "rootly_"],
        &[run(Hex, 64, 64)],
    ),
    around(ApiKey, (Digit, 8, 10), &[":AA"], &[run(Dashed, 33, 33)]),
    token(ApiKey, &["ABSK"], &[run(Base64, 100, ANY)]),
    token(ApiKey, &["AKCp"], &[run(Alnum, 60, 80)]),
    token(ApiKey, &["AKID"], &[run(Alnum, 32, 36)]),
    token(ApiKey, &["AQVN"], &[run(Dashed, 35, 38)]),
    token(ApiKey, &["ATATT3", "ATCTT3"], &[run(Bearer, 60, ANY)]),
    token(ApiKey, &["ATBB", "ico-", "cio"], &[run(Alnum, 32, 32)]),
    token(ApiKey, &["CCIPAT_", "pcsk_"], &[run(Word, 40, ANY)]),
    token(ApiKey, &["CFPAT-", "sha256~"], &[run(Dashed, 43, 43)]),
    token(ApiKey, &["CFPB-", "HRKU-"], &[run(Dashed, 36, ANY)]),
    token(ApiKey, &["CLOJARS_"], &[run(Lower, 60, 60)]),
    token(ApiKey, &["EAAA"], &[run(Dashed, 56, 64)]),
    token(ApiKey, &["EAAC"], &[run(Alnum, 80, ANY)]),
    token(ApiKey, &["EU01XX"], &[run(Hex, 34, 34)]),
    token(ApiKey, &["EZAK", "EZTK"], &[run(Alnum, 54, 54)]),
    token(
        ApiKey,
        &[
            "FLWSECK-",
            "access_token$production$",
            "access_token$sandbox$",
            "pscale_oauth_",
            "pscale_pw_",
            "pscale_tkn_",
        ],
        &[run(Name, 32, ANY)],
    ),
    token(ApiKey, &["FLWSECK_TEST-"], &[run(Name, 12, ANY)]),
    token(ApiKey, &["LIVE_", "sbp_"], &[run(Hex, 40, ANY)]),
    token(ApiKey, &["LTAI"], &[run(Alnum, 12, 26)]),
    token(ApiKey, &["NRAA-", "NRAK-"], &[run(Alnum, 27, 27)]),
    around(ApiKey, (Hex, 36, 36), &["NRAL"], &[]),
    token(ApiKey, &["NRII-"], &[run(Dashed, 32, 32)]),
    token(ApiKey, &["NRJS-"], &[run(Hex, 19, 19)]),
    token(ApiKey, &["PMAK-"], &[run(Hex, 24, 24), dash(), run(Hex, 34, 34)]),
    token(ApiKey, &["PMAT-"], &[run(Alnum, 26, 26)]),
    token(ApiKey, &["SCWM"], &[run(Upper, 16, 16)]),
    token(ApiKey, &["SG."], &[run(Dashed, 16, 24), dot(), run(Dashed, 39, 50)]),
    token(ApiKey, &["SSWS 00"], &[run(Dashed, 40, 40)]),
    token(ApiKey, &["YCAJE", "dckr_oat_", "dckr_pat_", "sb_secret_", "tskey-"], &[run(Dashed, 20, ANY)]),
    token(ApiKey, &["ZITADEL-", "cfat_", "cfut_", "tgp_v1_", "tk-us-"], &[run(Dashed, 40, ANY)]),
    token(ApiKey, &["aio_"], &[run(Alnum, 28, 28)]),
    token(ApiKey, &["amzn.mws.", "mob-", "sdk-", "waka_"], &[run(Dashed, 36, 36)]),
    behind(
        ApiKey,
        &["api.telegram.org/bot"],
        &[run(Digit, 8, 10), TokenPart::Text(":"), run(Dashed, 30, ANY)],
    ),
    token(ApiKey, &["api_org_"], &[run(Alnum, 34, 34)]),
    token(ApiKey, &["apify_api_", "lin_api_", "sk-kimi-"], &[run(Alnum, 32, ANY)]),
    token(ApiKey, &["authress_"], &[run(Name, 60, ANY)]),
    token(ApiKey, &["bedrock-api-key-", "fm1r_", "fm2_"], &[run(Base64, 60, ANY)]),
    token(
        ApiKey,
        &["bkua_", "e2b_", "pul-", "shippo_live_", "shippo_test_", "sqa_", "sqp_", "squ_"],
        &[run(Hex, 40, 40)],
    ),
    token(ApiKey, &["cmVmdGtu"], &[run(Base64, 48, ANY)]),
    token(ApiKey, &["csk-"], &[run(Lower, 40, ANY)]),
    token(ApiKey, &["da2-"], &[run(Lower, 26, 26)]),
    token(ApiKey, &["dapi", "dose"], &[run(Hex, 32, 32)]),
    token(ApiKey, &["ddapp_"], &[run(Alnum, 34, ANY)]),
    behind(
        ApiKey,
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[run(Digit, 16, 20), TokenPart::Text("/"), run(Dashed, 40, ANY)],
    ),
    token(
        ApiKey,
        &["dp.audit.", "dp.ct.", "dp.pt.", "dp.sa.", "dp.scim.", "ntn_", "phc_", "phx_", "pplx-", "vcp_"],
        &[run(Alnum, 40, ANY)],
    ),
    token(ApiKey, &["dp.st."], &[run(Name, 40, ANY)]),
    token(ApiKey, &["dt0c01."], &[run(Upper, 24, 24), dot(), run(Upper, 64, 64)]),
    token(ApiKey, &["dt0s01.", "dt0s16."], &[run(Upper, 8, 24), dot(), run(Upper, 64, 64)]),
    token(ApiKey, &["duffel_live_", "duffel_test_", "sq0csp-"], &[run(Dashed, 43, ANY)]),
    token(ApiKey, &["figd_", "fo1_", "sk-lf-"], &[run(Dashed, 32, ANY)]),
    token(ApiKey, &["fio-u-", "mfa.", "ops_eyJ"], &[run(Dashed, 60, ANY)]),
    token(ApiKey, &["flb_live_", "infracost_", "nrdp_"], &[run(Alnum, 20, ANY)]),
    token(ApiKey, &["fw_"], &[run(Alnum, 20, 30)]),
    token(ApiKey, &["glc_"], &[run(Base64, 32, ANY)]),
    token(ApiKey, &["glsa_"], &[run(Alnum, 32, 32), TokenPart::Text("_"), run(Hex, 8, 8)]),
    token(ApiKey, &["gsk_"], &[run(Alnum, 48, ANY)]),
    token(ApiKey, &["hf_"], &[run(Alnum, 32, 40)]),
    behind(ApiKey, &["hooks.zapier.com/hooks/catch/"], &[run(Path, 8, ANY)]),
    token(ApiKey, &["jina_", "nvapi-"], &[run(Dashed, 48, ANY)]),
    token(ApiKey, &["lin_oauth_", "shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], &[run(Hex, 32, ANY)]),
    token(ApiKey, &["lsv2_pt_", "lsv2_sk_"], &[run(Word, 32, ANY)]),
    behind(ApiKey, &["maker.ifttt.com/use/"], &[run(Dashed, 16, ANY)]),
    token(ApiKey, &["nfp_", "pnu_"], &[run(Alnum, 36, ANY)]),
    behind(ApiKey, &["outlook.office.com/webhook/", "webhook.office.com/webhookb2/"], &[run(Path, 40, ANY)]),
    token(ApiKey, &["oy2"], &[run(Lower, 43, 43)]),
    token(ApiKey, &["pdus+_"], &[run(Dashed, 16, ANY)]),
    token(ApiKey, &["r8_"], &[run(Alnum, 37, 37)]),
    token(ApiKey, &["rdme_"], &[run(Lower, 60, ANY)]),
    token(ApiKey, &["re_"], &[run(Alnum, 8, 8), TokenPart::Text("_"), run(Alnum, 20, 30)]),
    token(ApiKey, &["rnd_", "ubuntu_pro_"], &[run(Alnum, 24, ANY)]),
    token(ApiKey, &["rubygems_"], &[run(Hex, 48, 48)]),
    token(ApiKey, &["sgp_"], &[run(Hex, 16, 40)]),
    token(ApiKey, &["sl."], &[run(Dashed, 130, ANY)]),
    token(ApiKey, &["sntrys_"], &[run(Base64, 40, ANY)]),
    token(ApiKey, &["sq0atp-", "sq0idp-"], &[run(Dashed, 22, ANY)]),
    token(ApiKey, &["t1.9euelZ"], &[run(Dashed, 20, ANY), dot(), run(Dashed, 40, ANY)]),
    token(ApiKey, &["tfp_"], &[run(Bearer, 40, ANY)]),
    token(ApiKey, &["tly-"], &[run(Name, 24, ANY)]),
    token(ApiKey, &["tvly-", "whsk_"], &[run(Dashed, 24, ANY)]),
    token(ApiKey, &["v1.0-"], &[run(Hex, 24, 24), dash(), run(Hex, 146, 146)]),
    token(ApiKey, &["vercel_blob_rw_"], &[run(Word, 30, ANY)]),
    token(ApiKey, &["xai-"], &[run(Alnum, 70, ANY)]),
    token(ApiKey, &["xkeysib-", "xsmtpsib-"], &[run(Dashed, 64, ANY)]),
    token(AwsAccessKey, &["ABIA", "ACCA", "AKIA", "ASIA"], &[run(Upper, 16, 16)]),
    token(
        AwsSessionToken,
        &["FQoDYXdz", "FQoGZXIvYXdz", "FwoGZXIvYXdz", "IQoJb3JpZ2lu"],
        &[run(Base64, 80, ANY)],
    ),
    around(AzureKey, (Base64, 30, 60), &["+AMC"], &[run(Base64, 4, 12)]),
    around(AzureKey, (Base64, 60, 90), &["+ASt", "ACDb"], &[run(Base64, 4, 12)]),
    around(AzureKey, (Bearer, 3, 3), &["7Q~", "8Q~"], &[run(Bearer, 31, 34)]),
    around(AzureKey, (Alnum, 36, 48), &["AzSe"], &[run(Alnum, 4, 12)]),
    around(AzureKey, (Alnum, 44, 60), &["JQQJ99"], &[run(Alnum, 20, 32)]),
    token(GcpKey, &["1//0", "AQ.Ab", "4/0A"], &[run(Dashed, 40, ANY)]),
    token(GcpKey, &["AIza"], &[run(Dashed, 35, 35)]),
    token(GcpKey, &["GOCSPX-"], &[run(Dashed, 24, ANY)]),
    token(GcpKey, &["ya29.", "ya29.a0", "ya29.c."], &[run(Dashed, 20, ANY)]),
    token(GithubToken, &["gho_", "ghp_", "ghr_", "ghu_"], &[run(Alnum, 36, ANY)]),
    token(GithubToken, &["ghs_"], &[run(Bearer, 36, ANY)]),
    token(GithubToken, &["github_pat_"], &[run(Word, 40, ANY)]),
    token(GitlabToken, &["GR1348941"], &[run(Dashed, 20, ANY)]),
    behind(GitlabToken, &["_gitlab_session="], &[run(Alnum, 32, ANY)]),
    token(
        GitlabToken,
        &[
            "glagent-", "gldt-", "glffct-", "glft-", "glimt-", "gloas-", "glpat-", "glptt-", "glrt-",
            "glrtr-", "glsoat-", "glwt-",
        ],
        &[run(Name, 20, ANY)],
    ),
    token(GitlabToken, &["glcbt-"], &[run(Dashed, 16, ANY)]),
    token(NpmToken, &["npm_"], &[run(Alnum, 36, ANY)]),
    token(OpenaiKey, &["sk-"], &[run(Alnum, 32, ANY)]),
    token(OpenaiKey, &["sk-None-", "sk-admin-", "sk-proj-", "sk-svcacct-"], &[run(Dashed, 20, ANY)]),
    token(Password, &["$1$"], &[run(Bearer, 1, 16), TokenPart::Text("$"), run(Bearer, 22, ANY)]),
    token(
        Password,
        &["$2a$", "$2b$", "$2y$"],
        &[run(Digit, 2, 2), TokenPart::Text("$"), run(Bearer, 53, 53)],
    ),
    token(Password, &["$5$"], &[run(Bearer, 1, 16), TokenPart::Text("$"), run(Bearer, 43, 43)]),
    token(Password, &["$6$"], &[run(Bearer, 1, 16), TokenPart::Text("$"), run(Bearer, 86, 86)]),
    token(Password, &["$apr1$"], &[run(Bearer, 1, 16), TokenPart::Text("$"), run(Bearer, 22, 22)]),
    token(
        Password,
        &["$y$"],
        &[
            run(Bearer, 1, 16),
            TokenPart::Text("$"),
            run(Bearer, 1, 64),
            TokenPart::Text("$"),
            run(Bearer, 22, ANY),
        ],
    ),
    token(PrivateKey, &["AGE-PLUGIN-"], &[run(Name, 40, ANY)]),
    token(PrivateKey, &["AGE-SECRET-KEY-1"], &[run(Upper, 40, ANY)]),
    token(PypiToken, &["pypi-"], &[run(Dashed, 85, ANY)]),
    token(PypiToken, &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"], &[run(Dashed, 50, ANY)]),
    behind(
        SlackToken,
        &[
            "hooks.slack-gov.com/services/",
            "hooks.slack.com/services/",
            "hooks.slack.com/triggers/",
            "hooks.slack.com/workflows/",
        ],
        &[run(Path, 20, ANY)],
    ),
    token(
        SlackToken,
        &[
            "xapp-",
            "xoxa-",
            "xoxb-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxe.xoxb-",
            "xoxe.xoxp-",
            "xoxo-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
        ],
        &[run(Bearer, 20, ANY)],
    ),
    token(
        SshKey,
        &[
            "AAAAB3NzaC1kc3M",
            "AAAAB3NzaC1yc2E",
            "AAAAC3NzaC1lZDI1NTE5",
            "AAAAE2VjZHNhLXNoYTIt",
            "AAAAGnNrLXNzaC1lZDI1NTE5",
            "AAAAInNrLWVjZHNhLXNoYTIt",
        ],
        &[run(Base64, 30, ANY)],
    ),
    token(
        StripeKey,
        &["rk_live_", "rk_test_", "sk_live_", "sk_org_", "sk_prod_", "sk_test_"],
        &[run(Word, 16, ANY)],
    ),
    token(StripeKey, &["whsec_"], &[run(Base64, 24, ANY)]),
    token(
        Token,
        &["kubeconfig-u-", "kubeconfig-user-"],
        &[run(Lower, 5, 10), TokenPart::Text(":"), run(Lower, 54, 54)],
    ),
    // Tokens of TARSy itself.
    token(Token, &["tarsy_"], &[run(Hex, 64, 64)]),
    token(VaultToken, &["hvb.", "hvr.", "hvs."], &[run(Dashed, 24, ANY)]),
];
