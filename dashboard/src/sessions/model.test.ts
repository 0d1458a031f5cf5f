import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client';
import type { SessionSummary } from '../api/types';
import { session } from '../testing/server';
import { sessionRow, sessionsView } from './model';

const CREATED = Date.UTC(2026, 0, 2, 3, 4, 5);
const row = (over: Partial<SessionSummary> = {}) => sessionRow(session(over), CREATED + 3 * 60_000);

describe('session row', () => {
  it('adds input and output tokens, which include cached and thinking tokens', () => {
    expect(row().tokens).toEqual({
      text: '12.3K',
      detail: '12,000 in (8,000 cached), 345 out (100 thinking)',
    });
  });

  it('counts completed and failed stages', () => {
    expect([row().stages, row({ stages_failed: 1 }).stages]).toEqual(['2 of 4', '2 of 4, 1 failed']);
  });

  it('shows a dash without an author', () => {
    expect(row({ author: null }).author).toBe('–');
  });

  it('prefers the error over the current step', () => {
    const failed = row({ current_step: 'collecting data', error_message: 'no model responded' });
    expect(failed.note).toEqual([{ text: 'no model responded', matched: false }]);
  });

  it('prefers the search excerpt over everything else', () => {
    const snippet = [
      { text: 'the ', matched: false },
      { text: 'disk', matched: true },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet } as const;
    expect(row({ error_message: 'no model responded', hit }).note).toEqual(snippet);
  });

  it('starts an excerpt shortly before the match', () => {
    const snippet = [
      { text: 'a long way before it says that the ', matched: false },
      { text: 'disk', matched: true },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet } as const;
    expect(row({ hit }).note[0]).toEqual({ text: '…t says that the ', matched: false });
  });

  it('has the exact time in addition to the age', () => {
    expect([row().age, row().created.iso]).toEqual(['3 min', '2026-01-02T03:04:05.000Z']);
  });

  it.each([
    ['nothing before the start', null, null, '–'],
    ['the time from start to end', 10, 74, '1 min 4 s'],
    ['the time until now', 10, null, '2 min 50 s'],
  ])('shows as duration %s', (_claim, startedAt, ended, duration) => {
    const at = (seconds: number | null) => (seconds === null ? null : (CREATED + seconds * 1000) * 1000);
    expect(row({ started_at_us: at(startedAt), completed_at_us: at(ended) }).duration).toBe(duration);
  });
});

describe('sessions view', () => {
  const unreachable = new ApiError('unreachable', 'The server does not respond.');
  const refused = new ApiError('request_failed', 'the database did not respond');

  it('is loading before the first response', () => {
    expect(sessionsView({ count: undefined, error: null, isFiltered: false })).toEqual({ kind: 'loading' });
  });

  it('is failed if the first response is an error', () => {
    expect(sessionsView({ count: undefined, error: refused, isFiltered: false })).toEqual({
      kind: 'failed',
      error: refused,
    });
  });

  it('is empty without sessions, and no_match with a filter', () => {
    expect(sessionsView({ count: 0, error: null, isFiltered: false })).toEqual({ kind: 'empty' });
    expect(sessionsView({ count: 0, error: null, isFiltered: true })).toEqual({ kind: 'no_match' });
  });

  it.each([
    ['shows why a refetch failed', refused, 'the database did not respond'],
    ['leaves an unreachable server to the shell', unreachable, null],
    ['shows no warning without an error', null, null],
  ])('keeps the table and %s', (_claim, error, stale) => {
    expect(sessionsView({ count: 1, error, isFiltered: false })).toEqual({ kind: 'table', stale });
  });
});
