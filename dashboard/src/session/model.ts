/** The content of the session header, from the HTTP response and the live stream. Pure. */
import type { SessionDetail, SessionStatus } from '../api/types';
import { compactCount, wholeCount } from '../format/count';
import { durationText, elapsedText } from '../format/duration';
import { toSentence } from '../format/sentence';
import { type Moment, momentOf } from '../format/time';
import type { SessionStream } from '../live/sessionStream';
import { hasEnded, type StatusLook, sessionStatusLook } from '../ui/status';

/** A labeled value. `detail` is its tooltip. */
export interface SessionFact {
  label: string;
  text: string;
  detail?: string;
  moment?: Moment;
}

export interface SessionHeaderModel {
  title: string;
  status: StatusLook;
  isLive: boolean;
  /** The current step of a session that has not ended. */
  step: string | null;
  /** Why the session failed; null for a cancelled session. */
  error: string | null;
  /** Whether the session can still be cancelled. */
  canCancel: boolean;
  /** Who requested the cancellation, and when. */
  cancelled: string | null;
  facts: SessionFact[];
}

/** Returns the newer of the loaded and the streamed status. A session that has ended stays ended. */
export function statusOf(detail: SessionDetail, stream: SessionStream): SessionStatus {
  if (hasEnded(detail.status) || stream.status === null) return detail.status;
  return stream.status;
}

export function sessionHeader(
  detail: SessionDetail,
  stream: SessionStream,
  nowMs: number,
): SessionHeaderModel {
  const status = statusOf(detail, stream);
  const isLive = !hasEnded(status);
  return {
    title: detail.alert_type,
    status: sessionStatusLook(status),
    isLive,
    step: isLive ? (stream.progress?.current_step ?? detail.current_step) : null,
    error: status === 'cancelled' || detail.error_message === null ? null : toSentence(detail.error_message),
    canCancel: isLive && status !== 'cancelling',
    cancelled: cancelledBy(detail),
    facts: factsOf(detail, stream, nowMs),
  };
}

function cancelledBy({ cancel_requested_at_us, cancel_requested_by }: SessionDetail): string | null {
  if (cancel_requested_at_us === null) return null;
  return `Cancellation requested by ${cancel_requested_by ?? 'unknown user'}, ${momentOf(cancel_requested_at_us).text}.`;
}

function factsOf(detail: SessionDetail, stream: SessionStream, nowMs: number): SessionFact[] {
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
    ...fingerprintFact(detail.input),
  ];
}

/** The fingerprint with which the sender finds the Slack message of the alert. */
function fingerprintFact({ slack_message_fingerprint }: SessionDetail['input']): SessionFact[] {
  // Sessions of earlier versions have no such field.
  return slack_message_fingerprint ? [{ label: 'Slack fingerprint', text: slack_message_fingerprint }] : [];
}

/** A running clock while the session runs. The clocks of server and browser may differ slightly. */
function durationFact({ started_at_us, completed_at_us }: SessionDetail, nowMs: number): SessionFact {
  if (started_at_us === null) return { label: 'Duration', text: 'not started' };
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
): SessionFact {
  const done = Math.max(stages_done, stream.progress?.ended_stages ?? 0);
  const failed = stages_failed > 0 ? `, ${stages_failed} failed` : '';
  return { label: 'Stages', text: `${done} of ${stages_total}${failed}` };
}

function tokensFact({
  input_tokens,
  output_tokens,
  thinking_tokens,
  cached_tokens,
}: SessionDetail): SessionFact {
  const input = `${wholeCount(input_tokens)} in (${wholeCount(cached_tokens)} cached)`;
  const output = `${wholeCount(output_tokens)} out (${wholeCount(thinking_tokens)} thinking)`;
  return {
    label: 'Tokens',
    text: compactCount(input_tokens + output_tokens),
    detail: `${input}, ${output}`,
  };
}
