import { describe, expect, it } from 'vitest';
import type { ProcessingStatus } from '../api/types';
import { askEveryMs, progressView } from './progress';

const status = (over: Partial<ProcessingStatus> = {}): ProcessingStatus => ({
  alert_id: 'a',
  session_id: 's',
  status: 'in_progress',
  progress: 25,
  message: 'Calling kubernetes.pods_list',
  chain_id: 'c',
  current_stage: 'look',
  total_stages: 4,
  completed_stages: 1,
  stage_progress: [],
  result: null,
  error: null,
  ...over,
});

describe('the progress of an alert', () => {
  it('says what is going on', () => {
    expect(progressView(status())).toMatchObject({
      hasEnded: false,
      message: 'Calling kubernetes.pods_list',
      percent: 25,
      stages: '1 of 4 stages',
    });
  });

  it('ends with the result or the error', () => {
    expect(progressView(status({ status: 'completed', result: 'It was the disk.' }))).toMatchObject({
      hasEnded: true,
      result: 'It was the disk.',
    });
    expect(progressView(status({ status: 'failed', error: 'no model answered' }))).toMatchObject({
      hasEnded: true,
      error: 'no model answered',
      look: { tone: 'bad' },
    });
  });

  it('is asked for until it has ended, and more often while nobody tells', () => {
    expect([askEveryMs(undefined, true), askEveryMs(status(), false)]).toEqual([10_000, 2_000]);
    expect(askEveryMs(status({ status: 'cancelled' }), false)).toBe(false);
  });
});
