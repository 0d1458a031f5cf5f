/** Polls the health endpoint and combines the result with the state of the live socket. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getJson } from '../api/client';
import type { HealthResponse } from '../api/types';
import { useLiveState } from '../live/useChannel';
import { type Connection, connectionOf } from './model';

export const HEALTH_INTERVAL_MS = 3_000;

const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => getJson<HealthResponse>('/health', signal),
  refetchInterval: HEALTH_INTERVAL_MS,
});

export function useConnection(): Connection {
  return connectionOf(useQuery(healthQuery), useLiveState());
}
