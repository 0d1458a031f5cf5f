/** Queries of the system page, polled while it is open. */
import { queryOptions } from '@tanstack/react-query';
import { getJson, getJsonAllowing } from '../api/client';
import type { ConfigResponse, McpServers, ReadyResponse, WarningsResponse } from '../api/types';

const REFETCH_MS = 5_000;

export const readyQuery = queryOptions({
  queryKey: ['system', 'ready'],
  // A server that is not ready responds with 503 and the same body.
  queryFn: ({ signal }) => getJsonAllowing<ReadyResponse>('/ready', 503, signal),
  refetchInterval: REFETCH_MS,
});

export const mcpServersQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: ({ signal }) => getJson<McpServers>('/api/v1/system/mcp-servers', signal),
  refetchInterval: REFETCH_MS,
});

export const warningsQuery = queryOptions({
  queryKey: ['system', 'warnings'],
  queryFn: ({ signal }) => getJson<WarningsResponse>('/api/v1/system/warnings', signal),
  refetchInterval: REFETCH_MS,
});

/** It changes only when the server restarts. */
export const configQuery = queryOptions({
  queryKey: ['system', 'config'],
  queryFn: ({ signal }) => getJson<ConfigResponse>('/api/v1/system/config', signal),
  staleTime: 60_000,
});
