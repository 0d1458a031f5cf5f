import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client';
import { mayAct, visitorOf } from './model';

const me = (role: string) => ({ name: 'ann', role, signed_in: true });

describe('who is at the keyboard', () => {
  it('is asked who they are when the server wants to know', () => {
    const error = new ApiError('unauthenticated', 'send a token');
    expect(visitorOf({ data: undefined, error })).toEqual({ kind: 'asked' });
    // A token that was revoked while the page was open.
    expect(visitorOf({ data: me('admin'), error }).kind).toBe('asked');
  });

  it.each([
    ['viewer', false],
    ['operator', true],
    ['admin', true],
  ])('as %s may act: %s', (role, expected) => {
    const visitor = visitorOf({ data: me(role), error: null });
    expect(visitor).toEqual({ kind: 'known', name: 'ann', isOperator: expected, canSignOut: true });
    expect(mayAct(visitor)).toBe(expected);
  });

  it('may try while nobody said otherwise', () => {
    expect(mayAct(visitorOf({ data: undefined, error: null }))).toBe(true);
    expect(mayAct(visitorOf({ data: undefined, error: new ApiError('unreachable', 'no') }))).toBe(true);
  });
});
