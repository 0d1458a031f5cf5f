//! The rule on the queue: a worker renews a lease before it expires.
//!
//! Limits of single values are part of the type.

use super::RuleContext;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let queue = &context.file.queue;
    if queue.heartbeat_interval.duration() < queue.lease() {
        return;
    }
    let path = Path::default().key("queue");
    let (lease, heartbeat) = (path.key("lease_duration"), path.key("heartbeat_interval"));
    if context.locations.is_invalid(&heartbeat) {
        return;
    }
    if context.locations.is_written(&heartbeat) {
        let shown = context.locations.shown(&lease).to_owned();
        context.error(
            &heartbeat,
            format!("the heartbeat interval must be shorter than `lease_duration`, which is {shown}"),
        );
    } else {
        let heartbeat = queue.heartbeat_interval;
        context.error(
            &lease,
            format!("the lease must be longer than `heartbeat_interval`, which is {heartbeat}"),
        );
    }
}
