import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client';
import type { SessionStatus } from '../api/types';
import { page, session } from '../testing/server';
import { sessionRow, sessionsView, statusLook } from './model';

describe('a status', () => {
  it.each<[SessionStatus, string, string]>([
    ['pending', 'Queued', 'neutral'],
    ['in_progress', 'Running', 'active'],
    ['cancelling', 'Cancelling', 'warning'],
    ['completed', 'Completed', 'good'],
    ['completed_with_errors', 'Completed with errors', 'warning'],
    ['failed', 'Failed', 'bad'],
    ['timed_out', 'Timed out', 'bad'],
    ['cancelled', 'Cancelled', 'neutral'],
  ])('%s looks like %s (%s)', (status, label, tone) => {
    expect(statusLook(status)).toEqual({ label, tone });
  });
});

describe('a row', () => {
  it('adds input and output tokens, of which cached and thinking are parts', () => {
    expect(sessionRow(session()).tokens).toEqual({
      text: '12.3K',
      detail: '12,000 in (8,000 cached), 345 out (100 thinking)',
    });
  });

  it('counts the stages that are done', () => {
    expect(sessionRow(session()).stages).toBe('2 of 4');
  });

  it('tells of stages that failed', () => {
    expect(sessionRow(session({ stages_failed: 1 })).stages).toBe('2 of 4, 1 failed');
  });

  it('has a dash where nobody is named as author', () => {
    expect(sessionRow(session({ author: null })).author).toBe('–');
  });

  it('remarks why it failed rather than what it did last', () => {
    const failed = session({ current_step: 'collecting data', error_message: 'no model answered' });
    expect(sessionRow(failed).remark).toBe('no model answered');
  });

  it('keeps the exact moment beside the short one', () => {
    expect(sessionRow(session()).created.iso).toBe('2026-01-02T03:04:05.000Z');
  });
});

describe('the view', () => {
  const unreachable = new ApiError('unreachable', 'The server does not answer.');
  const refused = new ApiError('refused', 'The server answered 500.');

  it('is loading while there is neither an answer nor an error', () => {
    expect(sessionsView({ data: undefined, error: null })).toEqual({ kind: 'loading' });
  });

  it('is failed when the first answer is an error', () => {
    expect(sessionsView({ data: undefined, error: refused })).toEqual({
      kind: 'failed',
      reason: 'The server answered 500.',
    });
  });

  it('is empty when there are no sessions', () => {
    expect(sessionsView({ data: page(), error: null })).toEqual({ kind: 'empty' });
  });

  it('is a table that knows of older sessions', () => {
    const data = { ...page(session()), next_cursor: 'older' };
    expect(sessionsView({ data, error: null })).toEqual({
      kind: 'table',
      rows: [sessionRow(session())],
      older: true,
      stale: null,
    });
  });

  it.each([
    ['says why it is old when the server refuses', refused, 'The server answered 500.'],
    ['leaves it to the shell when nobody answers', unreachable, null],
  ])('keeps the table it has and %s', (_claim, error, stale) => {
    expect(sessionsView({ data: page(session()), error })).toMatchObject({ kind: 'table', stale });
  });
});
