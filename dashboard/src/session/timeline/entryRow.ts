/** Maps timeline entries to rows. Pure. */
import type { TimelineEntry } from '../../api/types';
import { toolCallName } from '../../app/pagePaths';
import { durationText } from '../../format/duration';
import { momentOf } from '../../format/time';
import type { IconName } from '../../ui/Icon';
import type { StatusLook } from '../../ui/status';
import type { Tone } from '../../ui/tone';
import { prettyJson } from '../alert';
import type { EntryRow, NoteRow, ProseRow, ToolRow, WebSource } from './row';

/**
 * Returns the row of a single entry. Questions are shown in the chat, and tool calls are combined with their
 * results.
 */
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
    case 'code_execution':
      return { ...prose(entry, 'Code execution', 'code', false), isMarkdown: false };
    case 'google_search_result':
      return webResult(entry, 'Web search', 'search');
    case 'url_context_result':
      return webResult(entry, 'Fetched pages', 'link');
    case 'provider_fallback':
      return note(entry, 'Provider fallback', 'swap', 'warning');
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
  const text = entry.content;
  return { kind: 'prose', ...common(entry), title, icon, isResult, isMarkdown: true, text, sources: [] };
}

/**
 * Returns the row of a web search or of fetched pages. The content lists queries and sources for readers of
 * plain text; here the sources are links.
 */
function webResult(entry: TimelineEntry, title: string, icon: IconName): ProseRow {
  const row = { ...prose(entry, title, icon, false), isMarkdown: false };
  const sources = listIn(entry, 'sources').flatMap(readSource);
  if (sources.length === 0) return row;
  const queries = listIn(entry, 'queries').filter((query) => typeof query === 'string');
  return { ...row, text: queries.map((query) => `Query: ${query}`).join('\n'), sources };
}

function readSource(source: unknown): WebSource[] {
  if (typeof source !== 'object' || source === null) return [];
  const { uri, title } = source as Record<string, unknown>;
  const address = typeof uri === 'string' ? uri : '';
  const name = typeof title === 'string' && title !== '' ? title : address;
  return name === '' ? [] : [{ uri: address, title: name }];
}

function note(entry: TimelineEntry, title: string, icon: IconName, tone: Tone): NoteRow {
  const partial = textIn(entry, 'partial_text');
  const text = partial === null ? entry.content : `${entry.content}\n\nPartial output:\n${partial}`;
  return { kind: 'note', ...common(entry), title, icon, tone, text };
}

function errorTitle(entry: TimelineEntry): string {
  switch (textIn(entry, 'source')) {
    case 'model':
      return 'Model call failed';
    case 'format':
      return 'Reply could not be parsed';
    case 'run':
      return 'Agent failed';
    default:
      return 'Error';
  }
}

/** `active`: the agent is still running, so a result may arrive. */
export type AgentActivity = 'active' | 'ended';

/**
 * Combines a call and its result. Either may be missing: a result that has not arrived, or an unknown call.
 */
export function toolRow(
  call: TimelineEntry | null,
  result: TimelineEntry | null,
  activity: AgentActivity,
): ToolRow | null {
  const first = call ?? result;
  if (!first) return null;
  return {
    kind: 'tool',
    ...common(first),
    eventIds: [call, result].flatMap((entry) => entry?.timeline_event_id ?? []),
    server: textIn(first, 'server_name') ?? '',
    tool: textIn(first, 'tool_name') ?? first.content,
    arguments: argumentsOf(call),
    look: toolStatus(result, activity),
    result: result?.content ?? null,
    isSummary: result?.event_type === 'mcp_tool_summary',
    duration: call && result ? durationText((result.created_at_us - call.created_at_us) / 1000) : null,
    note: repetition(result),
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

const toolStatuses = {
  ok: { label: 'Succeeded', tone: 'good', mark: 'done' },
  error: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'Timed out', tone: 'bad', mark: 'late' },
  running: { label: 'Running', tone: 'active', mark: 'running' },
  unanswered: { label: 'No result', tone: 'neutral', mark: 'stopped' },
} as const satisfies Record<string, StatusLook>;

function toolStatus(result: TimelineEntry | null, activity: AgentActivity): StatusLook {
  if (!result) return activity === 'active' ? toolStatuses.running : toolStatuses.unanswered;
  switch (textIn(result, 'status')) {
    case 'timed_out':
      return toolStatuses.timed_out;
    case 'error':
      return toolStatuses.error;
    default:
      return result.metadata.is_error === true ? toolStatuses.error : toolStatuses.ok;
  }
}

function repetition(result: TimelineEntry | null): string | null {
  const times = result?.metadata.times_repeated;
  return typeof times === 'number' ? `same result ${times} times` : null;
}

function textIn(entry: TimelineEntry, key: string): string | null {
  const value = entry.metadata[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

function listIn(entry: TimelineEntry, key: string): unknown[] {
  const value = entry.metadata[key];
  return Array.isArray(value) ? value : [];
}
