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

/** A feed over these answers; each question takes the next one. */
function feedOver(...answers: (TimelinePage | Error)[]) {
  const asked: number[] = [];
  const onDetailChange = vi.fn();
  const onChatChange = vi.fn();
  const feed = new SessionFeed(SESSION_ID, 7, {
    hub: new LiveHub(),
    readPage: async (after) => {
      asked.push(after);
      const answer = answers.shift() ?? page([]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onDetailChange,
    onChatChange,
  });
  const positions = () => feed.state().stream.entries.map((known) => known.position);
  return { feed, asked, positions, onDetailChange, onChatChange };
}

async function joined(): Promise<TestSocket> {
  await vi.advanceTimersByTimeAsync(0);
  const socket = TestSocket.latest().accept();
  socket.say({ type: 'subscribed', channel: CHANNEL });
  return socket;
}

const frame = () => vi.advanceTimersByTimeAsync(300);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the feed of a session', () => {
  it('reads all pages, then follows from where the session was loaded', async () => {
    const { feed, asked, positions } = feedOver(page([1, 2], 2), page([3]));
    feed.run();
    const socket = await joined();
    expect(asked).toEqual([0, 2]);
    expect(socket.sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 7 }]);
    socket.say({ ...entryMessage(8, { position: 3 }) });
    socket.say({ ...entryMessage(9, { position: 4 }) });
    await frame();
    expect(positions()).toEqual([1, 2, 3, 4]);
    expect(feed.state()).toMatchObject({ isRead: true, failure: null });
  });

  it('makes one state of all that came before a frame', async () => {
    const { feed } = feedOver();
    feed.run();
    const socket = await joined();
    await frame();
    const changed = vi.fn();
    feed.watch(changed);
    for (let index = 0; index < 5_000; index += 1) socket.say(chunk('x', { from_start: index === 0 }));
    expect(changed).not.toHaveBeenCalled();
    await frame();
    expect(changed).toHaveBeenCalledTimes(1);
    expect([...feed.state().stream.texts.values()][0]?.text.length).toBe(5_000);
  });

  it('tries again when the pages cannot be read, and says so', async () => {
    const { feed, positions } = feedOver(page([1], 1), new ApiError('unreachable', 'gone'), page([2]));
    feed.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(feed.state()).toMatchObject({ isRead: false, failure: { message: 'gone' } });
    await vi.advanceTimersByTimeAsync(600);
    expect(feed.state()).toMatchObject({ isRead: true, failure: null });
    expect(positions()).toEqual([1, 2]);
  });

  it('does not insist where it is refused', async () => {
    const { feed, asked } = feedOver(new ApiError('forbidden', 'no'));
    feed.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([0]);
    expect(feed.state().failure?.message).toBe('no');
  });

  it('reads what a gap may hide', async () => {
    const { feed, asked, positions } = feedOver(page([1]), page([2, 3]));
    feed.run();
    const socket = await joined();
    socket.say({ type: 'gap', channel: CHANNEL, data: { missing_from: 8, next_event_id: 20 } });
    await frame();
    expect(asked).toEqual([0, 1]);
    expect(positions()).toEqual([1, 2, 3]);
  });

  it('goes on from where it was when it is run again', async () => {
    const { feed, positions } = feedOver(page([1]));
    const stop = feed.run();
    const socket = await joined();
    socket.say(entryMessage(8, { position: 2 }));
    stop();
    expect(positions()).toEqual([1, 2]);
    feed.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(socket.sent.at(-1)).toEqual({ action: 'subscribe', channel: CHANNEL, last_event_id: 8 });
  });

  it('asks for the session again once in a while, however much happens', async () => {
    const { feed, onDetailChange, onChatChange } = feedOver();
    feed.run();
    const socket = await joined();
    await vi.advanceTimersByTimeAsync(2_000);
    onDetailChange.mockClear();
    for (let id = 8; id < 28; id += 1) {
      socket.say({
        type: 'stage.status',
        channel: CHANNEL,
        event_id: id,
        data: { stage_id: `${id}`, status: 'active' },
      });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(3_000);
    expect(onDetailChange.mock.calls.length).toBeLessThanOrEqual(3);
    expect(onDetailChange.mock.calls.length).toBeGreaterThan(1);
    expect(onChatChange).not.toHaveBeenCalled();
  });
});
