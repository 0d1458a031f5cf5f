import { describe, expect, it } from 'vitest';
import type { News } from './hub';
import { progressOf } from './progress';
import type { SessionProgress } from './wire';

const gap: News = { type: 'gap', channel: 'sessions', data: {} };
const progressed = (session_id: string, over: Partial<SessionProgress> = {}): News => ({
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

describe('the progress of a session', () => {
  it('is there when its stages are told', () => {
    const stage_progress = [
      { stage: 'look', agent: 'A', status: 'active', duration_ms: null, error: null },
    ] as const;
    expect(progressOf(progressed('b', { stage_progress: [...stage_progress] }))).toMatchObject({
      session_id: 'b',
      stage_progress,
      result: null,
    });
  });

  it('is not there otherwise', () => {
    expect([progressOf(progressed('b')), progressOf(gap)]).toEqual([null, null]);
  });
});
