/** What the sessions page asks the server, and how live news get into the answers. */
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
import type { News } from '../live/hub';
import { progressOf } from '../live/progress';
import { useChannel } from '../live/useChannel';
import { useThrottled } from '../ui/useThrottled';
import { type SessionFilters, sessionsPath } from './filters';
import { joinedList } from './list';
import { activeAfter, asksForLists, pageAfter } from './live';

const PAGE_SIZE = 100;
/** Live news come at once; this is the net below them. */
const REFETCH_MS = 15_000;
/** In a storm of alerts the lists are not read for each of them. */
const CATCH_UP_MS = 1_000;

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

/** How far a session is, for its card. News replace it. */
export const progressQuery = (sessionId: string, alertId: string) =>
  queryOptions({
    queryKey: [...PROGRESS, sessionId],
    queryFn: ({ signal }) =>
      getJson<ProcessingStatus>(`/processing-status/${encodeURIComponent(alertId)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The pages that a reader has scrolled through. They are read once: the newest page tells what is new. */
export const listQuery = (filters: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: [...LISTS, filters],
    queryFn: async ({ signal, pageParam, client }) => {
      const path = sessionsPath(filters, PAGE_SIZE, pageParam, Date.now());
      const page = await getJson<SessionPage>(path, signal);
      // The first page is the newest one just now: it need not be asked for twice.
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

/** The list for the filters, from the pages and the newest one. */
export function useSessionList(filters: SessionFilters) {
  const queryClient = useQueryClient();
  const pages = useInfiniteQuery(listQuery(filters));
  const newest = useQuery({
    ...newestQuery(filters),
    enabled: pages.isSuccess,
    staleTime: REFETCH_MS,
  });
  const list = useMemo(
    () => pages.data && joinedList(pages.data.pages, newest.data),
    [pages.data, newest.data],
  );
  return {
    list,
    error: pages.error ?? newest.error,
    isWhole: pages.isSuccess && !pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    loadMoreFailed: pages.isFetchNextPageError,
    loadMore: () => void pages.fetchNextPage({ cancelRefetch: false }),
    /** Begins anew with the newest page, for a list in which some are missing. */
    reset: () => queryClient.resetQueries({ queryKey: [...LISTS, filters] }),
    retry: () => void pages.refetch(),
  };
}

/** Puts live news into everything that the page has. */
export function useLiveSessions(): void {
  const queryClient = useQueryClient();
  const readAgain = useThrottled(() => {
    for (const queryKey of [ACTIVE, NEWEST]) {
      void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
    }
  }, CATCH_UP_MS);
  useChannel('sessions', (news) => {
    if (asksForLists(news, queryClient.getQueryData(ACTIVE))) readAgain();
    takeIn(queryClient, news);
  });
}

function takeIn(queryClient: QueryClient, news: News): void {
  queryClient.setQueryData<ActiveSessions>(ACTIVE, (active) => active && activeAfter(active, news));
  queryClient.setQueriesData<SessionPage>({ queryKey: NEWEST }, (page) => page && pageAfter(page, news));
  queryClient.setQueriesData<{ pages: SessionPage[] }>({ queryKey: LISTS }, (list) => {
    if (!list) return list;
    const pages = list.pages.map((page) => pageAfter(page, news));
    return pages.every((page, place) => page === list.pages[place]) ? list : { ...list, pages };
  });
  const progress = progressOf(news);
  if (progress) queryClient.setQueryData([...PROGRESS, progress.session_id], progress);
  if (news.type === 'gap' || (news.type === 'joined' && news.again)) {
    void queryClient.invalidateQueries({ queryKey: PROGRESS });
  }
}
