/** Loads the current user, and signs in and out. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getJson, post, postJson } from '../api/client';
import type { Me } from '../api/types';
import { useLiveHub } from '../live/context';
import { type CurrentUser, canOperate, currentUserOf } from './model';

const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getJson<Me>('/api/v1/me', signal),
  // A role changes only when a token is revoked or a proxy changes its headers; a refetch when the page
  // regains focus is enough.
  staleTime: 60_000,
});

export function useCurrentUser(): CurrentUser {
  return currentUserOf(useQuery(meQuery));
}

/** Returns whether to show controls that change something. */
export function useCanOperate(): boolean {
  return canOperate(useCurrentUser());
}

export function useSignIn() {
  const refetchEverything = useRefetchEverything();
  return useMutation({
    mutationFn: (token: string) => postJson<Me>('/api/v1/sign-in', { token }),
    onSuccess: refetchEverything,
  });
}

export function useSignOut() {
  const refetchEverything = useRefetchEverything();
  return useMutation({ mutationFn: () => post('/api/v1/sign-out'), onSuccess: refetchEverything });
}

/** Another user may see other data, so all queries are reset and the live socket is checked. */
function useRefetchEverything() {
  const queries = useQueryClient();
  const live = useLiveHub();
  return () => {
    live.wake();
    return queries.resetQueries();
  };
}
