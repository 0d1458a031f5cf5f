/**
 * The list that the user scrolls through: the loaded pages, and the newest page, which is polled. New
 * sessions are held back while the user is scrolled down. Pure.
 */
import type { SessionPage, SessionSummary } from '../api/types';

export interface SessionList {
  sessions: SessionSummary[];
  /** Whether sessions between the newest page and the loaded pages are missing. */
  hasGap: boolean;
}

/** Merges the pages in order, without duplicates; the newest version of a session wins. */
export function mergePages(pages: readonly SessionPage[], newest: SessionPage | undefined): SessionList {
  const loaded = pages.flatMap((page) => page.sessions);
  if (!newest) return { sessions: loaded, hasGap: false };
  const fresh = new Set(newest.sessions.map((session) => session.session_id));
  const rest = loaded.filter((session) => !fresh.has(session.session_id));
  const connects = rest.length < loaded.length || newest.next_cursor === null;
  // The newest page is always the beginning of the list, so a session in both keeps its position.
  return { sessions: [...newest.sessions, ...rest], hasGap: loaded.length > 0 && !connects };
}

export interface VisibleList {
  shown: SessionSummary[];
  /** Number of sessions that arrived since the user scrolled down. */
  newCount: number;
}

/** Holds back sessions newer than `topSession`, the session on top when the user scrolled down. */
export function holdBackNew(sessions: SessionSummary[], topSession: string | null): VisibleList {
  const index = topSession === null ? 0 : sessions.findIndex((session) => session.session_id === topSession);
  return index <= 0 ? { shown: sessions, newCount: 0 } : { shown: sessions.slice(index), newCount: index };
}

/** Returns `3 new`, or `100+ new` if the newest page does not contain all of them. */
export function newCountLabel(newCount: number, hasGap: boolean): string {
  return `${newCount}${hasGap ? '+' : ''} new`;
}

/** Returns the index of the next or previous session, without wrap-around. */
export function neighborIndex(
  sessions: readonly SessionSummary[],
  from: string | null,
  step: 1 | -1,
): number {
  const index = sessions.findIndex((session) => session.session_id === from);
  if (index < 0) return 0;
  return Math.min(Math.max(index + step, 0), sessions.length - 1);
}
