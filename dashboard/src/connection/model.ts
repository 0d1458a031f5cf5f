/** Whether the dashboard talks to its server: what the health query's state means. Draws nothing. */
import type { HealthResponse } from '../api/types';
import type { Tone } from '../ui/tone';

export type Connection =
  | { state: 'connecting' }
  | { state: 'connected'; version: string }
  | { state: 'lost'; reason: string };

export interface HealthAnswer {
  data: HealthResponse | undefined;
  error: Error | null;
}

/** An error outweighs an answer, because the answer is then an old one. */
export function connectionOf({ data, error }: HealthAnswer): Connection {
  if (error) return { state: 'lost', reason: error.message };
  if (data) return { state: 'connected', version: data.version };
  return { state: 'connecting' };
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
    case 'lost':
      return { label: 'Connection lost', tone: 'bad' };
  }
}
