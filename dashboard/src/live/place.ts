/** Which messages of a channel are news to somebody who follows it. Pure. */
import type { ChannelMessage } from './wire';

export type Verdict = 'news' | 'repeated' | 'after_a_gap';

/** `place` is the last stored event that the follower has; null until there was one. */
export function judge(place: number | null, message: ChannelMessage): Verdict {
  const { event_id: id } = message;
  if (id === undefined || place === null || id === place + 1) return 'news';
  return id <= place ? 'repeated' : 'after_a_gap';
}

/** The place after a message. What is missing before a gap is read in another way, so the place moves over it. */
export function placeAfter(place: number | null, message: ChannelMessage): number | null {
  if (message.type === 'gap') {
    const next = message.data.next_event_id;
    return next === undefined ? place : next - 1;
  }
  return message.event_id === undefined ? place : Math.max(place ?? 0, message.event_id);
}

/** Where one subscription has to begin so that all its followers get what they lack; null means from now on. */
export function commonPlace(places: readonly (number | null)[]): number | null {
  const known = places.filter((place) => place !== null);
  return known.length === 0 ? null : Math.min(...known);
}
