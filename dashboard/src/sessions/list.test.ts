import { describe, expect, it } from 'vitest';
import { page, session } from '../testing/server';
import { holdBackNew, mergePages, neighborIndex, newCountLabel } from './list';

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((session_id) => session({ session_id })) as [
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
];
const ids = (sessions: { session_id: string }[]) => sessions.map((session) => session.session_id).join('');
const more = (...sessions: ReturnType<typeof session>[]) => ({ ...page(...sessions), next_cursor: 'older' });

describe('session list', () => {
  it('contains the loaded pages', () => {
    expect(ids(mergePages([more(a, b), page(c)], undefined).sessions)).toBe('abc');
  });

  it('starts with the newest page and has the newest version of each session once', () => {
    const changed = { ...c, current_step: 'thinking' };
    const { sessions, hasGap } = mergePages([more(c, d), page(e)], more(a, b, changed));
    expect(ids(sessions)).toBe('abcde');
    expect(sessions[2]).toBe(changed);
    expect(hasGap).toBe(false);
  });

  it('detects a gap after the newest page', () => {
    expect(mergePages([more(d), page(e)], more(a, b)).hasGap).toBe(true);
    expect(mergePages([], more(a, b)).hasGap).toBe(false);
    expect(mergePages([page(d)], page(a)).hasGap).toBe(false);
  });
});

describe('new sessions', () => {
  it('are shown at the top of the page', () => {
    expect(holdBackNew([a, b, c], null)).toEqual({ shown: [a, b, c], newCount: 0 });
  });

  it('are held back while the user is scrolled down', () => {
    expect(holdBackNew([a, b, c], 'c')).toEqual({ shown: [c], newCount: 2 });
  });

  it('are shown if the previous top session was deleted', () => {
    expect(holdBackNew([a, b], 'x').newCount).toBe(0);
  });

  it('are counted', () => {
    expect([newCountLabel(3, false), newCountLabel(100, true)]).toEqual(['3 new', '100+ new']);
  });
});

describe('keyboard navigation', () => {
  it.each([
    [null, 1, 0],
    ['a', 1, 1],
    ['c', 1, 2],
    ['b', -1, 0],
    ['a', -1, 0],
    ['gone', -1, 0],
  ] as const)('from %s by %d', (from, step, expected) => {
    expect(neighborIndex([a, b, c], from, step)).toBe(expected);
  });
});
