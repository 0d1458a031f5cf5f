//! The rule on the queue: a worker renews its claim before it runs out.
//!
//! Limits of single values are in the type.

use super::Check;
use crate::path::Path;

pub(super) fn check(check: &mut Check<'_>) {
    let queue = &check.file.queue;
    if queue.heartbeat_interval.duration() < queue.lease() {
        return;
    }
    let path = Path::default().key("queue");
    let (lease, heartbeat) = (path.key("lease_duration"), path.key("heartbeat_interval"));
    if check.places.is_faulty(&heartbeat) {
        return;
    }
    if check.places.is_written(&heartbeat) {
        let shown = check.places.shown(&lease).to_owned();
        check.fault(
            &heartbeat,
            format!("the heartbeat must be shorter than `lease_duration`, which is {shown}"),
        );
    } else {
        let heartbeat = queue.heartbeat_interval;
        check.fault(
            &lease,
            format!("the lease must be longer than `heartbeat_interval`, which is {heartbeat}"),
        );
    }
}
