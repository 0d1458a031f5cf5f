import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/client';
import type { TimelinePage } from '../api/types';
import { chunk, entry, entryMessage, SESSION_ID } from '../testing/session';
import { TestSocket } from '../testing/socket';
import { LiveHub } from './hub';
import { SessionFeed } from './sessionFeed';

const CHANNEL = `session:${SESSION_ID}` as const;

const page = (positions: number[], next_after: number | null = null): TimelinePage => ({
  events: positions.map((position) => entry(position)),
  next_after,
});

/** Creates a feed whose page requests return `results`, one after another. */
function feedOver(...results: (TimelinePage | Error)[]) {
  const requested: number[] = [];
  const onDetailChange = vi.fn();
  const onChatChange = vi.fn();
  const feed = new SessionFeed(SESSION_ID, 7, {
    hub: new LiveHub(),
    readPage: async (after) => {
      requested.push(after);
      const result = results.shift() ?? page([]);
      if (result instanceof Error) throw result;
      return result;
    },
    onDetailChange,
    onChatChange,
  });
  const positions = () => feed.state().stream.entries.map((known) => known.position);
  return { feed, requested, positions, onDetailChange, onChatChange };
}

async function subscribed(): Promise<TestSocket> {
  await vi.advanceTimersByTimeAsync(0);
  const socket = TestSocket.latest().accept();
  socket.receive({ type: 'subscribed', channel: CHANNEL });
  return socket;
}

const frame = () => vi.advanceTimersByTimeAsync(300);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('session feed', () => {
  it('loads all pages, then subscribes from the cursor of the loaded session', async () => {
    const { feed, requested, positions } = feedOver(page([1, 2], 2), page([3]));
    feed.run();
    const socket = await subscribed();
    expect(requested).toEqual([0, 2]);
    expect(socket.sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 7 }]);
    socket.receive({ ...entryMessage(8, { position: 3 }) });
    socket.receive({ ...entryMessage(9, { position: 4 }) });
    await frame();
    expect(positions()).toEqual([1, 2, 3, 4]);
    expect(feed.state()).toMatchObject({ isLoaded: true, failure: null });
  });

  it('batches all messages before a frame into one state', async () => {
    const { feed } = feedOver();
    feed.run();
    const socket = await subscribed();
    await frame();
    const changed = vi.fn();
    feed.subscribe(changed);
    for (let index = 0; index < 5_000; index += 1) socket.receive(chunk('x', { from_start: index === 0 }));
    expect(changed).not.toHaveBeenCalled();
    await frame();
    expect(changed).toHaveBeenCalledTimes(1);
    expect([...feed.state().stream.texts.values()][0]?.text.length).toBe(5_000);
  });

  it('retries when pages cannot be loaded and reports the failure', async () => {
    const { feed, positions } = feedOver(page([1], 1), new ApiError('unreachable', 'gone'), page([2]));
    feed.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(feed.state()).toMatchObject({ isLoaded: false, failure: { message: 'gone' } });
    await vi.advanceTimersByTimeAsync(600);
    expect(feed.state()).toMatchObject({ isLoaded: true, failure: null });
    expect(positions()).toEqual([1, 2]);
  });

  it('does not retry after a permanent error', async () => {
    const { feed, requested } = feedOver(new ApiError('forbidden', 'no'));
    feed.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requested).toEqual([0]);
    expect(feed.state().failure?.message).toBe('no');
  });

  it('loads the entries that a gap skipped', async () => {
    const { feed, requested, positions } = feedOver(page([1]), page([2, 3]));
    feed.run();
    const socket = await subscribed();
    socket.receive({ type: 'gap', channel: CHANNEL, data: { missing_from: 8, next_event_id: 20 } });
    await frame();
    expect(requested).toEqual([0, 1]);
    expect(positions()).toEqual([1, 2, 3]);
  });

  it('resumes when it is run again', async () => {
    const { feed, positions } = feedOver(page([1]));
    const stop = feed.run();
    const socket = await subscribed();
    socket.receive(entryMessage(8, { position: 2 }));
    stop();
    expect(positions()).toEqual([1, 2]);
    feed.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(socket.sent.at(-1)).toEqual({ action: 'subscribe', channel: CHANNEL, last_event_id: 8 });
  });

  it('throttles refetches of the session', async () => {
    const { feed, onDetailChange, onChatChange } = feedOver();
    feed.run();
    const socket = await subscribed();
    await vi.advanceTimersByTimeAsync(2_000);
    onDetailChange.mockClear();
    for (let id = 8; id < 28; id += 1) {
      socket.receive({
        type: 'stage.status',
        channel: CHANNEL,
        event_id: id,
        data: { session_id: SESSION_ID, stage_id: `${id}`, status: 'active' },
      });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(3_000);
    expect(onDetailChange.mock.calls.length).toBeLessThanOrEqual(3);
    expect(onDetailChange.mock.calls.length).toBeGreaterThan(1);
    expect(onChatChange).not.toHaveBeenCalled();
  });
});
