/**
 * The one live socket of the page: opened when somebody first follows a channel, shared by all who do, opened again
 * when it breaks. Each follower keeps its own place, so whoever comes back gets exactly what it lacks.
 * It neither keeps nor understands what it hands on.
 */
import { retryDelayMs } from './backoff';
import { commonPlace, judge, placeAfter } from './place';
import { type Channel, type ChannelMessage, type Command, readMessage, type ServerMessage } from './wire';

/** `idle`: nobody follows anything. `waiting`: it broke, and is opened again after a pause. */
export type LiveState = 'idle' | 'connecting' | 'open' | 'waiting';

/** `joined`: what follows is complete from the follower's place on; `again` if it was away in between. */
export type News = ChannelMessage | { type: 'joined'; again: boolean };

interface Follower {
  place: number | null;
  hasJoined: boolean;
  hear: (news: News) => void;
}

const PULSE_MS = 10_000;
/** A socket that was quiet for so long is asked whether it is there. */
const QUIET_MS = 15_000;
/** It has so long to answer that. */
const PONG_WITHIN_MS = 9_000;
/** A page that is left for another one soon follows something again. */
const LINGER_MS = 20_000;

export class LiveHub {
  readonly #open: () => WebSocket;
  readonly #followers = new Map<Channel, Set<Follower>>();
  readonly #watchers = new Set<() => void>();
  /** Subscriptions that were asked for and not yet confirmed; until then a message may be of an earlier one. */
  #unconfirmed = new Map<Channel, number>();
  #socket: WebSocket | null = null;
  #state: LiveState = 'idle';
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #farewell: ReturnType<typeof setTimeout> | undefined;
  #heardAt = 0;
  #pingedAt: number | null = null;

  constructor(open: () => WebSocket = openSocket) {
    this.#open = open;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Calls `watcher` after each change of `state`, until the answer is called. */
  readonly watchState = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Hears a channel after `place`, the last event that is known, or from now on; until the answer is called. */
  follow(channel: Channel, place: number | null, hear: (news: News) => void): () => void {
    const follower: Follower = { place, hasJoined: false, hear };
    const followers = this.#followers.get(channel) ?? new Set();
    this.#followers.set(channel, followers.add(follower));
    clearTimeout(this.#farewell);
    if (this.#state === 'idle') this.#connect();
    else this.#subscribe(channel);
    return () => this.#leave(channel, follower);
  }

  /** The network or the reader is back: do not wait any longer. */
  readonly wake = (): void => {
    if (this.#state === 'waiting') {
      this.#attempt = 0;
      this.#connect();
    } else if (this.#state === 'open') {
      this.#ping();
    }
  };

  #leave(channel: Channel, follower: Follower): void {
    const followers = this.#followers.get(channel);
    if (!followers?.delete(follower) || followers.size > 0) return;
    this.#followers.delete(channel);
    this.#send({ action: 'unsubscribe', channel });
    if (this.#followers.size === 0) this.#farewell = setTimeout(() => this.#hangUp(), LINGER_MS);
  }

  #connect(): void {
    clearTimeout(this.#retry);
    const socket = this.#open();
    this.#socket = socket;
    this.#move('connecting');
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#hear(String(data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#broke();
    };
  }

  #opened(): void {
    this.#attempt = 0;
    this.#unconfirmed = new Map();
    this.#heardAt = Date.now();
    this.#pingedAt = null;
    this.#pulse = setInterval(() => this.#feelPulse(), PULSE_MS);
    this.#move('open');
    for (const channel of this.#followers.keys()) this.#subscribe(channel);
  }

  /** Gives up on the socket, whatever it still thinks, and plans the next one. */
  #broke(): void {
    this.#drop();
    this.#move('waiting');
    this.#retry = setTimeout(() => this.#connect(), retryDelayMs(this.#attempt, Math.random()));
    this.#attempt += 1;
  }

  #hangUp(): void {
    clearTimeout(this.#retry);
    this.#drop();
    this.#move('idle');
  }

  #drop(): void {
    clearInterval(this.#pulse);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #subscribe(channel: Channel): void {
    const place = commonPlace([...(this.#followers.get(channel) ?? [])].map((follower) => follower.place));
    const sent = this.#send({
      action: 'subscribe',
      channel,
      ...(place === null ? {} : { last_event_id: place }),
    });
    if (sent) this.#unconfirmed.set(channel, (this.#unconfirmed.get(channel) ?? 0) + 1);
  }

  #send(command: Command): boolean {
    if (this.#state !== 'open') return false;
    this.#socket?.send(JSON.stringify(command));
    return true;
  }

  #hear(text: string): void {
    this.#heardAt = Date.now();
    this.#pingedAt = null;
    const message = readMessage(text);
    if (message) this.#take(message);
  }

  #take(message: ServerMessage): void {
    switch (message.type) {
      case 'subscribed':
        this.#confirmed(message.channel);
        return;
      case 'unsubscribed':
      case 'caught_up':
      case 'pong':
      case 'error':
        return;
      default:
        if (!this.#unconfirmed.get(message.channel)) this.#handOn(message);
    }
  }

  #confirmed(channel: Channel): void {
    const left = Math.max(0, (this.#unconfirmed.get(channel) ?? 0) - 1);
    this.#unconfirmed.set(channel, left);
    if (left > 0) return;
    for (const follower of [...(this.#followers.get(channel) ?? [])]) {
      const again = follower.hasJoined;
      follower.hasJoined = true;
      follower.hear({ type: 'joined', again });
    }
  }

  #handOn(message: ChannelMessage): void {
    for (const follower of [...(this.#followers.get(message.channel) ?? [])]) {
      const verdict = judge(follower.place, message);
      if (verdict === 'repeated') continue;
      if (verdict === 'after_a_gap') follower.hear({ type: 'gap', channel: message.channel, data: {} });
      follower.place = placeAfter(follower.place, message);
      follower.hear(message);
    }
  }

  #feelPulse(): void {
    const now = Date.now();
    if (this.#pingedAt !== null && now - this.#pingedAt > PONG_WITHIN_MS) this.#broke();
    else if (now - this.#heardAt > QUIET_MS) this.#ping();
  }

  #ping(): void {
    this.#pingedAt ??= Date.now();
    this.#send({ action: 'ping' });
  }

  #move(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

function openSocket(): WebSocket {
  const address = new URL('/api/v1/ws', window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(address);
}
