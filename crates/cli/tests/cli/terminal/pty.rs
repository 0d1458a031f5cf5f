//! A pseudoterminal.

use std::fs::File;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};

use nix::errno::Errno;
use nix::pty::{OpenptyResult, Winsize, openpty};

/// Runs a program on a pseudoterminal. Returns its output, control sequences included.
pub(crate) fn run_on_terminal(mut command: Command) -> (ExitStatus, String) {
    let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
    let OpenptyResult { master, slave } = openpty(Some(&size), None).unwrap();
    let end = || Stdio::from(slave.try_clone().unwrap());
    command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
    let mut child = command.spawn().unwrap();
    // Reading ends when all copies of the slave are closed, including those in the command.
    drop((slave, command));
    let mut shown = Vec::new();
    if let Err(error) = File::from(master).read_to_end(&mut shown) {
        // On Linux, reading from a closed terminal fails with EIO.
        assert_eq!(error.raw_os_error(), Some(Errno::EIO as i32), "{error}");
    }
    (child.wait().unwrap(), String::from_utf8_lossy(&shown).into_owned())
}
