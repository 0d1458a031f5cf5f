/** Asks the server who we are, and signs in and out. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getJson, post, postJson } from '../api/client';
import type { Me } from '../api/types';
import { useLiveHub } from '../live/context';
import { mayAct, type Visitor, visitorOf } from './model';

const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getJson<Me>('/api/v1/me', signal),
  // A role changes when a token is revoked or a proxy says so: coming back to the page is often enough.
  staleTime: 60_000,
});

export function useVisitor(): Visitor {
  return visitorOf(useQuery(meQuery));
}

/** Whether to offer what changes something. */
export function useMayAct(): boolean {
  return mayAct(useVisitor());
}

export function useSignIn() {
  const startOver = useStartOver();
  return useMutation({
    mutationFn: (token: string) => postJson<Me>('/api/v1/sign-in', { token }),
    onSuccess: startOver,
  });
}

export function useSignOut() {
  const startOver = useStartOver();
  return useMutation({ mutationFn: () => post('/api/v1/sign-out'), onSuccess: startOver });
}

/** Somebody else may see other things: everything is asked again. */
function useStartOver() {
  const queries = useQueryClient();
  const live = useLiveHub();
  return () => {
    live.wake();
    return queries.resetQueries();
  };
}
