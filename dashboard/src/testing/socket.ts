/** A socket whose other end is the test. `setup.ts` puts it where the browser's would be. */
import type { ServerMessage } from '../live/wire';

type Close = () => void;

export class TestSocket {
  /** All that were opened in this test, in order. */
  static opened: TestSocket[] = [];

  static latest(): TestSocket {
    const socket = TestSocket.opened.at(-1);
    if (!socket) throw new Error('nobody has opened a socket');
    return socket;
  }

  /** What the page has sent. */
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

  /** The connection is there. */
  accept(): this {
    this.onopen?.();
    return this;
  }

  /** The server says something; anything that is not a message stands for itself. */
  say(message: ServerMessage | { type: string }): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** The connection is gone. */
  break(): void {
    this.isClosed = true;
    this.onclose?.();
  }
}
