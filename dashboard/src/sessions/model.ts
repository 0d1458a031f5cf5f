/** What the table of sessions shows: from what the server said to a view, from a session to a row. Pure. */
import type { Session, SessionSummary } from '../api/types';
import { compactCount, wholeCount } from '../format/count';
import { ageText, durationText, elapsedText } from '../format/duration';
import { type Moment, momentOf } from '../format/time';
import { staleReason } from '../ui/failure';
import { type StatusLook, sessionStatusLook } from '../ui/status';

/** A piece of an excerpt; those that were searched for are marked. */
export interface ExcerptPart {
  text: string;
  matched: boolean;
}

/** One line of the table, every cell already decided. */
export interface SessionRow {
  id: string;
  status: StatusLook;
  /** What it is doing, why it stopped, or where it has what was searched for. */
  remark: ExcerptPart[];
  /** Where in the session the remark stands, if it is an entry of the timeline. */
  anchor: string | undefined;
  alertType: string;
  chain: string;
  author: string;
  created: Moment;
  age: string;
  duration: string;
  tokens: { text: string; detail: string };
  stages: string;
}

const NOTHING = '–';

export function sessionRow(session: SessionSummary, nowMs: number): SessionRow {
  return {
    id: session.session_id,
    status: sessionStatusLook(session.status),
    remark: remarkOf(session),
    anchor: session.hit?.timeline_event_id ? `event-${session.hit.timeline_event_id}` : undefined,
    alertType: session.alert_type,
    chain: session.chain_id,
    author: session.author ?? NOTHING,
    created: momentOf(session.created_at_us),
    age: ageText(nowMs - session.created_at_us / 1000),
    duration: sessionDuration(session, nowMs),
    tokens: tokensOf(session),
    stages: stagesOf(session),
  };
}

/** An excerpt outweighs the rest: it is what the reader asked for. */
function remarkOf({ hit, error_message, current_step }: SessionSummary): ExcerptPart[] {
  if (hit && hit.snippet.length > 0) return nearMatch(hit.snippet);
  const text = error_message ?? current_step;
  return text === null ? [] : [{ text, matched: false }];
}

const BEFORE_MATCH = 16;

/** A row is narrow: what was searched for must not be cut off at its end. */
function nearMatch(snippet: readonly ExcerptPart[]): ExcerptPart[] {
  const [first, ...rest] = snippet;
  if (!first || first.matched || first.text.length <= BEFORE_MATCH) return [...snippet];
  return [{ text: `…${first.text.slice(-BEFORE_MATCH)}`, matched: false }, ...rest];
}

/** From the first worker to the end, or to now. */
export function sessionDuration({ started_at_us, completed_at_us }: Session, nowMs: number): string {
  if (started_at_us === null) return NOTHING;
  return completed_at_us === null
    ? elapsedText(nowMs - started_at_us / 1000)
    : durationText((completed_at_us - started_at_us) / 1000);
}

function tokensOf({ input_tokens, output_tokens, thinking_tokens, cached_tokens }: Session) {
  const input = `${wholeCount(input_tokens)} in (${wholeCount(cached_tokens)} cached)`;
  const output = `${wholeCount(output_tokens)} out (${wholeCount(thinking_tokens)} thinking)`;
  return { text: compactCount(input_tokens + output_tokens), detail: `${input}, ${output}` };
}

function stagesOf({ stages_done, stages_total, stages_failed }: Session): string {
  const done = `${stages_done} of ${stages_total}`;
  return stages_failed > 0 ? `${done}, ${stages_failed} failed` : done;
}

export type SessionsView =
  | { kind: 'loading' }
  | { kind: 'failed'; error: Error }
  | { kind: 'empty' }
  | { kind: 'no_match' }
  | { kind: 'table'; stale: string | null };

export interface SessionsAnswer {
  /** How many sessions are there to show; undefined before the first answer. */
  count: number | undefined;
  error: Error | null;
  isFiltered: boolean;
}

/** A list once seen stays: it is drawn until a newer one arrives, whatever happens to the connection. */
export function sessionsView({ count, error, isFiltered }: SessionsAnswer): SessionsView {
  if (count === undefined) return error ? { kind: 'failed', error } : { kind: 'loading' };
  if (count === 0) return { kind: isFiltered ? 'no_match' : 'empty' };
  return { kind: 'table', stale: staleReason(error) };
}
