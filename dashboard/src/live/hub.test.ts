import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestSocket } from '../testing/socket';
import { type HubMessage, LiveHub } from './hub';
import type { ChannelMessage } from './wire';

const CHANNEL = 'session:1';

const stored = (event_id: number): ChannelMessage => ({
  type: 'stage.status',
  channel: CHANNEL,
  event_id,
  data: { session_id: '1', stage_id: 's', status: 'active' },
});

const confirm = (socket: TestSocket) => socket.receive({ type: 'subscribed', channel: CHANNEL });

/** Subscribes from `cursor` and records received messages as event ids or types. */
function subscribe(hub: LiveHub, cursor: number | null) {
  const received: (number | string)[] = [];
  const label = (message: HubMessage) => ('event_id' in message && message.event_id) || message.type;
  const unsubscribe = hub.subscribe(CHANNEL, cursor, (message) => received.push(label(message)));
  return { received, unsubscribe };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('live hub', () => {
  it('opens no socket before the first subscription', () => {
    const hub = new LiveHub();
    expect([hub.state, TestSocket.opened.length]).toEqual(['idle', 0]);
    subscribe(hub, 41);
    expect([hub.state, TestSocket.opened.length]).toEqual(['connecting', 1]);
    TestSocket.latest().accept();
    expect(hub.state).toBe('open');
    expect(TestSocket.latest().sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 41 }]);
  });

  it('subscribes without an event id if no cursor is known', () => {
    subscribe(new LiveHub(), null);
    expect(TestSocket.latest().accept().sent).toEqual([{ action: 'subscribe', channel: CHANNEL }]);
  });

  it('delivers every stored event once and in order', () => {
    const { received } = subscribe(new LiveHub(), 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    for (const id of [4, 5, 5, 6, 5]) socket.receive(stored(id));
    expect(received).toEqual(['joined', 5, 6]);
  });

  it('ignores messages of a replaced subscription', () => {
    const hub = new LiveHub();
    const first = subscribe(hub, 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    const second = subscribe(hub, 2);
    expect(socket.sent.at(-1)).toEqual({ action: 'subscribe', channel: CHANNEL, last_event_id: 2 });
    socket.receive(stored(5));
    confirm(socket);
    for (const id of [3, 4, 5]) socket.receive(stored(id));
    expect(first.received).toEqual(['joined', 'joined', 5]);
    expect(second.received).toEqual(['joined', 3, 4, 5]);
  });

  it('reports gaps and continues after them', () => {
    const { received } = subscribe(new LiveHub(), 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.receive({ type: 'gap', channel: CHANNEL, data: { missing_from: 5, next_event_id: 9 } });
    socket.receive(stored(9));
    // A gap that the server did not announce.
    socket.receive(stored(12));
    expect(received).toEqual(['joined', 'gap', 9, 'gap', 12]);
  });

  it('resumes from its cursor after a reconnect', () => {
    const hub = new LiveHub();
    const { received } = subscribe(hub, 4);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.receive(stored(5));
    socket.disconnect();
    expect(hub.state).toBe('waiting');
    socket.receive(stored(6));
    vi.advanceTimersByTime(500);
    const next = TestSocket.latest().accept();
    expect(next.sent).toEqual([{ action: 'subscribe', channel: CHANNEL, last_event_id: 5 }]);
    confirm(next);
    next.receive(stored(6));
    expect(received).toEqual(['joined', 5, 'joined', 6]);
  });

  it('backs off between attempts and reconnects immediately when woken', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const hub = new LiveHub();
    subscribe(hub, null);
    for (const pause of [500, 1_000, 2_000]) {
      TestSocket.latest().disconnect();
      const before = TestSocket.opened.length;
      vi.advanceTimersByTime(pause - 1);
      expect(TestSocket.opened.length).toBe(before);
      vi.advanceTimersByTime(1);
      expect(TestSocket.opened.length).toBe(before + 1);
    }
    TestSocket.latest().disconnect();
    const before = TestSocket.opened.length;
    hub.wake();
    expect(TestSocket.opened.length).toBe(before + 1);
  });

  it('closes a socket that does not answer pings', () => {
    const hub = new LiveHub();
    subscribe(hub, null);
    const silent = TestSocket.latest().accept();
    vi.advanceTimersByTime(20_000);
    expect(silent.sent.at(-1)).toEqual({ action: 'ping' });
    silent.receive({ type: 'pong' });
    vi.advanceTimersByTime(20_000);
    expect(hub.state).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect([silent.isClosed, hub.state === 'open']).toEqual([true, false]);
  });

  it('unsubscribes with the last subscriber and disconnects when idle', () => {
    const hub = new LiveHub();
    const first = subscribe(hub, null);
    const second = subscribe(hub, null);
    const socket = TestSocket.latest().accept();
    first.unsubscribe();
    first.unsubscribe();
    expect(socket.sent).not.toContainEqual({ action: 'unsubscribe', channel: CHANNEL });
    second.unsubscribe();
    expect(socket.sent.at(-1)).toEqual({ action: 'unsubscribe', channel: CHANNEL });
    expect(hub.state).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect([hub.state, socket.isClosed]).toEqual(['idle', true]);
  });

  it('notifies listeners of state changes', () => {
    const hub = new LiveHub();
    const states: string[] = [];
    const stop = hub.subscribeState(() => states.push(hub.state));
    subscribe(hub, null);
    TestSocket.latest().accept().disconnect();
    stop();
    hub.wake();
    expect(states).toEqual(['connecting', 'open', 'waiting']);
  });

  it('ignores unknown and control messages', () => {
    const { received } = subscribe(new LiveHub(), null);
    const socket = TestSocket.latest().accept();
    confirm(socket);
    socket.receive({ type: 'unknown' });
    socket.receive({ type: 'error', message: 'no' });
    expect(received).toEqual(['joined']);
  });
});
