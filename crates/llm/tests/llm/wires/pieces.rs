//! Recorded streams of the real APIs, if available. They are not part of the repository.

use std::fs;
use std::path::PathBuf;

use super::WIRES;

#[tokio::test]
async fn every_recorded_stream_is_decoded_equally_in_pieces_of_any_size() {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("TARSY_TEST_DATA").map_or_else(default, PathBuf::from);
    for wire in WIRES {
        let Ok(files) = fs::read_dir(data.join("wire").join(wire.folder())) else { continue };
        for path in files.map(|file| file.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "sse") {
                // The comparison is in `read`; a filtered reply is an error, but the same one each time.
                let _ = wire.read(&fs::read(&path).unwrap()).await;
            }
        }
    }
}
