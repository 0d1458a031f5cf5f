import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client';
import { canOperate, currentUserOf } from './model';

const me = (role: string) => ({ name: 'ann', role, signed_in: true });

describe('current user', () => {
  it('requires sign-in after a 401 response', () => {
    const error = new ApiError('unauthenticated', 'send a token');
    expect(currentUserOf({ data: undefined, error })).toEqual({ kind: 'sign_in_required' });
    // The token was revoked while the page was open.
    expect(currentUserOf({ data: me('admin'), error }).kind).toBe('sign_in_required');
  });

  it.each([
    ['viewer', false],
    ['operator', true],
    ['admin', true],
  ])('role %s can operate: %s', (role, expected) => {
    const user = currentUserOf({ data: me(role), error: null });
    expect(user).toEqual({ kind: 'known', name: 'ann', isOperator: expected, canSignOut: true });
    expect(canOperate(user)).toBe(expected);
  });

  it('can operate while the role is unknown', () => {
    expect(canOperate(currentUserOf({ data: undefined, error: null }))).toBe(true);
    expect(canOperate(currentUserOf({ data: undefined, error: new ApiError('unreachable', 'no') }))).toBe(
      true,
    );
  });
});
