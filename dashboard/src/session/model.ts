/** What the top of the session page shows: from the server's answer and the live stream to words. Pure. */
import type { SessionDetail, SessionStatus } from '../api/types';
import { compactCount, wholeCount } from '../format/count';
import { durationText, elapsedText } from '../format/duration';
import { sentence } from '../format/sentence';
import { type Moment, momentOf } from '../format/time';
import type { SessionStream } from '../live/sessionStream';
import { hasEnded, type StatusLook, sessionStatusLook } from '../ui/status';

/** A short piece of knowledge. `detail` is shown to whoever points at it. */
export interface Fact {
  label: string;
  text: string;
  detail?: string;
  moment?: Moment;
}

export interface SessionHead {
  title: string;
  status: StatusLook;
  isLive: boolean;
  /** What is being done, for a session that has not ended. */
  step: string | null;
  /** Why it ended badly; a session that was stopped on request did not. */
  error: string | null;
  /** Whether somebody can still ask it to stop. */
  canCancel: boolean;
  /** Who asked it to stop, and when. */
  cancelled: string | null;
  facts: Fact[];
}

/** The later of what the server answered and what was heard: a session that has ended stays ended. */
export function statusOf(detail: SessionDetail, stream: SessionStream): SessionStatus {
  if (hasEnded(detail.status) || stream.status === null) return detail.status;
  return stream.status;
}

export function sessionHead(detail: SessionDetail, stream: SessionStream, nowMs: number): SessionHead {
  const status = statusOf(detail, stream);
  const isLive = !hasEnded(status);
  return {
    title: detail.alert_type,
    status: sessionStatusLook(status),
    isLive,
    step: isLive ? (stream.progress?.current_step ?? detail.current_step) : null,
    error: status === 'cancelled' || detail.error_message === null ? null : sentence(detail.error_message),
    canCancel: isLive && status !== 'cancelling',
    cancelled: cancelledBy(detail),
    facts: factsOf(detail, stream, nowMs),
  };
}

function cancelledBy({ cancel_requested_at_us, cancel_requested_by }: SessionDetail): string | null {
  if (cancel_requested_at_us === null) return null;
  return `Asked to stop by ${cancel_requested_by ?? 'somebody'}, ${momentOf(cancel_requested_at_us).text}.`;
}

function factsOf(detail: SessionDetail, stream: SessionStream, nowMs: number): Fact[] {
  const created = momentOf(detail.created_at_us);
  return [
    { label: 'Chain', text: detail.chain_id },
    { label: 'Author', text: detail.author ?? '–' },
    { label: 'Created', text: created.text, moment: created },
    durationFact(detail, nowMs),
    stagesFact(detail, stream),
    tokensFact(detail),
    {
      label: 'Calls',
      text: `${wholeCount(detail.llm_interactions)} model, ${wholeCount(detail.mcp_interactions)} tool`,
    },
  ];
}

/** A clock that ticks while it runs. Clocks of two machines may disagree by a little. */
function durationFact({ started_at_us, completed_at_us }: SessionDetail, nowMs: number): Fact {
  if (started_at_us === null) return { label: 'Duration', text: 'not begun' };
  const from = momentOf(started_at_us).exact;
  if (completed_at_us === null) {
    return { label: 'Elapsed', text: elapsedText(nowMs - started_at_us / 1000), detail: `Since ${from}` };
  }
  return {
    label: 'Duration',
    text: durationText((completed_at_us - started_at_us) / 1000),
    detail: `From ${from} to ${momentOf(completed_at_us).exact}`,
  };
}

function stagesFact(
  { stages_done, stages_total, stages_failed }: SessionDetail,
  stream: SessionStream,
): Fact {
  const done = Math.max(stages_done, stream.progress?.completed_stages ?? 0);
  const failed = stages_failed > 0 ? `, ${stages_failed} failed` : '';
  return { label: 'Stages', text: `${done} of ${stages_total}${failed}` };
}

function tokensFact({ input_tokens, output_tokens, thinking_tokens, cached_tokens }: SessionDetail): Fact {
  const input = `${wholeCount(input_tokens)} in (${wholeCount(cached_tokens)} cached)`;
  const output = `${wholeCount(output_tokens)} out (${wholeCount(thinking_tokens)} thinking)`;
  return {
    label: 'Tokens',
    text: compactCount(input_tokens + output_tokens),
    detail: `${input}, ${output}`,
  };
}
