import { describe, expect, it } from 'vitest';
import { emptyStream } from '../live/sessionStream';
import { at, detail } from '../testing/session';
import { sessionHead, statusOf } from './model';

const nowMs = at(11) / 1000;
const running = detail({ status: 'in_progress', completed_at_us: null, current_step: 'thinks' });
const head = (session = detail(), stream = emptyStream) => sessionHead(session, stream, nowMs);
const fact = (label: string, ...of: Parameters<typeof head>) =>
  head(...of).facts.find((known) => known.label === label)?.text;

describe('where a session stands', () => {
  it('is what was heard last', () => {
    expect(statusOf(running, emptyStream)).toBe('in_progress');
    expect(statusOf(running, { ...emptyStream, status: 'completed' })).toBe('completed');
  });

  it('stays ended', () => {
    expect(statusOf(detail(), { ...emptyStream, status: 'in_progress' })).toBe('completed');
  });
});

describe('the head of a session', () => {
  it('has a clock that ticks while it runs', () => {
    expect(fact('Elapsed', running)).toBe('10 s');
    expect(fact('Duration')).toBe('1 min 4 s');
    expect(fact('Duration', detail({ started_at_us: null, completed_at_us: null }))).toBe('not begun');
  });

  it.each([
    ['pending', true],
    ['in_progress', true],
    ['cancelling', false],
    ['completed', false],
    ['cancelled', false],
  ] as const)('of a session that is %s can be stopped: %s', (status, canCancel) => {
    expect(head(detail({ status })).canCancel).toBe(canCancel);
  });

  it('says what is done only while something is', () => {
    expect(head(running).step).toBe('thinks');
    expect(head(detail({ current_step: 'thought' })).step).toBeNull();
  });

  it('says why it ended badly, as a sentence', () => {
    expect(head(detail({ status: 'failed', error_message: 'no model answers' })).error).toBe(
      'No model answers.',
    );
  });

  it('says who asked it to stop', () => {
    const cancelled = detail({ cancel_requested_at_us: at(0), cancel_requested_by: 'ann' });
    expect(head(cancelled).cancelled).toMatch(/^Asked to stop by ann, /);
    expect(head(detail({ cancel_requested_at_us: at(0) })).cancelled).toMatch(/^Asked to stop by somebody, /);
  });

  it('counts stages by whatever is newer', () => {
    const progress = { completed_stages: 3 } as NonNullable<typeof emptyStream.progress>;
    expect(fact('Stages', detail({ stages_failed: 1 }))).toBe('2 of 4, 1 failed');
    expect(fact('Stages', detail(), { ...emptyStream, progress })).toBe('3 of 4');
  });
});
