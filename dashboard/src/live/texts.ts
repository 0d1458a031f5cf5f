/**
 * Texts that are being streamed. Pure. A text is one string that grows once per batch of messages, however
 * many chunks the batch has. Only the end of a very long text is kept; the recorded entry contains all of it.
 */
import type { ChunkData, StreamPart } from './wire';

export interface LiveText {
  interactionId: string;
  executionId: string;
  stageId: string | null;
  part: StreamPart;
  text: string;
  /** Whether the beginning was dropped. */
  isTruncated: boolean;
  /** Whether the model call is recorded; its timeline entries are about to arrive. */
  isRecorded: boolean;
}

/** Keyed by interaction and part, in the order in which they started. */
export type LiveTexts = ReadonlyMap<string, LiveText>;

export const MAX_LIVE_CHARACTERS = 120_000;

const keyOf = (chunk: ChunkData): string => `${chunk.interaction_id}/${chunk.part}`;

/** Appends chunks in order. */
export function withChunks(texts: LiveTexts, chunks: readonly ChunkData[]): LiveTexts {
  if (chunks.length === 0) return texts;
  const next = new Map(texts);
  for (const [key, batch] of batchesOf(chunks)) next.set(key, appended(next.get(key), batch));
  return next;
}

interface ChunkBatch {
  last: ChunkData;
  /** Whether the first chunk replaces the previous text. */
  fromStart: boolean;
  texts: string[];
}

/** Groups chunks by text. Chunks before a restart of the text are dropped. */
function batchesOf(chunks: readonly ChunkData[]): Map<string, ChunkBatch> {
  const all = new Map<string, ChunkBatch>();
  for (const chunk of chunks) {
    const key = keyOf(chunk);
    const known = all.get(key);
    if (!known || chunk.from_start) {
      all.set(key, { last: chunk, fromStart: chunk.from_start, texts: [chunk.text] });
    } else {
      known.texts.push(chunk.text);
      known.last = chunk;
    }
  }
  return all;
}

function appended(before: LiveText | undefined, { last, fromStart, texts }: ChunkBatch): LiveText {
  const more = texts.join('');
  const kept = before && !fromStart ? before : null;
  const whole = kept ? kept.text + more : more;
  return {
    interactionId: last.interaction_id,
    executionId: last.execution_id,
    stageId: last.stage_id,
    part: last.part,
    text: whole.length > MAX_LIVE_CHARACTERS ? whole.slice(-MAX_LIVE_CHARACTERS / 2) : whole,
    isTruncated: whole.length > MAX_LIVE_CHARACTERS || (kept?.isTruncated ?? false),
    isRecorded: false,
  };
}

/**
 * Marks a call as recorded. Its texts stay until their entries arrive, so that nothing disappears for a
 * moment.
 */
export function markRecorded(texts: LiveTexts, interactionId: string): LiveTexts {
  return mapTexts(texts, (text) =>
    text.interactionId === interactionId ? { ...text, isRecorded: true } : text,
  );
}

/** Drops the texts of recorded calls: their entries have arrived. */
export const withoutRecorded = (texts: LiveTexts): LiveTexts =>
  mapTexts(texts, (text) => (text.isRecorded ? null : text));

/** Drops the texts of a call that was abandoned. */
export const withoutCall = (texts: LiveTexts, interactionId: string): LiveTexts =>
  mapTexts(texts, (text) => (text.interactionId === interactionId ? null : text));

/** Returns the same map if nothing changes. */
function mapTexts(texts: LiveTexts, change: (text: LiveText) => LiveText | null): LiveTexts {
  let hasChanged = false;
  const next = new Map<string, LiveText>();
  for (const [key, text] of texts) {
    const after = change(text);
    hasChanged ||= after !== text;
    if (after) next.set(key, after);
  }
  return hasChanged ? next : texts;
}
