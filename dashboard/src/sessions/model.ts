/** What the sessions page shows: from the query's state to a view, from a session to a row. Pure. */
import { ApiError } from '../api/client';
import type { SessionPage, SessionStatus, SessionSummary } from '../api/types';
import { compactCount, wholeCount } from '../format/count';
import { type Moment, momentOf } from '../format/time';
import type { Tone } from '../ui/tone';

export interface StatusLook {
  label: string;
  tone: Tone;
}

const looks: Record<SessionStatus, StatusLook> = {
  pending: { label: 'Queued', tone: 'neutral' },
  in_progress: { label: 'Running', tone: 'active' },
  cancelling: { label: 'Cancelling', tone: 'warning' },
  completed: { label: 'Completed', tone: 'good' },
  completed_with_errors: { label: 'Completed with errors', tone: 'warning' },
  failed: { label: 'Failed', tone: 'bad' },
  timed_out: { label: 'Timed out', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
};

export const statusLook = (status: SessionStatus): StatusLook => looks[status];

/** One line of the table, every cell already decided. */
export interface SessionRow {
  id: string;
  status: StatusLook;
  /** What it is doing, or why it stopped. */
  remark: string | null;
  alertType: string;
  chain: string;
  author: string;
  created: Moment;
  tokens: { text: string; detail: string };
  stages: string;
}

export function sessionRow(session: SessionSummary): SessionRow {
  return {
    id: session.session_id,
    status: statusLook(session.status),
    remark: session.error_message ?? session.current_step,
    alertType: session.alert_type,
    chain: session.chain_id,
    author: session.author ?? '–',
    created: momentOf(session.created_at_us),
    tokens: tokensOf(session),
    stages: stagesOf(session),
  };
}

function tokensOf({ input_tokens, output_tokens, thinking_tokens, cached_tokens }: SessionSummary) {
  const input = `${wholeCount(input_tokens)} in (${wholeCount(cached_tokens)} cached)`;
  const output = `${wholeCount(output_tokens)} out (${wholeCount(thinking_tokens)} thinking)`;
  return { text: compactCount(input_tokens + output_tokens), detail: `${input}, ${output}` };
}

function stagesOf({ stages_done, stages_total, stages_failed }: SessionSummary): string {
  const done = `${stages_done} of ${stages_total}`;
  return stages_failed > 0 ? `${done}, ${stages_failed} failed` : done;
}

export type SessionsView =
  | { kind: 'loading' }
  | { kind: 'failed'; reason: string }
  | { kind: 'empty' }
  | { kind: 'table'; rows: SessionRow[]; older: boolean; stale: string | null };

export interface SessionsAnswer {
  data: SessionPage | undefined;
  error: Error | null;
}

/** A list once seen stays: it is drawn until a newer one arrives, whatever happens to the connection. */
export function sessionsView({ data, error }: SessionsAnswer): SessionsView {
  if (!data) return error ? { kind: 'failed', reason: error.message } : { kind: 'loading' };
  if (data.sessions.length === 0) return { kind: 'empty' };
  return {
    kind: 'table',
    rows: data.sessions.map(sessionRow),
    older: data.next_cursor !== null,
    stale: staleReason(error),
  };
}

/** The shell already says that nobody answers; only other faults are the page's to tell. */
function staleReason(error: Error | null): string | null {
  if (!error) return null;
  return error instanceof ApiError && error.kind === 'unreachable' ? null : error.message;
}
