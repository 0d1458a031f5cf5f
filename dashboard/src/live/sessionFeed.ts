/**
 * Keeps the stream of one session up to date: first the pages of its timeline, then what happens, at most one new state for
 * each frame that the browser draws. What to make of a message is the stream's business, not this file's.
 */
import { ApiError } from '../api/client';
import type { TimelinePage } from '../api/types';
import { retryDelayMs } from './backoff';
import { onNextFrame } from './frame';
import type { LiveHub, News } from './hub';
import { Pace } from './pace';
import { emptyStream, lastPosition, type SessionStream, withEntries, withNews } from './sessionStream';
import { sessionChannel } from './wire';

export interface FeedState {
  stream: SessionStream;
  /** Whether the recorded part of the timeline was read. */
  isRead: boolean;
  /** Why it cannot be read just now. */
  failure: Error | null;
}

export interface FeedSource {
  hub: LiveHub;
  readPage: (after: number, signal: AbortSignal) => Promise<TimelinePage>;
  /** The server knows more about the session than its last answer. */
  onDetailChange: () => void;
  onChatChange: () => void;
}

/** The session is asked for again at most this often. */
const DETAIL_EVERY_MS = 1_500;

export class SessionFeed {
  readonly #sessionId: string;
  readonly #source: FeedSource;
  readonly #watchers = new Set<() => void>();
  readonly #detail: Pace;
  #state: FeedState = { stream: emptyStream, isRead: false, failure: null };
  #place: number;
  #news: News[] = [];
  #cancelFrame: (() => void) | null = null;
  /** Whose reading is under way. */
  #reading: AbortSignal | null = null;

  /** A feed of what comes after the event `place`, besides the timeline, which it reads from its beginning. */
  constructor(sessionId: string, place: number, source: FeedSource) {
    this.#sessionId = sessionId;
    this.#place = place;
    this.#source = source;
    this.#detail = new Pace(DETAIL_EVERY_MS, source.onDetailChange);
  }

  readonly state = (): FeedState => this.#state;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Runs until the answer is called; may be run again, and then goes on from where it was. */
  run(): () => void {
    const stopping = new AbortController();
    const { signal } = stopping;
    let leave: (() => void) | null = null;
    void this.#readTimeline(signal).then(() => {
      if (!signal.aborted) leave = this.#follow(signal);
    });
    return () => {
      stopping.abort();
      leave?.();
      this.#cancelFrame?.();
      // What was heard is behind the place already, so nobody will say it again.
      this.#take(signal);
      this.#detail.stop();
    };
  }

  #follow(signal: AbortSignal): () => void {
    return this.#source.hub.follow(sessionChannel(this.#sessionId), this.#place, (news) => {
      if ('event_id' in news && news.event_id !== undefined) this.#place = news.event_id;
      this.#news.push(news);
      this.#cancelFrame ??= onNextFrame(() => this.#take(signal));
    });
  }

  #take(signal: AbortSignal): void {
    this.#cancelFrame = null;
    const news = this.#news;
    if (news.length === 0) return;
    this.#news = [];
    const before = this.#state.stream;
    const stream = withNews(before, news);
    this.#move({ stream });
    if (stream.detailChanges !== before.detailChanges) this.#detail.ask();
    if (stream.chatChanges !== before.chatChanges) this.#source.onChatChange();
    if (stream.gaps !== before.gaps) void this.#readTimeline(signal);
  }

  /** Reads what the timeline has beyond what is known, and does not give up while there is hope. */
  async #readTimeline(signal: AbortSignal): Promise<void> {
    if (this.#reading === signal) return;
    this.#reading = signal;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const failure = await this.#readPages(signal);
      if (signal.aborted) break;
      this.#move({ failure, isRead: this.#state.isRead || failure === null });
      if (failure === null || isFinal(failure)) break;
      await pause(retryDelayMs(attempt, Math.random()), signal);
    }
    if (this.#reading === signal) this.#reading = null;
  }

  async #readPages(signal: AbortSignal): Promise<Error | null> {
    try {
      for (let hasMore = true; hasMore; ) {
        const page = await this.#source.readPage(lastPosition(this.#state.stream), signal);
        if (signal.aborted) return null;
        this.#move({ stream: withEntries(this.#state.stream, page.events) });
        hasMore = page.next_after !== null;
      }
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #move(change: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}

/** Asking again helps against faults, not against a refusal. */
export function isFinal(failure: Error): boolean {
  return failure instanceof ApiError && ['unauthenticated', 'forbidden', 'missing'].includes(failure.kind);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
