/** Queries of the sessions page, and how live messages update them. */
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { getJson } from '../api/client';
import type { ActiveSessions, FilterOptions, ProcessingStatus, SessionPage } from '../api/types';
import type { HubMessage } from '../live/hub';
import { progressOf } from '../live/progress';
import { useChannel } from '../live/useChannel';
import { useThrottled } from '../ui/useThrottled';
import { type SessionFilters, sessionsPath } from './filters';
import { mergePages } from './list';
import { applyToActive, applyToPage, needsRefetch } from './live';

const PAGE_SIZE = 100;
/** Fallback polling; live messages normally arrive first. */
const REFETCH_MS = 15_000;
/** Limits refetches while many alerts arrive. */
const REFETCH_THROTTLE_MS = 1_000;

const ACTIVE = ['sessions', 'active'] as const;
const LISTS = ['sessions', 'list'] as const;
const NEWEST = ['sessions', 'newest'] as const;
const PROGRESS = ['sessions', 'progress'] as const;

export const activeQuery = queryOptions({
  queryKey: ACTIVE,
  queryFn: ({ signal }) => getJson<ActiveSessions>('/api/v1/sessions/active', signal),
  refetchInterval: REFETCH_MS,
});

export const filterOptionsQuery = queryOptions({
  queryKey: ['sessions', 'filter-options'],
  queryFn: ({ signal }) => getJson<FilterOptions>('/api/v1/sessions/filter-options', signal),
  staleTime: 60_000,
});

/** Progress of a session for its card. Live messages replace it. */
export const progressQuery = (sessionId: string, alertId: string) =>
  queryOptions({
    queryKey: [...PROGRESS, sessionId],
    queryFn: ({ signal }) =>
      getJson<ProcessingStatus>(`/processing-status/${encodeURIComponent(alertId)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The pages that the user scrolled through. They are loaded once; changes arrive with the newest page. */
export const listQuery = (filters: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: [...LISTS, filters],
    queryFn: async ({ signal, pageParam, client }) => {
      const path = sessionsPath(filters, PAGE_SIZE, pageParam, Date.now());
      const page = await getJson<SessionPage>(path, signal);
      // The first page is also the newest page, so it is not requested twice.
      if (pageParam === null) client.setQueryData([...NEWEST, filters], page);
      return page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

const newestQuery = (filters: SessionFilters) =>
  queryOptions({
    queryKey: [...NEWEST, filters],
    queryFn: ({ signal }) => getJson<SessionPage>(sessionsPath(filters, PAGE_SIZE, null, Date.now()), signal),
    refetchInterval: REFETCH_MS,
  });

/** Returns the filtered list, merged from the loaded pages and the newest page. */
export function useSessionList(filters: SessionFilters) {
  const queryClient = useQueryClient();
  const pages = useInfiniteQuery(listQuery(filters));
  const newest = useQuery({
    ...newestQuery(filters),
    enabled: pages.isSuccess,
    staleTime: REFETCH_MS,
  });
  const list = useMemo(
    () => pages.data && mergePages(pages.data.pages, newest.data),
    [pages.data, newest.data],
  );
  return {
    list,
    error: pages.error ?? newest.error,
    isComplete: pages.isSuccess && !pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    loadMoreFailed: pages.isFetchNextPageError,
    loadMore: () => void pages.fetchNextPage({ cancelRefetch: false }),
    /** Reloads from the newest page, for a list with a gap. */
    reset: () => queryClient.resetQueries({ queryKey: [...LISTS, filters] }),
    retry: () => void pages.refetch(),
  };
}

/** Applies live messages to all loaded queries. */
export function useLiveSessions(): void {
  const queryClient = useQueryClient();
  const refetchLists = useThrottled(() => {
    for (const queryKey of [ACTIVE, NEWEST]) {
      void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
    }
  }, REFETCH_THROTTLE_MS);
  useChannel('sessions', (message) => {
    if (needsRefetch(message, queryClient.getQueryData(ACTIVE))) refetchLists();
    updateQueries(queryClient, message);
  });
}

function updateQueries(queryClient: QueryClient, message: HubMessage): void {
  queryClient.setQueryData<ActiveSessions>(ACTIVE, (active) => active && applyToActive(active, message));
  queryClient.setQueriesData<SessionPage>({ queryKey: NEWEST }, (page) => page && applyToPage(page, message));
  queryClient.setQueriesData<{ pages: SessionPage[] }>({ queryKey: LISTS }, (list) => {
    if (!list) return list;
    const pages = list.pages.map((page) => applyToPage(page, message));
    return pages.every((page, index) => page === list.pages[index]) ? list : { ...list, pages };
  });
  const progress = progressOf(message);
  if (progress) queryClient.setQueryData([...PROGRESS, progress.session_id], progress);
  if (message.type === 'gap' || (message.type === 'joined' && message.isReconnect)) {
    void queryClient.invalidateQueries({ queryKey: PROGRESS });
  }
}
