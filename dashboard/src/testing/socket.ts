/** A fake WebSocket controlled by the test. `setup.ts` installs it. */
import type { ServerMessage } from '../live/wire';

type Close = () => void;

export class TestSocket {
  /** All sockets opened in this test, in order. */
  static opened: TestSocket[] = [];

  static latest(): TestSocket {
    const socket = TestSocket.opened.at(-1);
    if (!socket) throw new Error('no socket was opened');
    return socket;
  }

  /** Commands that the page has sent. */
  readonly sent: unknown[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: Close | null = null;

  constructor() {
    TestSocket.opened.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  /** Opens the connection. */
  accept(): this {
    this.onopen?.();
    return this;
  }

  /** Delivers a server message to the page. */
  receive(message: ServerMessage | { type: string }): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** Closes the connection from the server side. */
  disconnect(): void {
    this.isClosed = true;
    this.onclose?.();
  }
}
