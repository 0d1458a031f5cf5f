/** The content of the trace page: a row and a bar per call, and totals. Pure. */
import type { SessionDetail, TracedCall } from '../api/types';
import { toolCallName } from '../app/pagePaths';
import { compactCount, wholeCount } from '../format/count';
import { durationText } from '../format/duration';
import { type Moment, momentOf } from '../format/time';
import type { StatusLook } from '../ui/status';
import { timeScale } from './scale';

/** The agent that made a call, and its stage. */
export interface Caller {
  agent: string;
  stage: string | null;
  stageId: string | null;
}

export interface TraceRow {
  id: string;
  type: TracedCall['type'];
  /** Model or tool. */
  name: string;
  /** Why the call was made. */
  purpose: string;
  caller: string;
  stageId: string | null;
  look: StatusLook;
  error: string | null;
  startedAt: Moment;
  /** Time since the first call. */
  offset: string;
  duration: string;
  tokens: { text: string; detail: string } | null;
  /** Start and length of the bar, from 0 to 1. */
  bar: { from: number; length: number };
}

export interface TraceTable {
  rows: TraceRow[];
  summary: string;
  hasShortenedGaps: boolean;
}

const succeeded: StatusLook = { label: 'Succeeded', tone: 'good', mark: 'done' };
const failed: StatusLook = { label: 'Failed', tone: 'bad', mark: 'failed' };

export function traceTable(calls: readonly TracedCall[], session: SessionDetail | undefined): TraceTable {
  const callers = callersOf(session);
  const scale = timeScale(calls.map(spanOf));
  const firstMs = Math.min(...calls.map((call) => spanOf(call).fromMs));
  const row = (call: TracedCall): TraceRow => {
    const { fromMs, toMs } = spanOf(call);
    const caller = callers.get(call.execution_id);
    return {
      id: call.interaction_id,
      type: call.type,
      name: nameOf(call),
      purpose: purposeOf(call),
      caller: callerName(caller),
      stageId: caller?.stageId ?? null,
      look: call.error_message === null && errorKind(call) === null ? succeeded : failed,
      error: call.error_message ?? errorKind(call),
      startedAt: momentOf(call.started_at_us),
      offset: `+${durationText(fromMs - firstMs)}`,
      duration: durationText(call.duration_ms),
      tokens: tokensOf(call),
      bar: { from: scale.position(fromMs), length: scale.position(toMs) - scale.position(fromMs) },
    };
  };
  const rows = calls.map(row);
  return { rows, summary: summaryOf(calls, rows, scale.busyMs), hasShortenedGaps: scale.hasShortenedGaps };
}

function spanOf({ started_at_us, duration_ms }: TracedCall) {
  const fromMs = started_at_us / 1000;
  return { fromMs, toMs: fromMs + duration_ms };
}

/** Maps the executions of a session to their agents. */
function callersOf(session: SessionDetail | undefined): Map<string, Caller> {
  const callers = new Map<string, Caller>();
  for (const { name, stage_id, executions } of session?.stages ?? []) {
    for (const { execution_id, agent_name } of executions) {
      callers.set(execution_id, { agent: agent_name, stage: name, stageId: stage_id });
    }
  }
  for (const { execution_id, agent_name } of session?.executions ?? []) {
    callers.set(execution_id, { agent: agent_name, stage: null, stageId: null });
  }
  return callers;
}

function callerName(caller: Caller | undefined): string {
  if (!caller) return '';
  return caller.stage === null ? caller.agent : `${caller.stage} · ${caller.agent}`;
}

function nameOf(call: TracedCall): string {
  switch (call.type) {
    case 'llm':
      return call.model;
    case 'mcp':
      return call.tool === null ? call.server : `${call.server}.${call.tool}`;
  }
}

/** `forced_conclusion` → `forced conclusion`. */
function purposeOf(call: TracedCall): string {
  const kind = call.kind.replaceAll('_', ' ');
  return call.type === 'llm' && call.iteration > 0 ? `${kind} ${call.iteration}` : kind;
}

function errorKind(call: TracedCall): string | null {
  return call.type === 'llm' ? (call.error_kind?.replaceAll('_', ' ') ?? null) : null;
}

function tokensOf(call: TracedCall): TraceRow['tokens'] {
  if (call.type !== 'llm') return null;
  const { input_tokens, output_tokens, thinking_tokens, cached_tokens } = call.usage;
  return {
    text: `${compactCount(input_tokens)} → ${compactCount(output_tokens)}`,
    detail: `${wholeCount(input_tokens)} in (${wholeCount(cached_tokens)} cached), ${wholeCount(output_tokens)} out (${wholeCount(thinking_tokens)} thinking)`,
  };
}

function summaryOf(calls: readonly TracedCall[], rows: readonly TraceRow[], busyMs: number): string {
  const models = calls.filter((call) => call.type === 'llm');
  const tokens = models.reduce((sum, { usage }) => sum + usage.input_tokens + usage.output_tokens, 0);
  const wrong = rows.filter((row) => row.look === failed).length;
  const parts = [
    counted(models.length, 'model call'),
    counted(calls.length - models.length, 'tool call'),
    ...(wrong > 0 ? [`${wrong} failed`] : []),
    `${compactCount(tokens)} tokens`,
    durationText(busyMs),
  ];
  return parts.join(' · ');
}

const counted = (count: number, noun: string): string =>
  `${wholeCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Returns the call in the URL: by interaction id, or by `toolCallName`. */
export function findCall(calls: readonly TracedCall[], name: string | undefined): TracedCall | null {
  if (name === undefined) return null;
  const isMatch = (call: TracedCall) =>
    call.interaction_id === name ||
    (call.type === 'mcp' &&
      call.tool_call_id !== null &&
      toolCallName(call.execution_id, call.tool_call_id) === name);
  return calls.find(isMatch) ?? null;
}
