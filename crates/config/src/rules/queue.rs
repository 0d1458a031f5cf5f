//! The rule on the queue: a worker renews its claim before it runs out.
//!
//! Limits of single values are in the type.

use super::RuleContext;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let queue = &context.file.queue;
    if queue.heartbeat_interval.duration() < queue.lease() {
        return;
    }
    let path = Path::default().key("queue");
    let (lease, heartbeat) = (path.key("lease_duration"), path.key("heartbeat_interval"));
    if context.locations.is_faulty(&heartbeat) {
        return;
    }
    if context.locations.is_written(&heartbeat) {
        let shown = context.locations.shown(&lease).to_owned();
        context.fault(
            &heartbeat,
            format!("the heartbeat must be shorter than `lease_duration`, which is {shown}"),
        );
    } else {
        let heartbeat = queue.heartbeat_interval;
        context.fault(
            &lease,
            format!("the lease must be longer than `heartbeat_interval`, which is {heartbeat}"),
        );
    }
}
