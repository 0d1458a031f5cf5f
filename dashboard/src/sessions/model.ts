/** The content of the sessions table: which state it shows, and the cells of each row. Pure. */
import type { Session, SessionSummary } from '../api/types';
import { compactCount, wholeCount } from '../format/count';
import { ageText, durationText, elapsedText } from '../format/duration';
import { type Moment, momentOf } from '../format/time';
import { staleReason } from '../ui/failure';
import { type StatusLook, sessionStatusLook } from '../ui/status';

/** Part of a search excerpt; `matched` parts are highlighted. */
export interface ExcerptPart {
  text: string;
  matched: boolean;
}

/** The cells of one row. */
export interface SessionRow {
  id: string;
  status: StatusLook;
  /** Search excerpt, error message or current step. */
  note: ExcerptPart[];
  /** URL fragment of the matching timeline entry, if the match is one. */
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

const EMPTY_CELL = '–';

export function sessionRow(session: SessionSummary, nowMs: number): SessionRow {
  return {
    id: session.session_id,
    status: sessionStatusLook(session.status),
    note: noteOf(session),
    anchor: session.hit?.timeline_event_id ? `event-${session.hit.timeline_event_id}` : undefined,
    alertType: session.alert_type,
    chain: session.chain_id,
    author: session.author ?? EMPTY_CELL,
    created: momentOf(session.created_at_us),
    age: ageText(nowMs - session.created_at_us / 1000),
    duration: sessionDuration(session, nowMs),
    tokens: tokensOf(session),
    stages: stagesOf(session),
  };
}

/** A search excerpt takes precedence: the user searched for it. */
function noteOf({ hit, error_message, current_step }: SessionSummary): ExcerptPart[] {
  if (hit && hit.snippet.length > 0) return trimBeforeMatch(hit.snippet);
  const text = error_message ?? current_step;
  return text === null ? [] : [{ text, matched: false }];
}

const BEFORE_MATCH = 16;

/** Rows are narrow, so the text before the match is shortened to keep the match visible. */
function trimBeforeMatch(snippet: readonly ExcerptPart[]): ExcerptPart[] {
  const [first, ...rest] = snippet;
  if (!first || first.matched || first.text.length <= BEFORE_MATCH) return [...snippet];
  return [{ text: `…${first.text.slice(-BEFORE_MATCH)}`, matched: false }, ...rest];
}

/** Returns the time from the first start to the end, or to now. */
export function sessionDuration({ started_at_us, completed_at_us }: Session, nowMs: number): string {
  if (started_at_us === null) return EMPTY_CELL;
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

export interface SessionsQueryState {
  /** Number of loaded sessions; undefined before the first response. */
  count: number | undefined;
  error: Error | null;
  isFiltered: boolean;
}

/** A loaded list stays visible, even if the connection is lost. */
export function sessionsView({ count, error, isFiltered }: SessionsQueryState): SessionsView {
  if (count === undefined) return error ? { kind: 'failed', error } : { kind: 'loading' };
  if (count === 0) return { kind: isFiltered ? 'no_match' : 'empty' };
  return { kind: 'table', stale: staleReason(error) };
}
