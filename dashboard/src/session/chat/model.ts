/** The chat: messages, the answer in progress, and whether questions are accepted. Pure. */
import type { Chat, ChatMessage, SessionDetail, SessionStatus } from '../../api/types';
import { type Moment, momentOf } from '../../format/time';
import type { LiveText, LiveTexts } from '../../live/texts';
import { hasEnded } from '../../ui/status';

export interface ChatEntry {
  key: string;
  /** Author of a question; null for an answer. */
  author: string | null;
  at: Moment;
  text: string;
  /** The execution that wrote the answer. */
  executionId: string | null;
}

export const chatEntries = (chat: Chat | undefined): ChatEntry[] => (chat?.messages ?? []).map(entry);

const entry = (message: ChatMessage): ChatEntry => ({
  key: message.chat_message_id,
  author: message.author,
  at: momentOf(message.created_at_us),
  text: message.content,
  executionId: message.execution_id,
});

/** Returns why questions are not accepted now, or null if they are. */
export function disabledReason(
  detail: SessionDetail,
  status: SessionStatus,
  chat: Chat | undefined,
): string | null {
  if (detail.chain.chat === null || detail.chain.chat === undefined)
    return 'Chat is disabled for this chain.';
  if (!hasEnded(status)) return 'You can ask questions after the session has ended.';
  if (chat?.is_answering) return 'Wait until the current answer is complete.';
  return null;
}

/**
 * Returns the texts that are being streamed for the chat: once the session has ended, every text without a
 * stage.
 */
export function answerInProgress(
  texts: LiveTexts,
  chats: ReadonlySet<string>,
  status: SessionStatus,
): LiveText[] {
  const isForChat = (text: LiveText) =>
    chats.has(text.executionId) || (text.stageId === null && hasEnded(status));
  return [...texts.values()].filter(isForChat);
}

export const MAX_QUESTION_LENGTH = 20_000;

/** Returns the question to send, or null if the draft is empty or too long. */
export function questionFrom(draft: string): string | null {
  const question = draft.trim();
  return question === '' || question.length > MAX_QUESTION_LENGTH ? null : question;
}
