/** Queries of the submit form. */
import { queryOptions } from '@tanstack/react-query';
import { getJson } from '../api/client';
import type { AlertTypes, McpServers, Runbooks, SessionDetail } from '../api/types';
import { dataFormat } from './format';

export const alertTypesQuery = queryOptions({
  queryKey: ['alert-types'],
  queryFn: ({ signal }) => getJson<AlertTypes>('/api/v1/alert-types', signal),
  staleTime: 60_000,
});

export const runbooksQuery = queryOptions({
  queryKey: ['runbooks'],
  queryFn: ({ signal }) => getJson<Runbooks>('/api/v1/runbooks', signal),
  staleTime: 60_000,
});

export const serversQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: ({ signal }) => getJson<McpServers>('/api/v1/system/mcp-servers', signal),
  staleTime: 10_000,
});

export const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['submit', 'from', sessionId],
    queryFn: ({ signal }) =>
      getJson<SessionDetail>(`/api/v1/sessions/${encodeURIComponent(sessionId)}`, signal),
    // A refetch must not change the form while the user edits it.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Not a server request; a query because the YAML parser may have to be loaded. */
export const formatQuery = (text: string) =>
  queryOptions({
    queryKey: ['submit', 'format', text],
    queryFn: () => dataFormat(text),
    staleTime: Number.POSITIVE_INFINITY,
    // Texts may be large, and most are intermediate states of typing.
    gcTime: 0,
    placeholderData: (previous) => previous,
  });
