/**
 * What news of the channel `sessions` make of the lists that the page has: data in, data out. What did not change stays
 * the same object. News say how far a session is, not everything about it, so some of them ask for the lists again.
 */
import type { ActiveSessions, Session, SessionPage, SessionStatus } from '../api/types';
import type { News } from '../live/hub';
import type { SessionProgress } from '../live/wire';

/** How a session changes: a status alone, or how far it is. */
type Change = Pick<SessionProgress, 'session_id' | 'status'> & Partial<SessionProgress>;

/** What news say about one session; null if they are about something else. */
export function changeOf(news: News): Change | null {
  switch (news.type) {
    case 'session.status':
    case 'session.progress':
      return news.data;
    default:
      return null;
  }
}

/** Whether the lists must be read again, because something happened that the news do not tell in full. */
export function asksForLists(news: News, active: ActiveSessions | undefined): boolean {
  switch (news.type) {
    case 'gap':
    case 'session.status':
      return true;
    case 'joined':
      return news.again;
    case 'session.progress':
      return !isListed(active, news.data.session_id);
    default:
      return false;
  }
}

function isListed(active: ActiveSessions | undefined, id: string): boolean {
  const isIt = (session: Session) => session.session_id === id;
  return active !== undefined && (active.running.some(isIt) || active.queued.some(isIt));
}

/** A page with one of its sessions changed. */
export function pageAfter(page: SessionPage, news: News): SessionPage {
  const change = changeOf(news);
  const place = change ? page.sessions.findIndex((session) => session.session_id === change.session_id) : -1;
  const before = page.sessions[place];
  if (!change || !before) return page;
  return { ...page, sessions: page.sessions.with(place, sessionAfter(before, change)) };
}

/** What runs and what waits, with one session moved or changed. A session that it lacks is not made up. */
export function activeAfter(active: ActiveSessions, news: News): ActiveSessions {
  const change = changeOf(news);
  if (!change) return active;
  const isIt = (session: Session) => session.session_id === change.session_id;
  const running = active.running.find(isIt);
  const queued = active.queued.find(isIt);
  const before = running ?? queued;
  if (!before) return active;

  const after = sessionAfter(before, change);
  const isNow = placeOf(change.status);
  const without = (sessions: Session[]) => sessions.filter((session) => !isIt(session));
  const replaced = (sessions: Session[]) => sessions.map((session) => (isIt(session) ? after : session));
  return {
    running:
      isNow === 'running'
        ? running
          ? replaced(active.running)
          : [...active.running, after]
        : without(active.running),
    queued:
      isNow === 'queued'
        ? queued
          ? replaced(active.queued)
          : [...active.queued, after]
        : without(active.queued),
    running_total: active.running_total + difference(running !== undefined, isNow === 'running'),
    queued_total: active.queued_total + difference(queued !== undefined, isNow === 'queued'),
  };
}

const difference = (was: boolean, is: boolean): number => Number(is) - Number(was);

function sessionAfter<S extends Session>(session: S, change: Change): S {
  return {
    ...session,
    status: change.status,
    current_step: change.current_step === undefined ? session.current_step : change.current_step,
    error_message: change.error === undefined ? session.error_message : change.error,
    stages_total: change.total_stages ?? session.stages_total,
    stages_done: change.completed_stages ?? session.stages_done,
  };
}

function placeOf(status: SessionStatus): 'queued' | 'running' | 'ended' {
  switch (status) {
    case 'pending':
      return 'queued';
    case 'in_progress':
    case 'cancelling':
      return 'running';
    case 'completed':
    case 'completed_with_errors':
    case 'failed':
    case 'timed_out':
    case 'cancelled':
      return 'ended';
  }
}
