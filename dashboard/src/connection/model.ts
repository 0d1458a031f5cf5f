/** Whether the dashboard talks to its server: what the health query and the live socket mean together. Draws nothing. */
import type { HealthResponse } from '../api/types';
import type { LiveState } from '../live/hub';
import type { Tone } from '../ui/tone';

export type Connection =
  | { state: 'connecting' }
  | { state: 'connected'; version: string }
  | { state: 'without_news'; version: string }
  | { state: 'lost'; reason: string };

export interface HealthAnswer {
  data: HealthResponse | undefined;
  error: Error | null;
}

/**
 * An error outweighs an answer, because the answer is then an old one. A server that answers may still be one whose
 * live news do not arrive: it was just restarted, or something on the way lets no socket through.
 */
export function connectionOf({ data, error }: HealthAnswer, live: LiveState): Connection {
  if (error) return { state: 'lost', reason: error.message };
  if (!data) return { state: 'connecting' };
  return { state: live === 'waiting' ? 'without_news' : 'connected', version: data.version };
}

export interface ConnectionLook {
  label: string;
  tone: Tone;
}

export function connectionLook(connection: Connection): ConnectionLook {
  switch (connection.state) {
    case 'connecting':
      return { label: 'Connecting…', tone: 'neutral' };
    case 'connected':
      return { label: 'Connected', tone: 'good' };
    case 'without_news':
      return { label: 'Reconnecting…', tone: 'warning' };
    case 'lost':
      return { label: 'Connection lost', tone: 'bad' };
  }
}
