//! Selection of maskers, and consistent placeholders within a session.

use std::fs;
use std::sync::Arc;

use tarsy_config::{Config, Environment};
use tarsy_domain::SessionId;
use tarsy_engine::{Maskers, SessionMask};
use tarsy_masking::Ledger;

const TARSY: &str = r#"
defaults: { alert_masking: { pattern_group: basic } }
mcp_servers:
  default: { transport: { type: stdio, command: a } }
  open: { transport: { type: stdio, command: a }, data_masking: { enabled: false } }
  mails:
    transport: { type: stdio, command: a }
    data_masking: { patterns: [email] }
  own:
    transport: { type: stdio, command: a }
    data_masking:
      custom_patterns: [{ name: ticket, pattern: 'TICKET-(\d)\d+', replacement: 'TICKET-${1}…' }]
"#;
const TEXT: &str = "password=hunter2-9f from ops@example.com about TICKET-4711";

fn maskers(tarsy: &str) -> Arc<Maskers> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tarsy.yaml"), tarsy).unwrap();
    let config = Config::load(Some(folder.path()), &Environment::default()).unwrap().config;
    Arc::new(Maskers::new(&config).unwrap())
}

#[test]
fn each_server_has_its_own_masking_with_a_default() {
    let maskers = maskers(TARSY);
    let masked = |server: &str| maskers.mask_server(server, TEXT.to_owned(), &mut Ledger::without_numbers());
    assert_eq!(masked("default"), "password=[MASKED:password] from [MASKED:email] about TICKET-4711");
    assert_eq!(masked("open"), TEXT);
    assert_eq!(masked("mails"), "password=hunter2-9f from [MASKED:email] about TICKET-4711");
    assert_eq!(masked("own"), "password=[MASKED:password] from [MASKED:email] about TICKET-4…");
    assert_eq!(masked("unknown"), masked("default"));
}

#[test]
fn the_defaults_configure_the_masking_of_alerts() {
    let mask = |tarsy| SessionMask::new(maskers(tarsy), SessionId::new()).mask_alert(TEXT);
    assert_eq!(mask(TARSY), "password=[MASKED:password#1] from ops@example.com about TICKET-4711");
    assert_eq!(mask("defaults: { alert_masking: { enabled: false } }"), TEXT);
    assert_eq!(mask(""), "password=[MASKED:password#1] from [MASKED:email#1] about TICKET-4711");
}

#[test]
fn placeholders_are_stable_across_executions_and_resumes() {
    let (maskers, session) = (maskers(""), SessionId::new());
    let mask = SessionMask::new(Arc::clone(&maskers), session);
    mask.mask_alert("password=first-value-1");
    let other_execution = mask.clone();
    assert_eq!(other_execution.mask_alert("password=second-value-2"), "password=[MASKED:password#2]");
    let resumed = SessionMask::resume(maskers, session, &mask.record());
    assert_eq!(resumed.mask_alert("pwd=second-value-2"), "pwd=[MASKED:password#2]");
    assert_eq!(resumed.mask_alert("pwd=third-value-3"), "pwd=[MASKED:password#3]");
    assert_eq!(format!("{resumed:?}"), "SessionMask { values: 3, .. }");
}
