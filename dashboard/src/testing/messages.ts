/** Messages of the `sessions` channel for tests. */
import type { HubMessage } from '../live/hub';
import type { SessionProgress } from '../live/wire';

/** Progress of a session; a test overrides what matters to it. */
export const progressMessage = (session_id: string, over: Partial<SessionProgress> = {}): HubMessage => ({
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
    ended_stages: 3,
    ...over,
  },
});

/** A gap in the channel. */
export const gapMessage: HubMessage = { type: 'gap', channel: 'sessions', data: {} };
