/**
 * The live state of a session: a fold over timeline pages and socket messages. Pure and idempotent: applying
 * the same page or message again changes nothing.
 */
import type { SessionStatus, TimelineEntry, WorkStatus } from '../api/types';
import { hasEnded, workHasEnded } from '../ui/status';
import type { HubMessage } from './hub';
import { type LiveTexts, markRecorded, withChunks, withoutCall, withoutRecorded } from './texts';
import type { ChunkData, MessageOf, SessionProgress } from './wire';

export interface SessionStream {
  /** Null until a message reports it; until then the status of the HTTP response counts. */
  status: SessionStatus | null;
  /** Null until a message reports it. */
  progress: SessionProgress | null;
  stages: ReadonlyMap<string, WorkStatus>;
  executions: ReadonlyMap<string, WorkStatus>;
  /** The timeline, ordered by position. */
  entries: readonly TimelineEntry[];
  texts: LiveTexts;
  /** Incremented whenever the loaded session is older than what a message reported. */
  detailChanges: number;
  /** Incremented on every new chat message. */
  chatChanges: number;
  /** Incremented whenever the timeline must be reloaded from its last entry on. */
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

/** Returns the position up to which no entry is missing. */
export function lastPosition(stream: SessionStream): number {
  const { entries } = stream;
  const last = entries.at(-1)?.position ?? 0;
  // Positions have no gaps, so a complete list is as long as its last position.
  if (last === entries.length) return last;
  const gap = entries.findIndex((entry, index) => entry.position !== index + 1);
  return gap === -1 ? last : gap;
}

/** Adds a page of the timeline. */
export function withEntries(stream: SessionStream, entries: readonly TimelineEntry[]): SessionStream {
  const merged = mergeEntries(stream.entries, entries);
  return merged === stream.entries ? stream : { ...stream, entries: merged };
}

/** Applies messages in order. */
export function withMessages(stream: SessionStream, messages: readonly HubMessage[]): SessionStream {
  let next = stream;
  let chunks: ChunkData[] = [];
  const flush = () => {
    const texts = withChunks(next.texts, chunks);
    if (texts !== next.texts) next = { ...next, texts };
    chunks = [];
  };
  const entries: TimelineEntry[] = [];
  for (const message of messages) {
    if (message.type === 'stream.chunk') {
      chunks.push(message.data);
      continue;
    }
    flush();
    if (message.type === 'timeline_event.completed') entries.push(entryOf(message));
    next = applyMessage(next, message);
  }
  flush();
  return withEntries(next, entries);
}

type NonChunkMessage = Exclude<HubMessage, MessageOf<'stream.chunk'>>;

function applyMessage(stream: SessionStream, message: NonChunkMessage): SessionStream {
  switch (message.type) {
    case 'joined':
      // After a reconnect, unfinished texts are sent again from their beginning; texts that are not sent
      // again have ended.
      return message.isReconnect ? { ...stream, texts: new Map() } : stream;
    case 'gap':
      return { ...stream, gaps: stream.gaps + 1, detailChanges: stream.detailChanges + 1 };
    case 'session.status':
      return withStatus(stream, message.data.status);
    case 'session.progress':
      return withSessionProgress(stream, message.data);
    case 'stage.status':
      return {
        ...stream,
        stages: withWorkStatus(stream.stages, message.data.stage_id, message.data.status),
        detailChanges: stream.detailChanges + 1,
      };
    case 'execution.status':
      return {
        ...stream,
        executions: withWorkStatus(stream.executions, message.data.execution_id, message.data.status),
        texts: withoutRecorded(stream.texts),
        detailChanges: stream.detailChanges + 1,
      };
    case 'timeline_event.completed':
      return { ...stream, texts: withoutRecorded(stream.texts) };
    case 'interaction.created':
      return {
        ...stream,
        texts: markRecorded(stream.texts, message.data.interaction_id),
        detailChanges: stream.detailChanges + 1,
      };
    case 'stream.ended':
      return { ...stream, texts: withoutCall(stream.texts, message.data.interaction_id) };
    case 'chat.message':
      return { ...stream, chatChanges: stream.chatChanges + 1 };
  }
}

/** Ignores messages that arrive late: a session that has ended stays ended. */
function withStatus(stream: SessionStream, status: SessionStatus): SessionStream {
  const isLate = stream.status !== null && hasEnded(stream.status) && !hasEnded(status);
  return isLate || stream.status === status
    ? stream
    : { ...stream, status, detailChanges: stream.detailChanges + 1 };
}

function withSessionProgress(stream: SessionStream, progress: SessionProgress): SessionStream {
  return { ...withStatus(stream, progress.status), progress, texts: withoutRecorded(stream.texts) };
}

/** A status never moves backward. */
function withWorkStatus(
  known: ReadonlyMap<string, WorkStatus>,
  id: string,
  status: WorkStatus,
): ReadonlyMap<string, WorkStatus> {
  return new Map(known).set(id, laterStatus(known.get(id) ?? 'pending', status));
}

/** Returns the more advanced of two statuses of the same work. */
export function laterStatus(one: WorkStatus, other: WorkStatus): WorkStatus {
  const rank = (status: WorkStatus) => (workHasEnded(status) ? 2 : status === 'active' ? 1 : 0);
  return rank(other) >= rank(one) ? other : one;
}

/** Returns the timeline entry of a message. */
function entryOf({ data, at_us }: MessageOf<'timeline_event.completed'>): TimelineEntry {
  return {
    timeline_event_id: data.timeline_event_id,
    position: data.position,
    stage_id: data.stage_id,
    execution_id: data.execution_id,
    sequence: null,
    event_type: data.event_type,
    content: data.content,
    metadata: data.metadata,
    created_at_us: data.created_at_us,
    completed_at_us: at_us ?? data.created_at_us,
  };
}

/** Merges two lists by position. Returns `known` itself if nothing is new. */
function mergeEntries(
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
