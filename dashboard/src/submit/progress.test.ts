import { describe, expect, it } from 'vitest';
import type { ProcessingStatus } from '../api/types';
import { pollIntervalMs, progressView } from './progress';

const status = (over: Partial<ProcessingStatus> = {}): ProcessingStatus => ({
  alert_id: 'a',
  session_id: 's',
  status: 'in_progress',
  progress: 25,
  message: 'Calling kubernetes.pods_list',
  chain_id: 'c',
  current_stage: 'look',
  current_agent: 'KubernetesAgent',
  total_stages: 4,
  completed_stages: 0,
  ended_stages: 1,
  stage_progress: [],
  result: null,
  error: null,
  ...over,
});

describe('progress of an alert', () => {
  it('shows the current step', () => {
    expect(progressView(status())).toMatchObject({
      hasEnded: false,
      message: 'Calling kubernetes.pods_list',
      percent: 25,
      stages: '1 of 4 stages',
    });
  });

  it('shows the result or the error at the end', () => {
    expect(progressView(status({ status: 'completed', result: 'It was the disk.' }))).toMatchObject({
      hasEnded: true,
      result: 'It was the disk.',
    });
    expect(progressView(status({ status: 'failed', error: 'no model responded' }))).toMatchObject({
      hasEnded: true,
      error: 'no model responded',
      look: { tone: 'bad' },
    });
  });

  it('is polled until it has ended, more often without live messages', () => {
    expect([pollIntervalMs(undefined, true), pollIntervalMs(status(), false)]).toEqual([10_000, 2_000]);
    expect(pollIntervalMs(status({ status: 'cancelled' }), false)).toBe(false);
  });
});
