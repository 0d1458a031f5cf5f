/**
 * Groups the timeline into sections: before the first stage, each stage, after the last. Pure. Entries of
 * parallel agents are kept apart, so that each agent can be read from top to bottom.
 */
import type { Execution, SessionDetail, TimelineEntry } from '../../api/types';
import type { SessionStream } from '../../live/sessionStream';
import { agentCard, type StageCard } from '../chain';
import { entryRow, toolRow } from './entryRow';
import type { AgentTab, EntryRow } from './row';

export interface TimelineSection {
  key: string;
  title: string;
  stage: StageCard | null;
  tabs: AgentTab[];
  rows: EntryRow[];
}

export interface SessionTimeline {
  sections: TimelineSection[];
  /** Rows of each chat answer, by execution. */
  chat: ReadonlyMap<string, EntryRow[]>;
}

const OPENING = 'opening';
const CLOSING = 'closing';

export function buildTimeline(
  entries: readonly TimelineEntry[],
  cards: readonly StageCard[],
  detail: SessionDetail,
  stream: SessionStream,
): SessionTimeline {
  const sections = new Map<string, TimelineSection>();
  sections.set(OPENING, emptySection(OPENING, 'Before the first stage', null));
  for (const card of cards) sections.set(card.stageId, stageSection(card));
  sections.set(CLOSING, closingSection(detail.executions, stream));
  const chats = chatExecutions(entries, detail.executions);
  const chat = new Map<string, EntryRow[]>();

  const results = resultsOf(entries);
  const active = activeExecutions(cards, detail.executions, stream);
  let current = OPENING;
  for (const entry of entries) {
    const row = rowOf(entry, results, active);
    if (entry.stage_id !== null && sections.has(entry.stage_id)) current = entry.stage_id;
    if (!row) continue;
    if (entry.execution_id !== null && chats.has(entry.execution_id)) {
      chat.set(entry.execution_id, [...(chat.get(entry.execution_id) ?? []), row]);
    } else {
      sections.get(sectionKeyOf(entry, current))?.rows.push(row);
    }
  }
  return { sections: [...sections.values()].filter(isShown), chat };
}

/**
 * Entries of a stage belong to it, other entries of an execution come last, and entries of the session stay
 * where they happened.
 */
function sectionKeyOf(entry: TimelineEntry, current: string): string {
  if (entry.stage_id !== null) return current;
  return entry.execution_id === null ? current : CLOSING;
}

function isShown({ rows, stage, tabs }: TimelineSection): boolean {
  if (stage) return stage.hasStarted || stage.isSkipped || rows.length > 0;
  return rows.length > 0 || tabs.some((tab) => tab.look.tone === 'active');
}

const emptySection = (key: string, title: string, stage: StageCard | null): TimelineSection => ({
  key,
  title,
  stage,
  tabs: [],
  rows: [],
});

function stageSection(card: StageCard): TimelineSection {
  const tabs = card.agents.flatMap(({ executionId, name, look }) =>
    executionId === null ? [] : [{ executionId, name, look }],
  );
  return { ...emptySection(card.stageId, card.name, card), tabs };
}

function closingSection(executions: readonly Execution[], stream: SessionStream): TimelineSection {
  const summaries = executions.filter((execution) => execution.kind === 'executive_summary');
  const tabs = summaries.map((execution) => {
    const { name, look } = agentCard(execution, stream);
    return { executionId: execution.execution_id, name, look };
  });
  return { ...emptySection(CLOSING, 'Executive summary', null), tabs };
}

/**
 * Returns the chat executions. A new one may be missing in the loaded session; it is recognized by its
 * question.
 */
export function chatExecutions(
  entries: readonly TimelineEntry[],
  executions: readonly Execution[],
): ReadonlySet<string> {
  const known = executions
    .filter((execution) => execution.kind === 'chat')
    .map(({ execution_id }) => execution_id);
  const fromQuestions = entries
    .filter((entry) => entry.event_type === 'user_question')
    .flatMap((entry) => entry.execution_id ?? []);
  return new Set([...known, ...fromQuestions]);
}

function activeExecutions(
  cards: readonly StageCard[],
  others: readonly Execution[],
  stream: SessionStream,
): ReadonlySet<string> {
  const agents = [...cards.flatMap((card) => card.agents), ...others.map((one) => agentCard(one, stream))];
  return new Set(agents.filter((agent) => agent.isActive).flatMap((agent) => agent.executionId ?? []));
}

type ToolResults = ReadonlyMap<string, TimelineEntry>;

const callKey = (entry: TimelineEntry): string =>
  `${entry.execution_id}/${String(entry.metadata.tool_call_id)}`;

function resultsOf(entries: readonly TimelineEntry[]): ToolResults {
  const results = entries.filter(isToolResult);
  return new Map(results.map((entry) => [callKey(entry), entry]));
}

const isToolResult = ({ event_type }: TimelineEntry): boolean =>
  event_type === 'tool_result' || event_type === 'mcp_tool_summary';

/** A call and its result become one row, at the position of the call. */
function rowOf(entry: TimelineEntry, results: ToolResults, active: ReadonlySet<string>): EntryRow | null {
  if (isToolResult(entry)) return null;
  if (entry.event_type !== 'tool_call') return entryRow(entry);
  const isActive = entry.execution_id !== null && active.has(entry.execution_id);
  return toolRow(entry, results.get(callKey(entry)) ?? null, isActive ? 'active' : 'ended');
}
