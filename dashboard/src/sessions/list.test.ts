import { describe, expect, it } from 'vitest';
import { page, session } from '../testing/server';
import { heldBack, joinedList, neighbour, waitingLabel } from './list';

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((session_id) => session({ session_id })) as [
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
  ReturnType<typeof session>,
];
const ids = (sessions: { session_id: string }[]) => sessions.map((session) => session.session_id).join('');
const more = (...sessions: ReturnType<typeof session>[]) => ({ ...page(...sessions), next_cursor: 'older' });

describe('the list', () => {
  it('is the pages that were read', () => {
    expect(ids(joinedList([more(a, b), page(c)], undefined).sessions)).toBe('abc');
  });

  it('begins with the newest page, and has each session once, in its newest version', () => {
    const changed = { ...c, current_step: 'thinking' };
    const { sessions, hasGap } = joinedList([more(c, d), page(e)], more(a, b, changed));
    expect(ids(sessions)).toBe('abcde');
    expect(sessions[2]).toBe(changed);
    expect(hasGap).toBe(false);
  });

  it('knows when so many are new that some were never read', () => {
    expect(joinedList([more(d), page(e)], more(a, b)).hasGap).toBe(true);
    expect(joinedList([], more(a, b)).hasGap).toBe(false);
    expect(joinedList([page(d)], page(a)).hasGap).toBe(false);
  });
});

describe('what is new', () => {
  it('is shown to a reader at the top', () => {
    expect(heldBack([a, b, c], null)).toEqual({ shown: [a, b, c], waiting: 0 });
  });

  it('waits while somebody reads further down', () => {
    expect(heldBack([a, b, c], 'c')).toEqual({ shown: [c], waiting: 2 });
  });

  it('is shown when what was read is gone', () => {
    expect(heldBack([a, b], 'x').waiting).toBe(0);
  });

  it('is counted', () => {
    expect([waitingLabel(3, false), waitingLabel(100, true)]).toEqual(['3 new', '100+ new']);
  });
});

describe('a step with the keyboard', () => {
  it.each([
    [null, 1, 0],
    ['a', 1, 1],
    ['c', 1, 2],
    ['b', -1, 0],
    ['a', -1, 0],
    ['gone', -1, 0],
  ] as const)('from %s by %d', (from, step, expected) => {
    expect(neighbour([a, b, c], from, step)).toBe(expected);
  });
});
