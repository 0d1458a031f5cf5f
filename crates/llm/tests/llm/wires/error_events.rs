//! Error events inside a stream.

use tarsy_domain::ModelFailureKind;

use super::WIRES;

#[tokio::test]
async fn an_error_event_is_an_error_whatever_its_data() {
    for wire in WIRES {
        for data in ["upstream connect error", r#"{"message":"upstream connect error"}"#] {
            let body = wire.texts(&["Half"]) + "event: error\ndata: " + data + "\n\n";
            let failure = wire.read(body.as_bytes()).await.unwrap_err().failure;
            assert_eq!(failure.kind, ModelFailureKind::Overloaded, "{wire:?} {data}: {failure}");
            assert!(failure.message.contains("upstream connect error"), "{wire:?}: {failure}");
            assert_eq!(failure.partial_text, "Half");
        }
    }
}
