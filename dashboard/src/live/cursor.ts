/** Decides which messages of a channel are new to a subscriber. Pure. */
import type { ChannelMessage } from './wire';

export type Novelty = 'new' | 'duplicate' | 'after_gap';

/**
 * `cursor` is the id of the last stored event that the subscriber has received, or null if there was none.
 */
export function classify(cursor: number | null, message: ChannelMessage): Novelty {
  const { event_id: id } = message;
  if (id === undefined || cursor === null || id === cursor + 1) return 'new';
  return id <= cursor ? 'duplicate' : 'after_gap';
}

/** Returns the cursor after a message. A gap is filled over HTTP, so the cursor skips it. */
export function cursorAfter(cursor: number | null, message: ChannelMessage): number | null {
  if (message.type === 'gap') {
    const next = message.data.next_event_id;
    return next === undefined ? cursor : next - 1;
  }
  return message.event_id === undefined ? cursor : Math.max(cursor ?? 0, message.event_id);
}

/**
 * Returns where a shared subscription must start so that no subscriber misses events; null means from now on.
 */
export function oldestCursor(cursors: readonly (number | null)[]): number | null {
  const known = cursors.filter((cursor) => cursor !== null);
  return known.length === 0 ? null : Math.min(...known);
}
