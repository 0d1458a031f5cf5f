/**
 * A session as it happens: what the timeline's pages and the messages of the socket amount to. Pure: a state and what came
 * give the next state. Hearing the same again changes nothing.
 */
import type { SessionStatus, TimelineEntry, WorkStatus } from '../api/types';
import { hasEnded, workHasEnded } from '../ui/status';
import type { News } from './hub';
import { type LiveTexts, recorded, withChunks, withoutCall, withoutRecorded } from './texts';
import type { ChunkData, EntryData, MessageOf, SessionProgress } from './wire';

export interface SessionStream {
  /** Null until something was said about it; the answer of the server then counts. */
  status: SessionStatus | null;
  /** How far it is; null until that was said. */
  progress: SessionProgress | null;
  stages: ReadonlyMap<string, WorkStatus>;
  executions: ReadonlyMap<string, WorkStatus>;
  /** The timeline, ordered by position. */
  entries: readonly TimelineEntry[];
  texts: LiveTexts;
  /** Raised whenever the server's answer about the session is older than what was heard. */
  detailChanges: number;
  /** Raised whenever somebody, or an agent, said something in the chat. */
  chatChanges: number;
  /** Raised whenever the timeline has to be read again from its last entry on. */
  gaps: number;
}

export const emptyStream: SessionStream = {
  status: null,
  progress: null,
  stages: new Map(),
  executions: new Map(),
  entries: [],
  texts: new Map(),
  detailChanges: 0,
  chatChanges: 0,
  gaps: 0,
};

/** The position up to which no entry is missing. */
export function lastPosition(stream: SessionStream): number {
  const { entries } = stream;
  const last = entries.at(-1)?.position ?? 0;
  // Positions have no gaps, so that a list without one is as long as its last position.
  if (last === entries.length) return last;
  const gap = entries.findIndex((entry, index) => entry.position !== index + 1);
  return gap === -1 ? last : gap;
}

/** Adds a page of the timeline. */
export function withEntries(stream: SessionStream, entries: readonly TimelineEntry[]): SessionStream {
  const merged = mergedEntries(stream.entries, entries);
  return merged === stream.entries ? stream : { ...stream, entries: merged };
}

/** Adds what was heard since the last time, in order. */
export function withNews(stream: SessionStream, news: readonly News[]): SessionStream {
  let next = stream;
  let chunks: ChunkData[] = [];
  const flush = () => {
    const texts = withChunks(next.texts, chunks);
    if (texts !== next.texts) next = { ...next, texts };
    chunks = [];
  };
  const entries: TimelineEntry[] = [];
  for (const message of news) {
    if (message.type === 'stream.chunk') {
      chunks.push(message.data);
      continue;
    }
    flush();
    if (message.type === 'timeline_event.completed') entries.push(...entryOf(message));
    next = heard(next, message);
  }
  flush();
  return withEntries(next, entries);
}

type Rare = Exclude<News, MessageOf<'stream.chunk'>>;

function heard(stream: SessionStream, message: Rare): SessionStream {
  switch (message.type) {
    case 'joined':
      // What is still being written is told anew from its beginning; what is not told any more has ended meanwhile.
      return message.again ? { ...stream, texts: new Map() } : stream;
    case 'gap':
      return { ...stream, gaps: stream.gaps + 1, detailChanges: stream.detailChanges + 1 };
    case 'session.status':
      return moved(stream, message.data.status);
    case 'session.progress':
      return progressed(stream, message.data);
    case 'stage.status':
      return {
        ...stream,
        stages: advanced(stream.stages, message.data.stage_id, message.data.status),
        detailChanges: stream.detailChanges + 1,
      };
    case 'execution.status':
      return {
        ...stream,
        executions: advanced(stream.executions, message.data.execution_id, message.data.status),
        texts: withoutRecorded(stream.texts),
        detailChanges: stream.detailChanges + 1,
      };
    case 'timeline_event.completed':
      return { ...stream, texts: withoutRecorded(stream.texts) };
    case 'interaction.created':
      return {
        ...stream,
        texts: recorded(stream.texts, message.data.interaction_id),
        detailChanges: stream.detailChanges + 1,
      };
    case 'stream.ended':
      return { ...stream, texts: withoutCall(stream.texts, message.data.interaction_id) };
    case 'chat.message':
      return { ...stream, chatChanges: stream.chatChanges + 1 };
  }
}

/** A session that has ended stays ended, whatever is heard late. */
function moved(stream: SessionStream, status: SessionStatus): SessionStream {
  const isLate = stream.status !== null && hasEnded(stream.status) && !hasEnded(status);
  return isLate || stream.status === status
    ? stream
    : { ...stream, status, detailChanges: stream.detailChanges + 1 };
}

function progressed(stream: SessionStream, progress: SessionProgress): SessionStream {
  return { ...moved(stream, progress.status), progress, texts: withoutRecorded(stream.texts) };
}

/** Work that has ended stays ended, and work that has begun stays begun. */
function advanced(
  known: ReadonlyMap<string, WorkStatus>,
  id: string,
  status: WorkStatus,
): ReadonlyMap<string, WorkStatus> {
  return new Map(known).set(id, laterStatus(known.get(id) ?? 'pending', status));
}

/** Of two statuses that were told of the same work, the one it came to later. */
export function laterStatus(one: WorkStatus, other: WorkStatus): WorkStatus {
  const rank = (status: WorkStatus) => (workHasEnded(status) ? 2 : status === 'active' ? 1 : 0);
  return rank(other) >= rank(one) ? other : one;
}

/** The entry of a message; none if the server has it no more. */
function entryOf({ data, at_us }: MessageOf<'timeline_event.completed'>): TimelineEntry[] {
  if (!isWhole(data)) return [];
  return [
    {
      timeline_event_id: data.timeline_event_id,
      position: data.position,
      stage_id: data.stage_id,
      execution_id: data.execution_id,
      sequence: null,
      event_type: data.event_type,
      content: data.content,
      metadata: data.metadata ?? {},
      created_at_us: data.created_at_us,
      completed_at_us: at_us ?? data.created_at_us,
    },
  ];
}

type WholeEntry = EntryData & Required<Pick<EntryData, 'content' | 'position' | 'created_at_us'>>;

const isWhole = (data: EntryData): data is WholeEntry =>
  data.content !== undefined && data.position !== undefined && data.created_at_us !== undefined;

/** Both in the order of their positions; the same list if nothing is new. */
function mergedEntries(
  known: readonly TimelineEntry[],
  more: readonly TimelineEntry[],
): readonly TimelineEntry[] {
  const last = known.at(-1)?.position ?? 0;
  const follows = more.every((entry, index) => entry.position > (more[index - 1]?.position ?? last));
  if (follows) return more.length === 0 ? known : [...known, ...more];
  const positions = new Set(known.map((entry) => entry.position));
  const fresh = [...new Map(more.map((entry) => [entry.position, entry])).values()].filter(
    (entry) => !positions.has(entry.position),
  );
  if (fresh.length === 0) return known;
  return [...known, ...fresh].sort((one, other) => one.position - other.position);
}
