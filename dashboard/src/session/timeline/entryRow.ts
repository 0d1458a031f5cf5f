/** What an entry of the timeline is drawn as. Pure. */
import type { TimelineEntry } from '../../api/types';
import { toolCallName } from '../../app/addresses';
import { durationText } from '../../format/duration';
import { momentOf } from '../../format/time';
import type { IconName } from '../../ui/Icon';
import type { StatusLook } from '../../ui/status';
import type { Tone } from '../../ui/tone';
import { prettyJson } from '../alert';
import type { EntryRow, NoteRow, ProseRow, ToolRow } from './row';

/** The row of an entry that stands for itself. Questions are in the chat, calls of tools are put together with answers. */
export function entryRow(entry: TimelineEntry): EntryRow | null {
  switch (entry.event_type) {
    case 'llm_thinking':
      return { kind: 'thought', ...common(entry), text: entry.content };
    case 'llm_response':
      return prose(entry, 'Response', 'speech', false);
    case 'final_analysis':
      return prose(entry, 'Analysis', 'flag', true);
    case 'executive_summary':
      return prose(entry, 'Executive summary', 'summary', true);
    case 'routing_decision':
      return note(entry, 'Routing', 'branch', 'neutral');
    case 'alert_update':
      return note(entry, 'Alert update', 'bell', 'neutral');
    case 'warning':
      return note(entry, 'Warning', 'partly', 'warning');
    case 'error':
      return note(entry, errorTitle(entry), 'failed', 'bad');
    case 'user_question':
    case 'tool_call':
    case 'tool_result':
    case 'mcp_tool_summary':
      return null;
  }
}

const common = (entry: TimelineEntry) => ({
  key: entry.timeline_event_id,
  eventIds: [entry.timeline_event_id],
  executionId: entry.execution_id,
  at: momentOf(entry.created_at_us),
});

function prose(entry: TimelineEntry, title: string, icon: IconName, isResult: boolean): ProseRow {
  return { kind: 'prose', ...common(entry), title, icon, isResult, text: entry.content };
}

function note(entry: TimelineEntry, title: string, icon: IconName, tone: Tone): NoteRow {
  const partial = textIn(entry, 'partial_text');
  const text = partial === null ? entry.content : `${entry.content}\n\nUntil then it had said:\n${partial}`;
  return { kind: 'note', ...common(entry), title, icon, tone, text };
}

function errorTitle(entry: TimelineEntry): string {
  switch (textIn(entry, 'source')) {
    case 'model':
      return 'Model call failed';
    case 'format':
      return 'Reply not understood';
    case 'run':
      return 'Agent failed';
    default:
      return 'Error';
  }
}

/** `waiting`: its agent still works, so an answer may come. */
export type Expectation = 'waiting' | 'ended';

/** A call and its answer. One of them may be missing: an answer that is not there yet, or a call that is not known. */
export function toolRow(
  call: TimelineEntry | null,
  answer: TimelineEntry | null,
  expectation: Expectation,
): ToolRow | null {
  const first = call ?? answer;
  if (!first) return null;
  return {
    kind: 'tool',
    ...common(first),
    eventIds: [call, answer].flatMap((entry) => entry?.timeline_event_id ?? []),
    server: textIn(first, 'server_name') ?? '',
    tool: textIn(first, 'tool_name') ?? first.content,
    arguments: argumentsOf(call),
    look: toolLook(answer, expectation),
    result: answer?.content ?? null,
    isSummary: answer?.event_type === 'mcp_tool_summary',
    duration: call && answer ? durationText((answer.created_at_us - call.created_at_us) / 1000) : null,
    remark: repetition(answer),
    call: callName(first),
    progress: null,
  };
}

function callName(entry: TimelineEntry): string | null {
  const id = textIn(entry, 'tool_call_id');
  return id === null || entry.execution_id === null ? null : toolCallName(entry.execution_id, id);
}

function argumentsOf(call: TimelineEntry | null): string {
  const value = call?.metadata.arguments;
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : prettyJson(JSON.stringify(value));
}

const looks = {
  ok: { label: 'Answered', tone: 'good', mark: 'done' },
  error: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'No answer in time', tone: 'bad', mark: 'late' },
  running: { label: 'Running', tone: 'active', mark: 'running' },
  unanswered: { label: 'Not answered', tone: 'neutral', mark: 'stopped' },
} as const satisfies Record<string, StatusLook>;

function toolLook(answer: TimelineEntry | null, expectation: Expectation): StatusLook {
  if (!answer) return expectation === 'waiting' ? looks.running : looks.unanswered;
  switch (textIn(answer, 'status')) {
    case 'timed_out':
      return looks.timed_out;
    case 'error':
      return looks.error;
    default:
      return answer.metadata.is_error === true ? looks.error : looks.ok;
  }
}

function repetition(answer: TimelineEntry | null): string | null {
  const times = answer?.metadata.times_repeated;
  return typeof times === 'number' ? `the same answer ${times} times` : null;
}

function textIn(entry: TimelineEntry, key: string): string | null {
  const value = entry.metadata[key];
  return typeof value === 'string' && value !== '' ? value : null;
}
