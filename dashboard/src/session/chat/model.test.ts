import { describe, expect, it } from 'vitest';
import { emptyStream, withNews } from '../../live/sessionStream';
import { chunk, detail } from '../../testing/session';
import { answerUnderWay, closedBecause, questionIn } from './model';

const chat = { messages: [], is_answering: false };

describe('the chat', () => {
  it.each([
    ['takes questions after the end', detail(), 'completed', chat, null],
    [
      'waits for the end',
      detail(),
      'in_progress',
      chat,
      'Questions can be asked once the investigation has ended.',
    ],
    [
      'takes one at a time',
      detail(),
      'failed',
      { ...chat, is_answering: true },
      'The last question is being answered.',
    ],
    [
      'may be turned off',
      detail({ chain: { chat: null } }),
      'completed',
      chat,
      'Chat is turned off for this chain.',
    ],
    [
      'may be turned off without a word',
      detail({ chain: {} }),
      'completed',
      chat,
      'Chat is turned off for this chain.',
    ],
  ] as const)('%s', (_claim, session, status, said, reason) => {
    expect(closedBecause(session, status, said)).toBe(reason);
  });

  it('has the texts that are written for it', () => {
    const { texts } = withNews(emptyStream, [
      chunk('of a stage', { interaction_id: 'a' }),
      chunk('for the chat', { interaction_id: 'b', stage_id: null, execution_id: 'chat-1' }),
      chunk('of a new one', { interaction_id: 'c', stage_id: null, execution_id: 'chat-2' }),
    ]);
    const said = (status: 'completed' | 'in_progress') =>
      answerUnderWay(texts, new Set(['chat-1']), status).map(({ text }) => text);
    expect(said('completed')).toEqual(['for the chat', 'of a new one']);
    expect(said('in_progress')).toEqual(['for the chat']);
  });

  it.each([
    [' Why? ', 'Why?'],
    [' \n ', null],
    ['x'.repeat(20_001), null],
  ])('takes %j as the question %j', (draft, question) => {
    expect(questionIn(draft)).toBe(question);
  });
});
