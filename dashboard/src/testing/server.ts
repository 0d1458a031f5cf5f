/** A scripted server for tests: each path answers what the test says, from one call to the next. */
import { vi } from 'vitest';
import type { SessionPage, SessionSummary } from '../api/types';

type Answer = () => Promise<Response>;

export const json =
  (body: object, code = 200): Answer =>
  async () =>
    Response.json(body, { status: code });
export const status =
  (code: number): Answer =>
  async () =>
    new Response('', { status: code });
/** An error in the server's own words. */
export const refusal = (code: number, message: string): Answer =>
  json({ error: { code: 'any', message } }, code);
export const silence: Answer = () => new Promise(() => {});
export const unreachable: Answer = async () => {
  throw new TypeError('fetch failed');
};

export const healthy = json({ status: 'ok', version: '0.1.0' });

/** What was asked, in order. */
export interface AskedRequest {
  path: string;
  search: string;
  method: string;
  body: unknown;
}

/** Answers by path, without the query; a path that is not scripted is a fault of the test. */
export function serve(answers: Record<string, Answer>): AskedRequest[] {
  const asked: AskedRequest[] = [];
  vi.stubGlobal('fetch', (address: string, request?: RequestInit) => {
    const [path = '', search = ''] = address.split('?', 2);
    const body = typeof request?.body === 'string' ? JSON.parse(request.body) : null;
    asked.push({ path, search, method: request?.method ?? 'GET', body });
    const answer = answers[path];
    return answer ? answer() : Promise.reject(new Error(`the test does not say what ${path} answers`));
  });
  return asked;
}

/** Nothing runs, nothing waits, nothing to filter by: what the sessions page asks besides the list. */
export const quiet: Record<string, Answer> = {
  '/health': healthy,
  '/api/v1/sessions/active': json({ running: [], running_total: 0, queued: [], queued_total: 0 }),
  '/api/v1/sessions/filter-options': json({ alert_types: [], authors: [], chain_ids: [], statuses: [] }),
};

export const page = (...sessions: SessionSummary[]): SessionPage => ({ sessions, next_cursor: null });

/** A session that says nothing unusual; a test overrides what it is about. */
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
