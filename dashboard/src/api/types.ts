/**
 * What the server answers, by hand. These types will be generated from the server's OpenAPI document once it serves
 * one; until then this file is the contract. Times are microseconds since 1970.
 */

export type SessionStatus =
  | 'pending'
  | 'in_progress'
  | 'cancelling'
  | 'completed'
  | 'completed_with_errors'
  | 'failed'
  | 'timed_out'
  | 'cancelled';

/** One investigation as a list shows it: the totals are kept on the row, nothing here costs a second query. */
export interface SessionSummary {
  session_id: string;
  alert_id: string;
  alert_type: string;
  chain_id: string;
  author: string | null;
  status: SessionStatus;
  current_step: string | null;
  error_message: string | null;
  created_at_us: number;
  started_at_us: number | null;
  completed_at_us: number | null;
  stages_total: number;
  stages_done: number;
  stages_failed: number;
  llm_interactions: number;
  mcp_interactions: number;
  /** Cached tokens included. */
  input_tokens: number;
  /** Thinking tokens included. */
  output_tokens: number;
  thinking_tokens: number;
  cached_tokens: number;
}

/** The answer to `GET /api/v1/sessions`. */
export interface SessionPage {
  sessions: SessionSummary[];
  /** Where the next, older page begins; null on the last one. */
  next_cursor: string | null;
}

/** The answer to `GET /health`. */
export interface HealthResponse {
  status: 'ok';
  version: string;
}
