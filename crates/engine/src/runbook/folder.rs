//! Runbooks in a folder on this machine. Blocking; callers run it on a thread for blocking work.
//!
//! Nothing outside of the folder is read: paths with `..` are rejected, and links that lead out of it are not
//! followed. Files and folders whose name starts with a dot are neither listed nor read.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::catalog::{FoundFiles, RunbookFile};
use super::fault::RunbookFault;
use super::repository::{FOLDER_SCHEME, heading, is_markdown, title_of_name};

/// Maximum depth of folders in folders.
const MAX_DEPTH: usize = 8;
/// Maximum number of entries that are visited.
const MAX_ENTRIES: usize = 20_000;
/// Number of bytes at the beginning of a file in which its title is searched.
const TITLE_BYTES: u64 = 4096;
/// Maximum size of a runbook.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns the Markdown files of a folder and of the folders in it, at most `limit`.
pub(super) fn list(folder: &Path, limit: usize) -> Result<FoundFiles, RunbookFault> {
    let root = folder.canonicalize().map_err(|error| RunbookFault::Unreadable(error.to_string()))?;
    let mut waiting = vec![(root.clone(), 0)];
    let mut files = Vec::new();
    let mut visited = 0;
    while let Some((current, depth)) = waiting.pop() {
        let entries = match sorted_entries(&current) {
            Ok(entries) => entries,
            Err(fault) if depth == 0 => return Err(fault),
            // A folder without permission hides its own files only.
            Err(_) => continue,
        };
        for entry in entries {
            visited += 1;
            if visited > MAX_ENTRIES || files.len() >= limit {
                return Ok(FoundFiles { files, truncated: true });
            }
            match kind_of(&root, &entry) {
                FolderEntryKind::Folder if depth < MAX_DEPTH => waiting.push((entry.path(), depth + 1)),
                FolderEntryKind::File => files.extend(runbook_file(&root, &entry.path())),
                FolderEntryKind::Folder | FolderEntryKind::Other => {}
            }
        }
    }
    Ok(FoundFiles { files, truncated: false })
}

/// The kind of an entry of a folder.
enum FolderEntryKind {
    File,
    Folder,
    Other,
}

/// Returns the kind of an entry. A link to a file in the folder is a file: Kubernetes mounts ConfigMaps as links.
/// Links to folders are not followed.
fn kind_of(root: &Path, entry: &DirEntry) -> FolderEntryKind {
    let Ok(kind) = entry.file_type() else { return FolderEntryKind::Other };
    if is_hidden(&entry.file_name()) {
        FolderEntryKind::Other
    } else if kind.is_dir() {
        FolderEntryKind::Folder
    } else if kind.is_file() || (kind.is_symlink() && is_file_in(root, &entry.path())) {
        FolderEntryKind::File
    } else {
        FolderEntryKind::Other
    }
}

/// Returns whether a path leads to a file in the folder. A named pipe is not one: to open it blocks the thread.
fn is_file_in(root: &Path, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|file| file.starts_with(root) && file.is_file())
}

/// Returns whether a file or folder is neither listed nor read.
fn is_hidden(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

/// Returns the entries of a folder by name, so that the list is the same each time it is truncated.
fn sorted_entries(folder: &Path) -> Result<Vec<DirEntry>, RunbookFault> {
    let unreadable = |error: std::io::Error| RunbookFault::Unreadable(error.to_string());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

fn runbook_file(folder: &Path, file: &Path) -> Option<RunbookFile> {
    let path = file.strip_prefix(folder).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    if !is_markdown(&path) {
        return None;
    }
    let title = beginning(file).as_deref().and_then(heading).unwrap_or_else(|| title_of_name(&path));
    Some(RunbookFile { title, url: format!("{FOLDER_SCHEME}{path}"), path })
}

fn beginning(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(TITLE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the text of a listed file. `path` is relative to the folder.
pub(super) fn read(folder: &Path, path: &str) -> Result<String, RunbookFault> {
    let is_plain = Path::new(path).components().all(|part| match part {
        Component::Normal(name) => !is_hidden(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => false,
    });
    if !is_plain || !is_markdown(path) {
        return Err(RunbookFault::NotInFolder);
    }
    let unreadable = |error: std::io::Error| RunbookFault::Unreadable(error.to_string());
    let folder: PathBuf = folder.canonicalize().map_err(unreadable)?;
    let file = folder.join(path).canonicalize().map_err(unreadable)?;
    if !is_file_in(&folder, &file) {
        return Err(RunbookFault::NotInFolder);
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(RunbookFault::Large(usize::try_from(MAX_BYTES).unwrap_or(usize::MAX)));
    }
    super::fetch::text_of("", bytes)
}
