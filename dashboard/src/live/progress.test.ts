import { describe, expect, it } from 'vitest';
import { gapMessage, progressMessage } from '../testing/messages';
import { progressOf } from './progress';

describe('session progress', () => {
  it('is read from a message with stages', () => {
    const stage_progress = [
      { stage: 'look', agent: 'A', status: 'active', duration_ms: null, error: null },
    ] as const;
    expect(progressOf(progressMessage('b', { stage_progress: [...stage_progress] }))).toMatchObject({
      session_id: 'b',
      stage_progress,
      result: null,
    });
  });

  it('is null for other messages', () => {
    expect([progressOf(progressMessage('b')), progressOf(gapMessage)]).toEqual([null, null]);
  });
});
