/**
 * The single live socket of the page. It is opened on the first subscription, shared by all subscribers, and
 * reopened with backoff after a disconnect. Each subscriber has its own cursor, so it receives exactly the
 * events it lacks after a reconnect. The hub neither stores nor interprets messages.
 */
import { retryDelayMs } from './backoff';
import { classify, cursorAfter, oldestCursor } from './cursor';
import { type Channel, type ChannelMessage, type Command, readMessage, type ServerMessage } from './wire';

/** `idle`: no subscribers. `waiting`: disconnected; a reconnect is scheduled. */
export type LiveState = 'idle' | 'connecting' | 'open' | 'waiting';

/**
 * `joined`: messages after this one are complete from the subscriber's cursor on; `isReconnect` if it was
 * disconnected in between.
 */
export type HubMessage = ChannelMessage | { type: 'joined'; isReconnect: boolean };

interface Subscriber {
  cursor: number | null;
  hasJoined: boolean;
  onMessage: (message: HubMessage) => void;
}

const HEARTBEAT_MS = 10_000;
/** A socket without traffic for this long is sent a ping. */
const PING_AFTER_MS = 15_000;
/** Time within which the pong must arrive. */
const PONG_TIMEOUT_MS = 9_000;
/** Delay before an unused socket is closed: a user who leaves a page usually opens another one. */
const LINGER_MS = 20_000;

export class LiveHub {
  readonly #open: () => WebSocket;
  readonly #subscribers = new Map<Channel, Set<Subscriber>>();
  readonly #listeners = new Set<() => void>();
  /**
   * Number of subscribe commands that are not confirmed yet; until then a message may belong to an earlier
   * subscription.
   */
  #unconfirmed = new Map<Channel, number>();
  #socket: WebSocket | null = null;
  #state: LiveState = 'idle';
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #receivedAt = 0;
  #pingedAt: number | null = null;

  constructor(open: () => WebSocket = openSocket) {
    this.#open = open;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Calls `listener` after each change of `state`. Returns a function that removes it. */
  readonly subscribeState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Delivers the events of a channel after `cursor`, the last event already known; null means from now on.
   * Returns a function that unsubscribes.
   */
  subscribe(channel: Channel, cursor: number | null, onMessage: (message: HubMessage) => void): () => void {
    const subscriber: Subscriber = { cursor, hasJoined: false, onMessage };
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(subscriber));
    clearTimeout(this.#idleTimer);
    if (this.#state === 'idle') this.#connect();
    else this.#sendSubscribe(channel);
    return () => this.#unsubscribe(channel, subscriber);
  }

  /**
   * Reconnects without waiting for the backoff, or checks an open socket. Called when the network returns or
   * the page becomes visible.
   */
  readonly wake = (): void => {
    if (this.#state === 'waiting') {
      this.#attempt = 0;
      this.#connect();
    } else if (this.#state === 'open') {
      this.#ping();
    }
  };

  #unsubscribe(channel: Channel, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(channel);
    if (!subscribers?.delete(subscriber) || subscribers.size > 0) return;
    this.#subscribers.delete(channel);
    this.#send({ action: 'unsubscribe', channel });
    if (this.#subscribers.size === 0) this.#idleTimer = setTimeout(() => this.#disconnect(), LINGER_MS);
  }

  #connect(): void {
    clearTimeout(this.#retry);
    const socket = this.#open();
    this.#socket = socket;
    this.#setState('connecting');
    socket.onopen = () => this.#onOpen();
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#receive(String(data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#onDisconnect();
    };
  }

  #onOpen(): void {
    this.#attempt = 0;
    this.#unconfirmed = new Map();
    this.#receivedAt = Date.now();
    this.#pingedAt = null;
    this.#heartbeat = setInterval(() => this.#checkHeartbeat(), HEARTBEAT_MS);
    this.#setState('open');
    for (const channel of this.#subscribers.keys()) this.#sendSubscribe(channel);
  }

  /** Discards the socket, whatever its own state, and schedules the next attempt. */
  #onDisconnect(): void {
    this.#closeSocket();
    this.#setState('waiting');
    this.#retry = setTimeout(() => this.#connect(), retryDelayMs(this.#attempt, Math.random()));
    this.#attempt += 1;
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    this.#closeSocket();
    this.#setState('idle');
  }

  #closeSocket(): void {
    clearInterval(this.#heartbeat);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #sendSubscribe(channel: Channel): void {
    const cursor = oldestCursor(
      [...(this.#subscribers.get(channel) ?? [])].map((subscriber) => subscriber.cursor),
    );
    const sent = this.#send({
      action: 'subscribe',
      channel,
      ...(cursor === null ? {} : { last_event_id: cursor }),
    });
    if (sent) this.#unconfirmed.set(channel, (this.#unconfirmed.get(channel) ?? 0) + 1);
  }

  #send(command: Command): boolean {
    if (this.#state !== 'open') return false;
    this.#socket?.send(JSON.stringify(command));
    return true;
  }

  #receive(text: string): void {
    this.#receivedAt = Date.now();
    this.#pingedAt = null;
    const message = readMessage(text);
    if (message) this.#dispatch(message);
  }

  #dispatch(message: ServerMessage): void {
    switch (message.type) {
      case 'subscribed':
        this.#onSubscribed(message.channel);
        return;
      case 'unsubscribed':
      case 'caught_up':
      case 'pong':
      case 'error':
        return;
      default:
        if (!this.#unconfirmed.get(message.channel)) this.#deliver(message);
    }
  }

  #onSubscribed(channel: Channel): void {
    const left = Math.max(0, (this.#unconfirmed.get(channel) ?? 0) - 1);
    this.#unconfirmed.set(channel, left);
    if (left > 0) return;
    for (const subscriber of [...(this.#subscribers.get(channel) ?? [])]) {
      const isReconnect = subscriber.hasJoined;
      subscriber.hasJoined = true;
      subscriber.onMessage({ type: 'joined', isReconnect });
    }
  }

  #deliver(message: ChannelMessage): void {
    for (const subscriber of [...(this.#subscribers.get(message.channel) ?? [])]) {
      const novelty = classify(subscriber.cursor, message);
      if (novelty === 'duplicate') continue;
      if (novelty === 'after_gap') subscriber.onMessage({ type: 'gap', channel: message.channel, data: {} });
      subscriber.cursor = cursorAfter(subscriber.cursor, message);
      subscriber.onMessage(message);
    }
  }

  #checkHeartbeat(): void {
    const now = Date.now();
    if (this.#pingedAt !== null && now - this.#pingedAt > PONG_TIMEOUT_MS) this.#onDisconnect();
    else if (now - this.#receivedAt > PING_AFTER_MS) this.#ping();
  }

  #ping(): void {
    this.#pingedAt ??= Date.now();
    this.#send({ action: 'ping' });
  }

  #setState(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function openSocket(): WebSocket {
  const address = new URL('/api/v1/ws', window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(address);
}
