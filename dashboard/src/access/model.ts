/** The current user, as far as it decides what the dashboard shows. Pure. */
import { ApiError } from '../api/client';
import type { Me } from '../api/types';

/** `sign_in_required`: the server responded with 401. `unknown`: not loaded yet, or the request failed. */
export type CurrentUser =
  | { kind: 'known'; name: string | null; isOperator: boolean; canSignOut: boolean }
  | { kind: 'sign_in_required' }
  | { kind: 'unknown' };

export function currentUserOf({ data, error }: { data: Me | undefined; error: Error | null }): CurrentUser {
  if (error instanceof ApiError && error.kind === 'unauthenticated') {
    return { kind: 'sign_in_required' };
  }
  if (!data) return { kind: 'unknown' };
  const { name, role, signed_in: canSignOut } = data;
  return { kind: 'known', name, isOperator: role !== 'viewer', canSignOut };
}

/** Shown instead of controls that a viewer must not use. */
export const READ_ONLY_MESSAGE = 'You have read-only access. This action requires the operator role.';

/** Returns false only for a known viewer. In doubt the dashboard offers the action and the server decides. */
export function canOperate(user: CurrentUser): boolean {
  return user.kind !== 'known' || user.isOperator;
}
