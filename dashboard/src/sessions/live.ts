/**
 * Applies messages of the `sessions` channel to loaded lists. Pure; unchanged objects keep their identity. A
 * message reports progress, not the whole session, so some messages require a refetch.
 */
import type { ActiveSessions, Session, SessionPage, SessionStatus } from '../api/types';
import type { HubMessage } from '../live/hub';
import type { SessionProgress } from '../live/wire';

/** A change of a session: the status alone, or its progress. */
type SessionChange = Pick<SessionProgress, 'session_id' | 'status'> & Partial<SessionProgress>;

/** Returns the change of a session that a message reports, or null. */
export function changeOf(message: HubMessage): SessionChange | null {
  switch (message.type) {
    case 'session.status':
    case 'session.progress':
      return message.data;
    default:
      return null;
  }
}

/** Returns whether the lists must be refetched, because a message reports a change only in part. */
export function needsRefetch(message: HubMessage, active: ActiveSessions | undefined): boolean {
  switch (message.type) {
    case 'gap':
    case 'session.status':
      return true;
    case 'joined':
      return message.isReconnect;
    case 'session.progress':
      return !isListed(active, message.data.session_id);
    default:
      return false;
  }
}

function isListed(active: ActiveSessions | undefined, id: string): boolean {
  const isTarget = (session: Session) => session.session_id === id;
  return active !== undefined && (active.running.some(isTarget) || active.queued.some(isTarget));
}

/** Applies a message to a page of the list. */
export function applyToPage(page: SessionPage, message: HubMessage): SessionPage {
  const change = changeOf(message);
  const index = change ? page.sessions.findIndex((session) => session.session_id === change.session_id) : -1;
  const before = page.sessions[index];
  if (!change || !before) return page;
  return { ...page, sessions: page.sessions.with(index, applyChange(before, change)) };
}

/** Applies a message to the running and queued sessions. A session that is not listed is not added. */
export function applyToActive(active: ActiveSessions, message: HubMessage): ActiveSessions {
  const change = changeOf(message);
  if (!change) return active;
  const isTarget = (session: Session) => session.session_id === change.session_id;
  const running = active.running.find(isTarget);
  const queued = active.queued.find(isTarget);
  const before = running ?? queued;
  if (!before) return active;

  const after = applyChange(before, change);
  const group = groupOf(change.status);
  const without = <S extends Session>(sessions: S[]) => sessions.filter((session) => !isTarget(session));
  const replaced = <S extends Session>(sessions: S[]) =>
    sessions.map((session) => (isTarget(session) ? applyChange(session, change) : session));
  return {
    running:
      group === 'running'
        ? running
          ? replaced(active.running)
          : [...active.running, after]
        : without(active.running),
    queued:
      group === 'queued'
        ? queued
          ? replaced(active.queued)
          : [...active.queued, { ...after, queue_position: active.queued_total + 1 }]
        : without(active.queued),
    running_total: active.running_total + difference(running !== undefined, group === 'running'),
    queued_total: active.queued_total + difference(queued !== undefined, group === 'queued'),
  };
}

const difference = (was: boolean, is: boolean): number => Number(is) - Number(was);

function applyChange<S extends Session>(session: S, change: SessionChange): S {
  return {
    ...session,
    status: change.status,
    current_step: change.current_step === undefined ? session.current_step : change.current_step,
    error_message: change.error === undefined ? session.error_message : change.error,
    stages_total: change.total_stages ?? session.stages_total,
    stages_done: change.ended_stages ?? session.stages_done,
  };
}

function groupOf(status: SessionStatus): 'queued' | 'running' | 'ended' {
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
