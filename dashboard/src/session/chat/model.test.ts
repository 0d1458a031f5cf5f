import { describe, expect, it } from 'vitest';
import { emptyStream, withMessages } from '../../live/sessionStream';
import { chunk, detail } from '../../testing/session';
import { answerInProgress, disabledReason, questionFrom } from './model';

const chat = { messages: [], is_answering: false };

describe('chat', () => {
  it.each([
    ['accepts questions after the end', detail(), 'completed', chat, null],
    [
      'is disabled before the end',
      detail(),
      'in_progress',
      chat,
      'You can ask questions after the session has ended.',
    ],
    [
      'accepts one question at a time',
      detail(),
      'failed',
      { ...chat, is_answering: true },
      'Wait until the current answer is complete.',
    ],
    [
      'may be disabled with null',
      detail({ chain: { chat: null } }),
      'completed',
      chat,
      'Chat is disabled for this chain.',
    ],
    [
      'is disabled if the chain does not configure it',
      detail({ chain: {} }),
      'completed',
      chat,
      'Chat is disabled for this chain.',
    ],
  ] as const)('%s', (_claim, session, status, messages, reason) => {
    expect(disabledReason(session, status, messages)).toBe(reason);
  });

  it('shows the texts that are streamed for it', () => {
    const { texts } = withMessages(emptyStream, [
      chunk('of a stage', { interaction_id: 'a' }),
      chunk('for the chat', { interaction_id: 'b', stage_id: null, execution_id: 'chat-1' }),
      chunk('of a new one', { interaction_id: 'c', stage_id: null, execution_id: 'chat-2' }),
    ]);
    const textsFor = (status: 'completed' | 'in_progress') =>
      answerInProgress(texts, new Set(['chat-1']), status).map(({ text }) => text);
    expect(textsFor('completed')).toEqual(['for the chat', 'of a new one']);
    expect(textsFor('in_progress')).toEqual(['for the chat']);
  });

  it.each([
    [' Why? ', 'Why?'],
    [' \n ', null],
    ['x'.repeat(20_001), null],
  ])('reads draft %j as question %j', (draft, question) => {
    expect(questionFrom(draft)).toBe(question);
  });
});
