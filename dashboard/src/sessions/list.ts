/**
 * The list that a reader scrolls through: the pages that were read one after another, and the newest page, which is read
 * again and again. What is new waits while somebody reads further down. Pure.
 */
import type { SessionPage, SessionSummary } from '../api/types';

export interface SessionList {
  sessions: SessionSummary[];
  /** Between the newest page and the others there are sessions that nobody has read yet. */
  hasGap: boolean;
}

/** All sessions in order, each once, in the version that was read last. */
export function joinedList(pages: readonly SessionPage[], newest: SessionPage | undefined): SessionList {
  const read = pages.flatMap((page) => page.sessions);
  if (!newest) return { sessions: read, hasGap: false };
  const fresh = new Set(newest.sessions.map((session) => session.session_id));
  const rest = read.filter((session) => !fresh.has(session.session_id));
  const meets = rest.length < read.length || newest.next_cursor === null;
  // A session that is in both at the same place keeps its place: the newest page is the beginning of the list.
  return { sessions: [...newest.sessions, ...rest], hasGap: read.length > 0 && !meets };
}

export interface ShownList {
  shown: SessionSummary[];
  /** How many have come since the reader left the top. */
  waiting: number;
}

/** Holds back what came after `firstRead`, the session that was on top when the reader left the top. */
export function heldBack(sessions: SessionSummary[], firstRead: string | null): ShownList {
  const place = firstRead === null ? 0 : sessions.findIndex((session) => session.session_id === firstRead);
  return place <= 0 ? { shown: sessions, waiting: 0 } : { shown: sessions.slice(place), waiting: place };
}

/** `3 new`; of so many that a page did not hold them, that there are more. */
export function waitingLabel(waiting: number, hasGap: boolean): string {
  return `${waiting}${hasGap ? '+' : ''} new`;
}

/** The session that a step leads to; the end of the list is an end. */
export function neighbour(sessions: readonly SessionSummary[], from: string | null, step: 1 | -1): number {
  const place = sessions.findIndex((session) => session.session_id === from);
  if (place < 0) return 0;
  return Math.min(Math.max(place + step, 0), sessions.length - 1);
}
