import { describe, expect, it } from 'vitest';
import { emptyStream } from '../live/sessionStream';
import { at, detail } from '../testing/session';
import { sessionHeader, statusOf } from './model';

const nowMs = at(11) / 1000;
const running = detail({ status: 'in_progress', completed_at_us: null, current_step: 'thinks' });
const head = (session = detail(), stream = emptyStream) => sessionHeader(session, stream, nowMs);
const fact = (label: string, ...of: Parameters<typeof head>) =>
  head(...of).facts.find((known) => known.label === label)?.text;

describe('session status', () => {
  it('prefers the streamed status', () => {
    expect(statusOf(running, emptyStream)).toBe('in_progress');
    expect(statusOf(running, { ...emptyStream, status: 'completed' })).toBe('completed');
  });

  it('stays ended', () => {
    expect(statusOf(detail(), { ...emptyStream, status: 'in_progress' })).toBe('completed');
  });
});

describe('session header', () => {
  it('has a running clock while the session runs', () => {
    expect(fact('Elapsed', running)).toBe('10 s');
    expect(fact('Duration')).toBe('1 min 4 s');
    expect(fact('Duration', detail({ started_at_us: null, completed_at_us: null }))).toBe('not started');
  });

  it.each([
    ['pending', true],
    ['in_progress', true],
    ['cancelling', false],
    ['completed', false],
    ['cancelled', false],
  ] as const)('session that is %s can be cancelled: %s', (status, canCancel) => {
    expect(head(detail({ status })).canCancel).toBe(canCancel);
  });

  it('shows the current step only while the session runs', () => {
    expect(head(running).step).toBe('thinks');
    expect(head(detail({ current_step: 'thought' })).step).toBeNull();
  });

  it('shows the error as a sentence', () => {
    expect(head(detail({ status: 'failed', error_message: 'no model responded' })).error).toBe(
      'No model responded.',
    );
  });

  it('shows who requested the cancellation', () => {
    const cancelled = detail({ cancel_requested_at_us: at(0), cancel_requested_by: 'ann' });
    expect(head(cancelled).cancelled).toMatch(/^Cancellation requested by ann, /);
    expect(head(detail({ cancel_requested_at_us: at(0) })).cancelled).toMatch(
      /^Cancellation requested by unknown user, /,
    );
  });

  it('shows the newer stage count', () => {
    const progress = { ended_stages: 3 } as NonNullable<typeof emptyStream.progress>;
    expect(fact('Stages', detail({ stages_failed: 1 }))).toBe('2 of 4, 1 failed');
    expect(fact('Stages', detail(), { ...emptyStream, progress })).toBe('3 of 4');
  });
});
