/** Who is at the keyboard, as far as it decides what the dashboard shows. Pure. */
import { ApiError } from '../api/client';
import type { Me } from '../api/types';

/** `asked`: the server wants to know who this is. `unsaid`: not known, or not yet. */
export type Visitor =
  | { kind: 'known'; name: string | null; isOperator: boolean; canSignOut: boolean }
  | { kind: 'asked' }
  | { kind: 'unsaid' };

export function visitorOf({ data, error }: { data: Me | undefined; error: Error | null }): Visitor {
  if (error instanceof ApiError && error.kind === 'unauthenticated') {
    return { kind: 'asked' };
  }
  if (!data) return { kind: 'unsaid' };
  const { name, role, signed_in: canSignOut } = data;
  return { kind: 'known', name, isOperator: role !== 'viewer', canSignOut };
}

/** What is said in place of what a viewer may not use. */
export const READS_ONLY = 'You may read here; this takes the role operator.';

/** Whoever is not known to be forbidden to act may try: the server decides. */
export function mayAct(visitor: Visitor): boolean {
  return visitor.kind !== 'known' || visitor.isOperator;
}
