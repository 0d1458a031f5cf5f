//! The limit of the machine: bytes to another process or thread and back, without parsing.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;

/// Echoes all input.
pub(crate) fn serve_pipe() {
    copy(std::io::stdin().lock(), std::io::stdout().lock());
}

/// Returns the median time of a round trip through a process.
pub(crate) async fn over_pipe(size: usize) -> Duration {
    let measured = tokio::task::spawn_blocking(move || {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let mut child = command.arg("limit").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let median = exchange(size, child.stdin.take().unwrap(), child.stdout.take().unwrap());
        child.wait().unwrap();
        median
    });
    measured.await.unwrap()
}

/// Returns the median time of a round trip through a socket.
pub(crate) async fn over_socket(size: usize) -> Duration {
    let measured = tokio::task::spawn_blocking(move || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        client.set_nodelay(true).unwrap();
        server.set_nodelay(true).unwrap();
        std::thread::spawn(move || copy(server.try_clone().unwrap(), server));
        exchange(size, client.try_clone().unwrap(), client)
    });
    measured.await.unwrap()
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).is_err() || to.flush().is_err() {
            return;
        }
    }
}

/// Writes from a separate thread, so that a text larger than the pipe's buffer does not deadlock.
fn exchange(size: usize, mut to: impl Write + Send, mut from: impl Read) -> Duration {
    let (text, mut answer) = (vec![b'x'; size], vec![0; size]);
    let mut times: Vec<Duration> = Vec::with_capacity(ROUNDS);
    std::thread::scope(|scope| {
        let (go, start) = std::sync::mpsc::channel();
        scope.spawn(move || {
            while start.recv().is_ok() {
                to.write_all(&text).unwrap();
                to.flush().unwrap();
            }
        });
        for _ in 0..ROUNDS {
            let began = Instant::now();
            go.send(()).unwrap();
            from.read_exact(&mut answer).unwrap();
            times.push(began.elapsed());
        }
    });
    times.sort_unstable();
    times[ROUNDS / 2]
}
