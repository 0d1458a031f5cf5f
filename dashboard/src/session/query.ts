/** What the session page asks the server for, and asks it to do. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { getJson, postJson } from '../api/client';
import type { Chat, SessionDetail, TimelinePage } from '../api/types';

const PAGE_SIZE = 500;

export const sessionPath = (sessionId: string): string => `/api/v1/sessions/${encodeURIComponent(sessionId)}`;

export const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['session', sessionId],
    queryFn: ({ signal }) => getJson<SessionDetail>(sessionPath(sessionId), signal),
    // The live stream says when to ask again; this only covers for a stream that is away.
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

/** Asks a session to stop. */
export function useCancelSession(sessionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => postJson<unknown>(`${sessionPath(sessionId)}/cancel`, {}),
    networkMode: 'always',
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['session', sessionId], exact: true }),
  });
}

/** Asks a question about a session. */
export function useAskQuestion(sessionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (content: string) =>
      postJson<unknown>(`${sessionPath(sessionId)}/chat/messages`, { content }),
    networkMode: 'always',
    onSettled: () => queryClient.invalidateQueries({ queryKey: chatQuery(sessionId).queryKey }),
  });
}
