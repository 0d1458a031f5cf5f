import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestSocket } from '../testing/socket';
import { LiveHub, type News } from './hub';
import type { ChannelMessage } from './wire';

const CHANNEL = 'session:1';

const stored = (event_id: number): ChannelMessage => ({
  type: 'stage.status',
  channel: CHANNEL,
  event_id,
  data: { stage_id: 's', status: 'active' },
});

const confirm = (socket: TestSocket) => socket.say({ type: 'subscribed', channel: CHANNEL });

/** Follows from a place; what was heard is told by event ids and types. */
function follow(hub: LiveHub, place: number | null) {
  const heard: (number | string)[] = [];
  const told = (news: News) => ('event_id' in news && news.event_id) || news.type;
  const leave = hub.follow(CHANNEL, place, (news) => heard.push(told(news)));
  return { heard, leave };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the live hub', () => {
  it('opens no socket until somebody follows something', () => {
    const hub = new LiveHub();
    expect([hub.state, TestSocket.opened.length]).toEqual(['idle', 0]);
    follow(hub, 41);
    expect([hub.state, TestSocket.opened.length]).toEqual(['connecting', 1]);
    TestSocket.latest().accept();
    expect(hub.state).toBe('open');
    expect(TestSocket.latest().sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 41 }]);
  });

  it('asks for no place where none is known', () => {
    follow(new LiveHub(), null);
    expect(TestSocket.latest().accept().sent).toEqual([{ action: 'subscribe', channel: CHANNEL }]);
  });

  it('hands on every stored event once, and in order', () => {
    const { heard } = follow(new LiveHub(), 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    for (const id of [4, 5, 5, 6, 5]) socket.say(stored(id));
    expect(heard).toEqual(['joined', 5, 6]);
  });

  it('leaves messages of a subscription that was replaced', () => {
    const hub = new LiveHub();
    const first = follow(hub, 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    const second = follow(hub, 2);
    expect(socket.sent.at(-1)).toEqual({ action: 'subscribe', channel: CHANNEL, last_event_id: 2 });
    socket.say(stored(5));
    confirm(socket);
    for (const id of [3, 4, 5]) socket.say(stored(id));
    expect(first.heard).toEqual(['joined', 'joined', 5]);
    expect(second.heard).toEqual(['joined', 3, 4, 5]);
  });

  it('tells of a gap, and goes on behind it', () => {
    const { heard } = follow(new LiveHub(), 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.say({ type: 'gap', channel: CHANNEL, data: { missing_from: 5, next_event_id: 9 } });
    socket.say(stored(9));
    // Nobody announced this one.
    socket.say(stored(12));
    expect(heard).toEqual(['joined', 'gap', 9, 'gap', 12]);
  });

  it('comes back after a break, with what it has', () => {
    const hub = new LiveHub();
    const { heard } = follow(hub, 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.say(stored(5));
    socket.break();
    expect(hub.state).toBe('waiting');
    socket.say(stored(6));
    vi.advanceTimersByTime(500);
    const next = TestSocket.latest().accept();
    expect(next.sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 5 }]);
    confirm(next);
    next.say(stored(6));
    expect(heard).toEqual(['joined', 5, 'joined', 6]);
  });

  it('waits longer each time, but not when the network is back', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const hub = new LiveHub();
    follow(hub, null);
    for (const pause of [500, 1_000, 2_000]) {
      TestSocket.latest().break();
      const before = TestSocket.opened.length;
      vi.advanceTimersByTime(pause - 1);
      expect(TestSocket.opened.length).toBe(before);
      vi.advanceTimersByTime(1);
      expect(TestSocket.opened.length).toBe(before + 1);
    }
    TestSocket.latest().break();
    const before = TestSocket.opened.length;
    hub.wake();
    expect(TestSocket.opened.length).toBe(before + 1);
  });

  it('gives up on a socket that does not answer', () => {
    const hub = new LiveHub();
    follow(hub, null);
    const silent = TestSocket.latest().accept();
    vi.advanceTimersByTime(20_000);
    expect(silent.sent.at(-1)).toEqual({ action: 'ping' });
    silent.say({ type: 'pong' });
    vi.advanceTimersByTime(20_000);
    expect(hub.state).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect([silent.isClosed, hub.state === 'open']).toEqual([true, false]);
  });

  it('leaves a channel with its last follower, and hangs up when nobody comes', () => {
    const hub = new LiveHub();
    const first = follow(hub, null);
    const second = follow(hub, null);
    const socket = TestSocket.latest().accept();
    first.leave();
    first.leave();
    expect(socket.sent).not.toContainEqual({ action: 'unsubscribe', channel: CHANNEL });
    second.leave();
    expect(socket.sent.at(-1)).toEqual({ action: 'unsubscribe', channel: CHANNEL });
    expect(hub.state).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect([hub.state, socket.isClosed]).toEqual(['idle', true]);
  });

  it('says when its state changes, to whoever wants to know', () => {
    const hub = new LiveHub();
    const states: string[] = [];
    const stop = hub.watchState(() => states.push(hub.state));
    follow(hub, null);
    TestSocket.latest().accept().break();
    stop();
    hub.wake();
    expect(states).toEqual(['connecting', 'open', 'waiting']);
  });

  it('is deaf to what it does not know', () => {
    const { heard } = follow(new LiveHub(), null);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.say({ type: 'of tomorrow' });
    socket.say({ type: 'error', message: 'no' });
    expect(heard).toEqual(['joined']);
  });
});
