/** The connection state, derived from the health query and the live socket. Pure. */
import type { HealthResponse } from '../api/types';
import type { LiveState } from '../live/hub';
import type { Tone } from '../ui/tone';

export type Connection =
  | { state: 'connecting' }
  | { state: 'connected'; version: string }
  | { state: 'reconnecting'; version: string }
  | { state: 'lost'; reason: string };

export interface HealthResult {
  data: HealthResponse | undefined;
  error: Error | null;
}

/**
 * An error takes precedence over `data`, which is then outdated. A healthy server may still have no live
 * socket: it has just restarted, or a proxy blocks WebSockets.
 */
export function connectionOf({ data, error }: HealthResult, live: LiveState): Connection {
  if (error) return { state: 'lost', reason: error.message };
  if (!data) return { state: 'connecting' };
  return { state: live === 'waiting' ? 'reconnecting' : 'connected', version: data.version };
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
    case 'reconnecting':
      return { label: 'Reconnecting…', tone: 'warning' };
    case 'lost':
      return { label: 'Connection lost', tone: 'bad' };
  }
}
