/**
 * The messages of the live socket, under the names that the dashboard uses, and the one function that parses
 * them. The types are generated from the server's OpenAPI document by `make types`. A stored message carries
 * the id of its event; ids within a channel have no gaps. Other messages are not stored.
 */
import type { components } from '../api/schema';

type Schemas = components['schemas'];

/** `sessions` or `session:` followed by a session id. */
export type Channel = Schemas['Channel'];

export const sessionChannel = (sessionId: string): Channel => `session:${sessionId}`;

/** A message of a channel; `event_id` is set if it is stored. */
export type ChannelMessage = Schemas['ChannelMessage'];

export type MessageOf<Type extends ChannelMessage['type']> = Extract<ChannelMessage, { type: Type }>;

export type SessionProgress = MessageOf<'session.progress'>['data'];
export type EntryData = MessageOf<'timeline_event.completed'>['data'];
export type ChunkData = MessageOf<'stream.chunk'>['data'];
export type StreamPart = Schemas['LivePart'];

/** A message about the socket itself. */
export type ControlMessage = Schemas['ControlMessage'];

export type ServerMessage = ChannelMessage | ControlMessage;

export type Command = Schemas['ClientCommand'];

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

/** Parses a message and trusts its shape, like every response of the server; null if its type is unknown. */
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
