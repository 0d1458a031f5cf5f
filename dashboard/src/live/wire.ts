/**
 * What travels on the live socket, as types, and the one place that reads it.
 * A stored message carries the id of its event; ids within a channel have no gaps. All others only say how things are.
 */
import type { SessionStatus, TimelineEventType, WorkStatus } from '../api/types';

export type Channel = 'sessions' | `session:${string}`;

export const sessionChannel = (sessionId: string): Channel => `session:${sessionId}`;

/** How far an agent of a stage is. */
export interface StageProgress {
  stage: string;
  agent: string;
  status: WorkStatus;
  duration_ms: number | null;
  error: string | null;
}

/** How far a session is. Of a session whose parts make no sense, only what stands on its row is told. */
export interface SessionProgress {
  session_id: string;
  alert_id: string;
  status: SessionStatus;
  current_step: string | null;
  chain_id: string;
  total_stages: number;
  completed_stages: number;
  current_stage?: string | null;
  progress?: number;
  message?: string;
  stage_progress?: StageProgress[];
  result?: string | null;
  error?: string | null;
}

/** An entry of the timeline with its final text. The text is missing if the entry is gone by now. */
export interface EntryData {
  timeline_event_id: string;
  stage_id: string | null;
  execution_id: string | null;
  event_type: TimelineEventType;
  content?: string;
  metadata?: Record<string, unknown> | null;
  position?: number;
  created_at_us?: number;
}

export type StreamPart = 'thinking' | 'text' | 'tool_progress';

/** More of a text that is being written. */
export interface ChunkData {
  stage_id: string | null;
  execution_id: string;
  interaction_id: string;
  part: StreamPart;
  /** Whether this replaces what was told of the text before. */
  from_start: boolean;
  text: string;
}

interface Messages {
  'session.status': { session_id: string; status: SessionStatus };
  'session.progress': SessionProgress;
  'stage.status': { stage_id: string; status: WorkStatus };
  'execution.status': { execution_id: string; status: WorkStatus };
  'timeline_event.completed': EntryData;
  'interaction.created': { execution_id: string; interaction_id: string; kind: 'llm' | 'mcp' };
  'chat.message': { chat_message_id: string; sequence: number };
  'stream.chunk': ChunkData;
  'stream.ended': { interaction_id: string };
  /** Something was missed: read what you need again over HTTP. */
  gap: { missing_from?: number; next_event_id?: number };
}

/** A message of a channel. `event_id` is there if the message is stored. */
export type ChannelMessage = {
  [Type in keyof Messages]: {
    type: Type;
    channel: Channel;
    event_id?: number;
    at_us?: number;
    data: Messages[Type];
  };
}[keyof Messages];

export type MessageOf<Type extends ChannelMessage['type']> = Extract<ChannelMessage, { type: Type }>;

/** What the server says about the socket itself. */
export type ControlMessage =
  | { type: 'subscribed'; channel: Channel }
  | { type: 'unsubscribed'; channel: Channel }
  | { type: 'caught_up'; channel: Channel; last_event_id: number; more: boolean }
  | { type: 'pong' }
  | { type: 'error'; message: string };

export type ServerMessage = ChannelMessage | ControlMessage;

export type Command =
  | { action: 'subscribe'; channel: Channel; last_event_id?: number }
  | { action: 'unsubscribe'; channel: Channel }
  | { action: 'ping' };

const known: Record<ServerMessage['type'], true> = {
  'session.status': true,
  'session.progress': true,
  'stage.status': true,
  'execution.status': true,
  'timeline_event.completed': true,
  'interaction.created': true,
  'chat.message': true,
  'stream.chunk': true,
  'stream.ended': true,
  gap: true,
  subscribed: true,
  unsubscribed: true,
  caught_up: true,
  pong: true,
  error: true,
};

/** Reads a message and trusts its shape, like every answer of the server; null if this page does not know its type. */
export function readMessage(text: string): ServerMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== 'object' || message === null || !('type' in message)) return null;
    const { type } = message;
    return typeof type === 'string' && Object.hasOwn(known, type) ? (message as ServerMessage) : null;
  } catch {
    return null;
  }
}
