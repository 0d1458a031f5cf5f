/**
 * Keeps the stream of one session up to date: first it loads the timeline pages, then it applies live
 * messages, with at most one new state per browser frame. How a message changes the state is decided in
 * `sessionStream.ts`.
 */
import { ApiError } from '../api/client';
import type { TimelinePage } from '../api/types';
import { retryDelayMs } from './backoff';
import { onNextFrame } from './frame';
import type { HubMessage, LiveHub } from './hub';
import { emptyStream, lastPosition, type SessionStream, withEntries, withMessages } from './sessionStream';
import { Throttle } from './throttle';
import { sessionChannel } from './wire';

export interface FeedState {
  stream: SessionStream;
  /** Whether the recorded timeline has been loaded. */
  isLoaded: boolean;
  /** Why the last attempt to load the timeline failed. */
  failure: Error | null;
}

export interface FeedSource {
  hub: LiveHub;
  readPage: (after: number, signal: AbortSignal) => Promise<TimelinePage>;
  /** The session on the server is newer than the last response. */
  onDetailChange: () => void;
  onChatChange: () => void;
}

/** Minimum time between two requests for the session. */
const DETAIL_INTERVAL_MS = 1_500;

export class SessionFeed {
  readonly #sessionId: string;
  readonly #source: FeedSource;
  readonly #listeners = new Set<() => void>();
  readonly #detail: Throttle;
  #state: FeedState = { stream: emptyStream, isLoaded: false, failure: null };
  #cursor: number;
  #pending: HubMessage[] = [];
  #cancelFrame: (() => void) | null = null;
  /** Signal of the run that is reading the timeline, or null. */
  #readingFor: AbortSignal | null = null;

  /** Creates a feed of the events after `cursor`. The timeline itself is read from its beginning. */
  constructor(sessionId: string, cursor: number, source: FeedSource) {
    this.#sessionId = sessionId;
    this.#cursor = cursor;
    this.#source = source;
    this.#detail = new Throttle(DETAIL_INTERVAL_MS, source.onDetailChange);
  }

  readonly state = (): FeedState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Runs until the returned function is called. May be run again; it then continues where it stopped. */
  run(): () => void {
    const stopping = new AbortController();
    const { signal } = stopping;
    let unsubscribe: (() => void) | null = null;
    void this.#readTimeline(signal).then(() => {
      if (!signal.aborted) unsubscribe = this.#subscribe(signal);
    });
    return () => {
      stopping.abort();
      unsubscribe?.();
      this.#cancelFrame?.();
      // The cursor is already past these messages, so they would not be sent again.
      this.#flush(signal);
      this.#detail.stop();
    };
  }

  #subscribe(signal: AbortSignal): () => void {
    return this.#source.hub.subscribe(sessionChannel(this.#sessionId), this.#cursor, (message) => {
      if ('event_id' in message && message.event_id !== undefined) this.#cursor = message.event_id;
      this.#pending.push(message);
      this.#cancelFrame ??= onNextFrame(() => this.#flush(signal));
    });
  }

  #flush(signal: AbortSignal): void {
    this.#cancelFrame = null;
    const messages = this.#pending;
    if (messages.length === 0) return;
    this.#pending = [];
    const before = this.#state.stream;
    const stream = withMessages(before, messages);
    this.#update({ stream });
    if (stream.detailChanges !== before.detailChanges) this.#detail.request();
    if (stream.chatChanges !== before.chatChanges) this.#source.onChatChange();
    if (stream.gaps !== before.gaps) void this.#readTimeline(signal);
  }

  /** Loads the entries after the last known one. Retries with backoff unless the error is permanent. */
  async #readTimeline(signal: AbortSignal): Promise<void> {
    if (this.#readingFor === signal) return;
    this.#readingFor = signal;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const failure = await this.#readPages(signal);
      if (signal.aborted) break;
      this.#update({ failure, isLoaded: this.#state.isLoaded || failure === null });
      if (failure === null || isPermanent(failure)) break;
      await sleep(retryDelayMs(attempt, Math.random()), signal);
    }
    if (this.#readingFor === signal) this.#readingFor = null;
  }

  async #readPages(signal: AbortSignal): Promise<Error | null> {
    try {
      for (let hasMore = true; hasMore; ) {
        const page = await this.#source.readPage(lastPosition(this.#state.stream), signal);
        if (signal.aborted) return null;
        this.#update({ stream: withEntries(this.#state.stream, page.events) });
        hasMore = page.next_after !== null;
      }
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #update(change: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns whether a retry is pointless: the server refused the request. */
export function isPermanent(failure: Error): boolean {
  return failure instanceof ApiError && ['unauthenticated', 'forbidden', 'not_found'].includes(failure.kind);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
