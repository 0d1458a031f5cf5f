/** Queries and mutations of the session page. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { getJson, postJson } from '../api/client';
import type { Chat, SessionDetail, TimelinePage } from '../api/types';

const PAGE_SIZE = 500;

export const sessionPath = (sessionId: string): string => `/api/v1/sessions/${encodeURIComponent(sessionId)}`;

export const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['session', sessionId],
    queryFn: ({ signal }) => getJson<SessionDetail>(sessionPath(sessionId), signal),
    // The live stream triggers refetches; this interval is the fallback while it is disconnected.
    refetchInterval: 30_000,
  });

export const chatQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['session', sessionId, 'chat'],
    queryFn: ({ signal }) => getJson<Chat>(`${sessionPath(sessionId)}/chat/messages`, signal),
    refetchInterval: 30_000,
  });

export const readTimelinePage = (sessionId: string, after: number, signal: AbortSignal) =>
  getJson<TimelinePage>(`${sessionPath(sessionId)}/timeline?after=${after}&limit=${PAGE_SIZE}`, signal);

/** Requests the cancellation of a session. */
export function useCancelSession(sessionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => postJson<unknown>(`${sessionPath(sessionId)}/cancel`, {}),
    networkMode: 'always',
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['session', sessionId], exact: true }),
  });
}

/** Sends a chat question about a session. */
export function useAskQuestion(sessionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (content: string) =>
      postJson<unknown>(`${sessionPath(sessionId)}/chat/messages`, { content }),
    networkMode: 'always',
    onSettled: () => queryClient.invalidateQueries({ queryKey: chatQuery(sessionId).queryKey }),
  });
}
