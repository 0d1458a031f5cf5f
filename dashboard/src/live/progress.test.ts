import { describe, expect, it } from 'vitest';
import { gap, progressed } from '../testing/news';
import { progressOf } from './progress';

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
