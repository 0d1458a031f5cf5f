/** Queries of the trace page. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { getJson } from '../api/client';
import type { LlmInteraction, McpInteraction, SessionDetail, Trace } from '../api/types';
import { useChannel } from '../live/useChannel';
import { hasEnded } from '../ui/status';
import { useThrottled } from '../ui/useThrottled';

const REFETCH_MS = 10_000;
const REFETCH_THROTTLE_MS = 1_000;

const pathOf = (sessionId: string) => `/api/v1/sessions/${encodeURIComponent(sessionId)}`;
const keyOf = (sessionId: string) => ['trace', sessionId] as const;

const traceQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...keyOf(sessionId), 'calls'],
    queryFn: ({ signal }) => getJson<Trace>(`${pathOf(sessionId)}/trace`, signal),
  });

const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...keyOf(sessionId), 'session'],
    queryFn: ({ signal }) => getJson<SessionDetail>(pathOf(sessionId), signal),
  });

/** Recorded calls never change. */
export const llmQuery = (sessionId: string, id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: ({ signal }) =>
      getJson<LlmInteraction>(`${pathOf(sessionId)}/trace/llm/${encodeURIComponent(id)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** The result as delivered to the agent may be recorded after the raw result. */
export const mcpQuery = (sessionId: string, id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: ({ signal }) =>
      getJson<McpInteraction>(`${pathOf(sessionId)}/trace/mcp/${encodeURIComponent(id)}`, signal),
    staleTime: REFETCH_MS,
    gcTime: 60_000,
  });

/** Returns the calls of a session and their agents; refetches while the session runs. */
export function useTrace(sessionId: string) {
  const queryClient = useQueryClient();
  const session = useQuery({
    ...sessionQuery(sessionId),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.status) ? false : REFETCH_MS),
  });
  const trace = useQuery(traceQuery(sessionId));
  const refetchTrace = useThrottled(
    () => void queryClient.invalidateQueries({ queryKey: keyOf(sessionId) }, { cancelRefetch: false }),
    REFETCH_THROTTLE_MS,
  );
  useChannel('sessions', (message) => {
    const isAbout =
      'data' in message && 'session_id' in message.data && message.data.session_id === sessionId;
    if (isAbout || message.type === 'gap' || (message.type === 'joined' && message.isReconnect))
      refetchTrace();
  });
  return { session, trace };
}
