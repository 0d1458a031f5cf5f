import { describe, expect, it } from 'vitest';
import type { SessionStatus, WorkStatus } from '../api/types';
import { hasEnded, sessionStatusLook, workHasEnded, workStatusLook } from './status';

describe('session status', () => {
  it.each<[SessionStatus, string, string, boolean]>([
    ['pending', 'Queued', 'neutral', false],
    ['in_progress', 'Running', 'active', false],
    ['cancelling', 'Cancelling', 'warning', false],
    ['completed', 'Completed', 'good', true],
    ['completed_with_errors', 'Completed with errors', 'warning', true],
    ['failed', 'Failed', 'bad', true],
    ['timed_out', 'Timed out', 'bad', true],
    ['cancelled', 'Cancelled', 'neutral', true],
  ])('%s has the label %s (%s)', (status, label, tone, ended) => {
    expect(sessionStatusLook(status)).toMatchObject({ label, tone });
    expect(hasEnded(status)).toBe(ended);
  });
});

describe('status of a stage or an execution', () => {
  it.each<[WorkStatus, string, string, boolean]>([
    ['pending', 'Pending', 'neutral', false],
    ['active', 'Running', 'active', false],
    ['completed', 'Completed', 'good', true],
    ['failed', 'Failed', 'bad', true],
    ['timed_out', 'Timed out', 'bad', true],
    ['cancelled', 'Cancelled', 'neutral', true],
    ['skipped', 'Skipped', 'neutral', true],
  ])('%s has the label %s (%s)', (status, label, tone, ended) => {
    expect(workStatusLook(status)).toMatchObject({ label, tone });
    expect(workHasEnded(status)).toBe(ended);
  });
});
