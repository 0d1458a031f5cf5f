/**
 * Filters of the session list, parsed from the URL and serialized for the server. Pure. Invalid values are
 * ignored, so that an old or mistyped link still opens the list.
 */
import type { SessionStatus } from '../api/types';
import { listParam, textParam } from '../app/search';

/** Time range that ends now. */
export type TimeRange = '1h' | '24h' | '7d' | '30d';

export interface SessionFilters {
  status?: SessionStatus[];
  type?: string[];
  chain?: string[];
  range?: TimeRange;
  /** Local times in the format of `<input type="datetime-local">`. They override `range`. */
  from?: string;
  to?: string;
  q?: string;
}

const HOUR_MS = 3_600_000;

const ranges: Record<TimeRange, { label: string; ms: number }> = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
};

const statuses: Record<SessionStatus, true> = {
  pending: true,
  in_progress: true,
  cancelling: true,
  completed: true,
  completed_with_errors: true,
  failed: true,
  timed_out: true,
  cancelled: true,
};

export const allStatuses = Object.keys(statuses).filter(isStatus);
export const timeRanges = Object.keys(ranges).filter(isRange);
export const rangeLabel = (range: TimeRange): string => ranges[range].label;

function isStatus(text: string): text is SessionStatus {
  return Object.hasOwn(statuses, text);
}

export function isRange(text: string): text is TimeRange {
  return Object.hasOwn(ranges, text);
}

export function readFilters(search: Record<string, unknown>): SessionFilters {
  const filters: SessionFilters = {};
  const status = listParam(search.status).filter(isStatus);
  const type = listParam(search.type);
  const chain = listParam(search.chain);
  const range = textParam(search.range);
  const from = readLocalTime(search.from);
  const to = readLocalTime(search.to);
  const q = textParam(search.q);
  if (status.length > 0) filters.status = status;
  if (type.length > 0) filters.type = type;
  if (chain.length > 0) filters.chain = chain;
  if (range !== undefined && isRange(range)) filters.range = range;
  if (from !== undefined) filters.from = from;
  if (to !== undefined) filters.to = to;
  if (q !== undefined) filters.q = q;
  return filters;
}

function readLocalTime(value: unknown): string | undefined {
  const text = textParam(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}

export const isFiltered = (filters: SessionFilters): boolean => Object.keys(filters).length > 0;

/** Returns the API path of one page of the list. */
export function sessionsPath(
  filters: SessionFilters,
  limit: number,
  cursor: string | null,
  nowMs: number,
): string {
  const parameters = new URLSearchParams({ limit: String(limit) });
  if (cursor !== null) parameters.set('cursor', cursor);
  for (const status of filters.status ?? []) parameters.append('status', status);
  for (const type of filters.type ?? []) parameters.append('alert_type', type);
  for (const chain of filters.chain ?? []) parameters.append('chain_id', chain);
  const { fromMs, toMs } = spanOf(filters, nowMs);
  if (fromMs !== null) parameters.set('from_us', String(fromMs * 1000));
  if (toMs !== null) parameters.set('to_us', String(toMs * 1000));
  if (filters.q !== undefined) parameters.set('q', filters.q);
  return `/api/v1/sessions?${parameters}`;
}

function spanOf({ range, from, to }: SessionFilters, nowMs: number) {
  if (from !== undefined || to !== undefined) {
    return {
      fromMs: from === undefined ? null : Date.parse(from),
      toMs: to === undefined ? null : Date.parse(to),
    };
  }
  return { fromMs: range === undefined ? null : nowMs - ranges[range].ms, toMs: null };
}
