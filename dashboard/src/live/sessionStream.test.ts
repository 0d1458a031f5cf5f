import { describe, expect, it } from 'vitest';
import { at, chunk, entry, entryMessage } from '../testing/session';
import type { News } from './hub';
import {
  emptyStream,
  lastPosition,
  laterStatus,
  type SessionStream,
  withEntries,
  withNews,
} from './sessionStream';
import { MOST_LIVE_CHARACTERS } from './texts';

const CHANNEL = 'session:1';

const stageStatus = (status: 'active' | 'completed'): News => ({
  type: 'stage.status',
  channel: CHANNEL,
  data: { stage_id: 'stage-1', status },
});
const sessionStatus = (status: 'in_progress' | 'completed'): News => ({
  type: 'session.status',
  channel: CHANNEL,
  data: { session_id: '1', status },
});
const callRecorded: News = {
  type: 'interaction.created',
  channel: CHANNEL,
  data: { execution_id: 'execution-1', interaction_id: 'call-1', kind: 'llm' },
};

const hear = (...news: News[]): SessionStream => withNews(emptyStream, news);
const textsOf = (stream: SessionStream) => [...stream.texts.values()].map(({ part, text }) => [part, text]);
const positions = (stream: SessionStream) => stream.entries.map((known) => known.position);

describe('a text that is being written', () => {
  it('grows by chunks, each part on its own', () => {
    const stream = hear(
      chunk('The ', { from_start: true }),
      chunk('I think', { part: 'thinking', from_start: true }),
      chunk('pod'),
    );
    expect(textsOf(stream)).toEqual([
      ['text', 'The pod'],
      ['thinking', 'I think'],
    ]);
    expect(textsOf(withNews(stream, [chunk(' ran')]))[0]).toEqual(['text', 'The pod ran']);
  });

  it('has the prefix first for those who join late, and once', () => {
    const stream = hear(chunk('The pod', { from_start: true }));
    expect(textsOf(withNews(stream, [chunk('The pod ran', { from_start: true }), chunk(' out')]))).toEqual([
      ['text', 'The pod ran out'],
    ]);
  });

  it('begins anew in the middle of a batch', () => {
    expect(
      textsOf(hear(chunk('wrong', { from_start: true }), chunk('right', { from_start: true }), chunk('!'))),
    ).toEqual([['text', 'right!']]);
  });

  it('stays after its call is recorded until the entry is there', () => {
    const stream = hear(chunk('It is memory.', { from_start: true }), callRecorded);
    expect(textsOf(stream)).toEqual([['text', 'It is memory.']]);
    const after = withNews(stream, [entryMessage(1, { content: 'It is memory.' })]);
    expect(textsOf(after)).toEqual([]);
    expect(after.entries.map((known) => known.content)).toEqual(['It is memory.']);
  });

  it('is gone when its call was given up', () => {
    const ended: News = { type: 'stream.ended', channel: CHANNEL, data: { interaction_id: 'call-1' } };
    expect(textsOf(hear(chunk('It', { from_start: true }), ended))).toEqual([]);
  });

  it('is told anew after the page was away', () => {
    const stream = hear(chunk('old', { from_start: true }));
    expect(textsOf(withNews(stream, [{ type: 'joined', again: false }]))).toEqual([['text', 'old']]);
    expect(textsOf(withNews(stream, [{ type: 'joined', again: true }]))).toEqual([]);
  });

  it('does not grow without bound while 100,000 chunks come', () => {
    let stream = hear(chunk('', { from_start: true }));
    for (let frame = 0; frame < 1_000; frame += 1) {
      stream = withNews(
        stream,
        Array.from({ length: 100 }, (_, index) => chunk(`${frame}-${index} and some words. `)),
      );
    }
    const [text] = [...stream.texts.values()];
    expect(text?.text.length).toBeLessThanOrEqual(MOST_LIVE_CHARACTERS);
    expect(text?.isCut).toBe(true);
    expect(text?.text.endsWith('999-99 and some words. ')).toBe(true);
    expect(stream.entries).toEqual([]);
  });
});

describe('the timeline', () => {
  it('is the pages and what came after them, once each', () => {
    let stream = withEntries(emptyStream, [entry(1), entry(2)]);
    stream = withNews(stream, [entryMessage(2, {}), entryMessage(3, {}), entryMessage(3, {})]);
    expect(positions(stream)).toEqual([1, 2, 3]);
    expect(withEntries(stream, [entry(1), entry(3)])).toBe(stream);
    expect(withNews(stream, [])).toBe(stream);
  });

  it('is in order, whatever the order in which it came', () => {
    const stream = withEntries(withEntries(emptyStream, [entry(4), entry(5)]), [
      entry(1),
      entry(4),
      entry(2),
    ]);
    expect(positions(stream)).toEqual([1, 2, 4, 5]);
  });

  it('knows up to where it has everything', () => {
    expect(lastPosition(emptyStream)).toBe(0);
    expect(lastPosition(withEntries(emptyStream, [entry(1), entry(2)]))).toBe(2);
    expect(lastPosition(withEntries(emptyStream, [entry(1), entry(2), entry(4)]))).toBe(2);
  });

  it('has the same entry from the socket as from a page, but for its place in the execution', () => {
    const [heard] = hear(entryMessage(7, { metadata: { source: 'native' } })).entries;
    expect(heard).toEqual(
      entry(7, { metadata: { source: 'native' }, sequence: null, completed_at_us: at(7) }),
    );
  });

  it('leaves an entry that the server has no more', () => {
    const gone = entryMessage(1, {});
    if (gone.type === 'timeline_event.completed') delete gone.data.content;
    expect(hear(gone).entries).toEqual([]);
  });

  it('is to be read again after a gap', () => {
    expect(hear({ type: 'gap', channel: CHANNEL, data: {} })).toMatchObject({ gaps: 1, detailChanges: 1 });
  });
});

describe('where a session stands', () => {
  it('never goes back', () => {
    const ended = hear(sessionStatus('completed'), stageStatus('completed'));
    const late = withNews(ended, [sessionStatus('in_progress'), stageStatus('active')]);
    expect([late.status, late.stages.get('stage-1')]).toEqual(['completed', 'completed']);
  });

  it('makes the answer of the server an old one', () => {
    const stream = hear(sessionStatus('in_progress'), sessionStatus('in_progress'), stageStatus('active'));
    expect(stream.detailChanges).toBe(2);
  });

  it('is told with how far it is', () => {
    const progress = {
      session_id: '1',
      alert_id: 'a',
      status: 'in_progress',
      current_step: 'KubernetesAgent: thinks',
      chain_id: 'c',
      total_stages: 2,
      completed_stages: 1,
    } as const;
    const stream = hear({ type: 'session.progress', channel: CHANNEL, data: progress });
    expect([stream.status, stream.progress]).toEqual(['in_progress', progress]);
  });

  it('hears of the chat', () => {
    const said: News = {
      type: 'chat.message',
      channel: CHANNEL,
      data: { chat_message_id: 'm', sequence: 1 },
    };
    expect(hear(said, said).chatChanges).toBe(2);
  });

  it.each([
    ['pending', 'active', 'active'],
    ['active', 'pending', 'active'],
    ['completed', 'active', 'completed'],
    ['active', 'failed', 'failed'],
    ['pending', 'skipped', 'skipped'],
  ] as const)('of %s and %s the later is %s', (one, other, later) => {
    expect(laterStatus(one, other)).toBe(later);
  });
});
