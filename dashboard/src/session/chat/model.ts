/** The chat after the end: what was said, what is being answered, and whether one may ask. Pure. */
import type { Chat, ChatMessage, SessionDetail, SessionStatus } from '../../api/types';
import { type Moment, momentOf } from '../../format/time';
import type { LiveText, LiveTexts } from '../../live/texts';
import { hasEnded } from '../../ui/status';

export interface Saying {
  key: string;
  /** Who asked; null for an answer. */
  author: string | null;
  at: Moment;
  text: string;
  /** Whose work the answer is. */
  executionId: string | null;
}

export const sayings = (chat: Chat | undefined): Saying[] => (chat?.messages ?? []).map(saying);

const saying = (message: ChatMessage): Saying => ({
  key: message.chat_message_id,
  author: message.author,
  at: momentOf(message.created_at_us),
  text: message.content,
  executionId: message.execution_id,
});

/** Why nobody can ask just now; null if one can. */
export function closedBecause(
  detail: SessionDetail,
  status: SessionStatus,
  chat: Chat | undefined,
): string | null {
  if (detail.chain.chat === null || detail.chain.chat === undefined)
    return 'Chat is turned off for this chain.';
  if (!hasEnded(status)) return 'Questions can be asked once the investigation has ended.';
  if (chat?.is_answering) return 'The last question is being answered.';
  return null;
}

/** What is being written for the chat: all that belongs to no stage once the session has ended. */
export function answerUnderWay(
  texts: LiveTexts,
  chats: ReadonlySet<string>,
  status: SessionStatus,
): LiveText[] {
  const isMeant = (text: LiveText) =>
    chats.has(text.executionId) || (text.stageId === null && hasEnded(status));
  return [...texts.values()].filter(isMeant);
}

export const LONGEST_QUESTION = 20_000;

/** The question to send; null while there is none. */
export function questionIn(draft: string): string | null {
  const question = draft.trim();
  return question === '' || question.length > LONGEST_QUESTION ? null : question;
}
