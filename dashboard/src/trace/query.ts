/** What the trace page asks the server, and when it asks again. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { getJson } from '../api/client';
import type { LlmInteraction, McpInteraction, SessionDetail, Trace } from '../api/types';
import { useChannel } from '../live/useChannel';
import { hasEnded } from '../ui/status';
import { useThrottled } from '../ui/useThrottled';

const REFETCH_MS = 10_000;
const CATCH_UP_MS = 1_000;

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

/** A call that is recorded does not change any more. */
export const llmQuery = (sessionId: string, id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: ({ signal }) =>
      getJson<LlmInteraction>(`${pathOf(sessionId)}/trace/llm/${encodeURIComponent(id)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** What an agent is told of a result may be recorded after the result itself. */
export const mcpQuery = (sessionId: string, id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: ({ signal }) =>
      getJson<McpInteraction>(`${pathOf(sessionId)}/trace/mcp/${encodeURIComponent(id)}`, signal),
    staleTime: REFETCH_MS,
    gcTime: 60_000,
  });

/** The calls of a session and who made them, as long as it goes on. */
export function useTrace(sessionId: string) {
  const queryClient = useQueryClient();
  const session = useQuery({
    ...sessionQuery(sessionId),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.status) ? false : REFETCH_MS),
  });
  const trace = useQuery(traceQuery(sessionId));
  const readAgain = useThrottled(
    () => void queryClient.invalidateQueries({ queryKey: keyOf(sessionId) }, { cancelRefetch: false }),
    CATCH_UP_MS,
  );
  useChannel('sessions', (news) => {
    const isAbout = 'data' in news && 'session_id' in news.data && news.data.session_id === sessionId;
    if (isAbout || news.type === 'gap' || (news.type === 'joined' && news.again)) readAgain();
  });
  return { session, trace };
}
