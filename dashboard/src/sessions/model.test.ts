import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client';
import type { SessionSummary } from '../api/types';
import { session } from '../testing/server';
import { sessionRow, sessionsView } from './model';

const CREATED = Date.UTC(2026, 0, 2, 3, 4, 5);
const row = (over: Partial<SessionSummary> = {}) => sessionRow(session(over), CREATED + 3 * 60_000);

describe('a row', () => {
  it('adds input and output tokens, of which cached and thinking are parts', () => {
    expect(row().tokens).toEqual({
      text: '12.3K',
      detail: '12,000 in (8,000 cached), 345 out (100 thinking)',
    });
  });

  it('counts the stages that are done, and tells of those that failed', () => {
    expect([row().stages, row({ stages_failed: 1 }).stages]).toEqual(['2 of 4', '2 of 4, 1 failed']);
  });

  it('has a dash where nobody is named as author', () => {
    expect(row({ author: null }).author).toBe('–');
  });

  it('remarks why it failed rather than what it did last', () => {
    const failed = row({ current_step: 'collecting data', error_message: 'no model answered' });
    expect(failed.remark).toEqual([{ text: 'no model answered', matched: false }]);
  });

  it('remarks where it has what was searched for rather than anything else', () => {
    const snippet = [
      { text: 'the ', matched: false },
      { text: 'disk', matched: true },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet };
    expect(row({ error_message: 'no model answered', hit }).remark).toEqual(snippet);
  });

  it('begins an excerpt shortly before what was searched for', () => {
    const snippet = [
      { text: 'a long way before it says that the ', matched: false },
      { text: 'disk', matched: true },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet };
    expect(row({ hit }).remark[0]).toEqual({ text: '…t says that the ', matched: false });
  });

  it('keeps the exact moment beside the age', () => {
    expect([row().age, row().created.iso]).toEqual(['3 min', '2026-01-02T03:04:05.000Z']);
  });

  it.each([
    ['nothing before it began', null, null, '–'],
    ['the time it took', 10, 74, '1 min 4 s'],
    ['the time until now', 10, null, '2 min 50 s'],
  ])('has as duration %s', (_claim, began, ended, duration) => {
    const at = (seconds: number | null) => (seconds === null ? null : (CREATED + seconds * 1000) * 1000);
    expect(row({ started_at_us: at(began), completed_at_us: at(ended) }).duration).toBe(duration);
  });
});

describe('the view', () => {
  const unreachable = new ApiError('unreachable', 'The server does not answer.');
  const refused = new ApiError('refused', 'the database did not answer');

  it('is loading while there is neither an answer nor an error', () => {
    expect(sessionsView({ count: undefined, error: null, isFiltered: false })).toEqual({ kind: 'loading' });
  });

  it('is failed when the first answer is an error', () => {
    expect(sessionsView({ count: undefined, error: refused, isFiltered: false })).toEqual({
      kind: 'failed',
      error: refused,
    });
  });

  it('is empty when there are no sessions, and says so differently under a filter', () => {
    expect(sessionsView({ count: 0, error: null, isFiltered: false })).toEqual({ kind: 'empty' });
    expect(sessionsView({ count: 0, error: null, isFiltered: true })).toEqual({ kind: 'no_match' });
  });

  it.each([
    ['says why it is old when the server refuses', refused, 'the database did not answer'],
    ['leaves it to the shell when nobody answers', unreachable, null],
    ['has nothing to say when all is well', null, null],
  ])('keeps the table it has and %s', (_claim, error, stale) => {
    expect(sessionsView({ count: 1, error, isFiltered: false })).toEqual({ kind: 'table', stale });
  });
});
