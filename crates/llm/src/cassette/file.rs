//! Reads and writes cassette files.

use std::path::Path;
use std::{fs, io};

use tarsy_domain::Cassette;

use super::error::CassetteError;

/// Reads a cassette from a YAML or JSON file.
pub fn load_cassette(path: &Path) -> Result<Cassette, CassetteError> {
    let text = fs::read_to_string(path).map_err(|source| file_error(path, source))?;
    parse_cassette(&text)
        .map_err(|problem| CassetteError::Format { path: path.display().to_string(), problem })
}

/// Parses a cassette. The error states the problem and its position.
pub fn parse_cassette(text: &str) -> Result<Cassette, String> {
    let cassette = deserialize(text)?;
    cassette.check()?;
    Ok(cassette)
}

/// Writes a cassette to a YAML file atomically.
pub(super) fn save_cassette(cassette: &Cassette, path: &Path) -> Result<(), CassetteError> {
    let text =
        serde_saphyr::to_string(cassette).map_err(|error| file_error(path, io::Error::other(error)))?;
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, text)
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| file_error(path, source))
}

/// Tries JSON first: an exported session is JSON and may be large, and the YAML parser is slower and has
/// limits.
fn deserialize(text: &str) -> Result<Cassette, String> {
    let json = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten();
    json.map_or_else(|| serde_saphyr::from_str(text).map_err(|error| error.to_string()), Ok)
}

fn file_error(path: &Path, source: io::Error) -> CassetteError {
    CassetteError::File { path: path.display().to_string(), source }
}
