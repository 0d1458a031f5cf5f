/** A stub server for tests: each path returns the response that the test defines. */
import { vi } from 'vitest';
import type { SessionPage, SessionSummary } from '../api/types';

type StubResponse = () => Promise<Response>;

export const json =
  (body: object, code = 200): StubResponse =>
  async () =>
    Response.json(body, { status: code });
export const status =
  (code: number): StubResponse =>
  async () =>
    new Response('', { status: code });
/** An error response with a message from the server. */
export const errorResponse = (code: number, message: string): StubResponse =>
  json({ error: { code: 'any', message } }, code);
export const noResponse: StubResponse = () => new Promise(() => {});
export const unreachable: StubResponse = async () => {
  throw new TypeError('fetch failed');
};

export const healthy = json({ status: 'ok', version: '0.1.0' });

/** A request that the dashboard has sent. */
export interface RecordedRequest {
  path: string;
  search: string;
  method: string;
  body: unknown;
}

/**
 * Stubs `fetch` by path, without the query string, and records the requests. An unexpected path fails the
 * test.
 */
export function serve(responses: Record<string, StubResponse>): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  vi.stubGlobal('fetch', (address: string, request?: RequestInit) => {
    const [path = '', search = ''] = address.split('?', 2);
    const body = typeof request?.body === 'string' ? JSON.parse(request.body) : null;
    requests.push({ path, search, method: request?.method ?? 'GET', body });
    const respond = responses[path];
    return respond ? respond() : Promise.reject(new Error(`no stub response for ${path}`));
  });
  return requests;
}

/** Everything the sessions page loads except the list: no running or queued sessions, no filter options. */
export const emptyServer: Record<string, StubResponse> = {
  '/health': healthy,
  '/api/v1/sessions/active': json({ running: [], running_total: 0, queued: [], queued_total: 0 }),
  '/api/v1/sessions/filter-options': json({ alert_types: [], authors: [], chain_ids: [], statuses: [] }),
};

export const page = (...sessions: SessionSummary[]): SessionPage => ({
  sessions,
  next_cursor: null,
  pagination: null,
});

/** A typical session; a test overrides what matters to it. */
export function session(overrides: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: '019a8000-0000-7000-8000-000000000001',
    alert_id: 'alert-1',
    alert_type: 'PodFailure',
    chain_id: 'kubernetes-troubleshooting-chain',
    author: 'on-call',
    status: 'completed',
    current_step: null,
    error_message: null,
    created_at_us: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000,
    started_at_us: null,
    completed_at_us: null,
    stages_total: 4,
    stages_done: 2,
    stages_failed: 0,
    llm_interactions: 0,
    mcp_interactions: 0,
    input_tokens: 12_000,
    output_tokens: 345,
    thinking_tokens: 100,
    cached_tokens: 8_000,
    hit: null,
    ...overrides,
  };
}
