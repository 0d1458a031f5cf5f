/**
 * The timeline in parts: what came before the first stage, each stage, and what came after the last. Pure.
 * What several agents did at once is kept apart, so that each can be read from top to bottom.
 */
import type { Execution, SessionDetail, TimelineEntry } from '../../api/types';
import type { SessionStream } from '../../live/sessionStream';
import { agentCard, type StageCard } from '../chain';
import { entryRow, toolRow } from './entryRow';
import type { EntryRow, Tab } from './row';

export interface Section {
  key: string;
  title: string;
  stage: StageCard | null;
  tabs: Tab[];
  rows: EntryRow[];
}

export interface Chronicle {
  sections: Section[];
  /** What was done for each answer in the chat, by execution. */
  chat: ReadonlyMap<string, EntryRow[]>;
}

const OPENING = 'opening';
const CLOSING = 'closing';

export function chronicleOf(
  entries: readonly TimelineEntry[],
  cards: readonly StageCard[],
  detail: SessionDetail,
  stream: SessionStream,
): Chronicle {
  const sections = new Map<string, Section>();
  sections.set(OPENING, emptySection(OPENING, 'Before the first stage', null));
  for (const card of cards) sections.set(card.stageId, stageSection(card));
  sections.set(CLOSING, closingSection(detail.executions, stream));
  const chats = chatExecutions(entries, detail.executions);
  const chat = new Map<string, EntryRow[]>();

  const answers = answersOf(entries);
  const working = activeExecutions(cards, detail.executions, stream);
  let current = OPENING;
  for (const entry of entries) {
    const row = rowOf(entry, answers, working);
    if (entry.stage_id !== null && sections.has(entry.stage_id)) current = entry.stage_id;
    if (!row) continue;
    if (entry.execution_id !== null && chats.has(entry.execution_id)) {
      chat.set(entry.execution_id, [...(chat.get(entry.execution_id) ?? []), row]);
    } else {
      sections.get(placeOf(entry, current))?.rows.push(row);
    }
  }
  return { sections: [...sections.values()].filter(isDrawn), chat };
}

/** Entries of a stage stand in it; others of an agent come at the end; what is the session's own stands where it happened. */
function placeOf(entry: TimelineEntry, current: string): string {
  if (entry.stage_id !== null) return current;
  return entry.execution_id === null ? current : CLOSING;
}

function isDrawn({ rows, stage, tabs }: Section): boolean {
  if (stage) return stage.hasBegun || stage.isSkipped || rows.length > 0;
  return rows.length > 0 || tabs.some((tab) => tab.look.tone === 'active');
}

const emptySection = (key: string, title: string, stage: StageCard | null): Section => ({
  key,
  title,
  stage,
  tabs: [],
  rows: [],
});

function stageSection(card: StageCard): Section {
  const tabs = card.agents.flatMap(({ executionId, name, look }) =>
    executionId === null ? [] : [{ executionId, name, look }],
  );
  return { ...emptySection(card.stageId, card.name, card), tabs };
}

function closingSection(executions: readonly Execution[], stream: SessionStream): Section {
  const summaries = executions.filter((execution) => execution.kind === 'executive_summary');
  const tabs = summaries.map((execution) => {
    const { name, look } = agentCard(execution, stream);
    return { executionId: execution.execution_id, name, look };
  });
  return { ...emptySection(CLOSING, 'Executive summary', null), tabs };
}

/** The server may not have told yet what an execution is for; one that begins with a question answers it. */
export function chatExecutions(
  entries: readonly TimelineEntry[],
  executions: readonly Execution[],
): ReadonlySet<string> {
  const known = executions
    .filter((execution) => execution.kind === 'chat')
    .map(({ execution_id }) => execution_id);
  const asked = entries
    .filter((entry) => entry.event_type === 'user_question')
    .flatMap((entry) => entry.execution_id ?? []);
  return new Set([...known, ...asked]);
}

function activeExecutions(
  cards: readonly StageCard[],
  others: readonly Execution[],
  stream: SessionStream,
): ReadonlySet<string> {
  const agents = [...cards.flatMap((card) => card.agents), ...others.map((one) => agentCard(one, stream))];
  return new Set(agents.filter((agent) => agent.isActive).flatMap((agent) => agent.executionId ?? []));
}

type Answers = ReadonlyMap<string, TimelineEntry>;

const callKey = (entry: TimelineEntry): string =>
  `${entry.execution_id}/${String(entry.metadata.tool_call_id)}`;

function answersOf(entries: readonly TimelineEntry[]): Answers {
  const answers = entries.filter(isAnswer);
  return new Map(answers.map((entry) => [callKey(entry), entry]));
}

const isAnswer = ({ event_type }: TimelineEntry): boolean =>
  event_type === 'tool_result' || event_type === 'mcp_tool_summary';

/** Calls and answers become one row, where the call was made. */
function rowOf(entry: TimelineEntry, answers: Answers, working: ReadonlySet<string>): EntryRow | null {
  if (isAnswer(entry)) return null;
  if (entry.event_type !== 'tool_call') return entryRow(entry);
  const isWorking = entry.execution_id !== null && working.has(entry.execution_id);
  return toolRow(entry, answers.get(callKey(entry)) ?? null, isWorking ? 'waiting' : 'ended');
}
