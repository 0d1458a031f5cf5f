/**
 * Texts that are being written, as far as a viewer has them. Pure.
 * A text is kept as one string that grows once per batch of messages, however many chunks the batch has, and only its
 * end is kept when it becomes very long: the record brings the whole of it.
 */
import type { ChunkData, StreamPart } from './wire';

export interface LiveText {
  interactionId: string;
  executionId: string;
  stageId: string | null;
  part: StreamPart;
  text: string;
  /** Whether the beginning was left out. */
  isCut: boolean;
  /** The record has the call that wrote it; its entries are about to come. */
  isRecorded: boolean;
}

/** By interaction and part, in the order in which they began. */
export type LiveTexts = ReadonlyMap<string, LiveText>;

export const MOST_LIVE_CHARACTERS = 120_000;

const keyOf = (chunk: ChunkData): string => `${chunk.interaction_id}/${chunk.part}`;

/** Adds chunks in their order. */
export function withChunks(texts: LiveTexts, chunks: readonly ChunkData[]): LiveTexts {
  if (chunks.length === 0) return texts;
  const next = new Map(texts);
  for (const [key, pieces] of piecesOf(chunks)) next.set(key, grown(next.get(key), pieces));
  return next;
}

interface Pieces {
  last: ChunkData;
  /** Whether the first piece replaces what was there. */
  fromStart: boolean;
  texts: string[];
}

/** The chunks of each text; what comes before a new beginning does not count any more. */
function piecesOf(chunks: readonly ChunkData[]): Map<string, Pieces> {
  const all = new Map<string, Pieces>();
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

function grown(before: LiveText | undefined, { last, fromStart, texts }: Pieces): LiveText {
  const more = texts.join('');
  const kept = before && !fromStart ? before : null;
  const whole = kept ? kept.text + more : more;
  return {
    interactionId: last.interaction_id,
    executionId: last.execution_id,
    stageId: last.stage_id,
    part: last.part,
    text: whole.length > MOST_LIVE_CHARACTERS ? whole.slice(-MOST_LIVE_CHARACTERS / 2) : whole,
    isCut: whole.length > MOST_LIVE_CHARACTERS || (kept?.isCut ?? false),
    isRecorded: false,
  };
}

/** The record has a call. Its texts stay until their entries come, so that nothing is gone for a moment. */
export function recorded(texts: LiveTexts, interactionId: string): LiveTexts {
  return changed(texts, (text) =>
    text.interactionId === interactionId ? { ...text, isRecorded: true } : text,
  );
}

/** The record has told all about the calls it has. */
export const withoutRecorded = (texts: LiveTexts): LiveTexts =>
  changed(texts, (text) => (text.isRecorded ? null : text));

/** A call was given up. */
export const withoutCall = (texts: LiveTexts, interactionId: string): LiveTexts =>
  changed(texts, (text) => (text.interactionId === interactionId ? null : text));

/** The same map if nothing changes. */
function changed(texts: LiveTexts, change: (text: LiveText) => LiveText | null): LiveTexts {
  let differs = false;
  const next = new Map<string, LiveText>();
  for (const [key, text] of texts) {
    const after = change(text);
    differs ||= after !== text;
    if (after) next.set(key, after);
  }
  return differs ? next : texts;
}
