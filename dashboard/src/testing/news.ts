/** News of the list of sessions, as the socket tells it. */
import type { News } from '../live/hub';
import type { SessionProgress } from '../live/wire';

/** A session goes on; a test overrides what it is about. */
export const progressed = (session_id: string, over: Partial<SessionProgress> = {}): News => ({
  type: 'session.progress',
  channel: 'sessions',
  data: {
    session_id,
    alert_id: 'alert-1',
    status: 'in_progress',
    current_step: 'thinking',
    chain_id: 'chain',
    total_stages: 4,
    completed_stages: 3,
    ...over,
  },
});

/** Something was missed. */
export const gap: News = { type: 'gap', channel: 'sessions', data: {} };
