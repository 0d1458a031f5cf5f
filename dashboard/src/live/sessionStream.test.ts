import { describe, expect, it } from 'vitest';
import { at, chunk, entry, entryMessage } from '../testing/session';
import type { HubMessage } from './hub';
import {
  emptyStream,
  lastPosition,
  laterStatus,
  type SessionStream,
  withEntries,
  withMessages,
} from './sessionStream';
import { MAX_LIVE_CHARACTERS } from './texts';

const CHANNEL = 'session:1';

const stageStatus = (status: 'active' | 'completed'): HubMessage => ({
  type: 'stage.status',
  channel: CHANNEL,
  data: { session_id: '1', stage_id: 'stage-1', status },
});
const sessionStatus = (status: 'in_progress' | 'completed'): HubMessage => ({
  type: 'session.status',
  channel: CHANNEL,
  data: { session_id: '1', status },
});
const callRecorded: HubMessage = {
  type: 'interaction.created',
  channel: CHANNEL,
  data: { session_id: '1', execution_id: 'execution-1', interaction_id: 'call-1', kind: 'llm' },
};

const streamOf = (...messages: HubMessage[]): SessionStream => withMessages(emptyStream, messages);
const textsOf = (stream: SessionStream) => [...stream.texts.values()].map(({ part, text }) => [part, text]);
const positions = (stream: SessionStream) => stream.entries.map((known) => known.position);

describe('streamed text', () => {
  it('appends chunks to each part separately', () => {
    const stream = streamOf(
      chunk('The ', { from_start: true }),
      chunk('I think', { part: 'thinking', from_start: true }),
      chunk('pod'),
    );
    expect(textsOf(stream)).toEqual([
      ['text', 'The pod'],
      ['thinking', 'I think'],
    ]);
    expect(textsOf(withMessages(stream, [chunk(' ran')]))[0]).toEqual(['text', 'The pod ran']);
  });

  it('replaces the text when it is sent from its start', () => {
    const stream = streamOf(chunk('The pod', { from_start: true }));
    expect(
      textsOf(withMessages(stream, [chunk('The pod ran', { from_start: true }), chunk(' out')])),
    ).toEqual([['text', 'The pod ran out']]);
  });

  it('restarts in the middle of a batch', () => {
    expect(
      textsOf(
        streamOf(chunk('wrong', { from_start: true }), chunk('right', { from_start: true }), chunk('!')),
      ),
    ).toEqual([['text', 'right!']]);
  });

  it('stays after its call is recorded until the entry arrives', () => {
    const stream = streamOf(chunk('It is memory.', { from_start: true }), callRecorded);
    expect(textsOf(stream)).toEqual([['text', 'It is memory.']]);
    const after = withMessages(stream, [entryMessage(1, { content: 'It is memory.' })]);
    expect(textsOf(after)).toEqual([]);
    expect(after.entries.map((known) => known.content)).toEqual(['It is memory.']);
  });

  it('is dropped when its call is abandoned', () => {
    const ended: HubMessage = { type: 'stream.ended', channel: CHANNEL, data: { interaction_id: 'call-1' } };
    expect(textsOf(streamOf(chunk('It', { from_start: true }), ended))).toEqual([]);
  });

  it('is dropped after a reconnect, because it is sent again', () => {
    const stream = streamOf(chunk('old', { from_start: true }));
    expect(textsOf(withMessages(stream, [{ type: 'joined', isReconnect: false }]))).toEqual([
      ['text', 'old'],
    ]);
    expect(textsOf(withMessages(stream, [{ type: 'joined', isReconnect: true }]))).toEqual([]);
  });

  it('stays bounded over 100,000 chunks', () => {
    let stream = streamOf(chunk('', { from_start: true }));
    for (let frame = 0; frame < 1_000; frame += 1) {
      stream = withMessages(
        stream,
        Array.from({ length: 100 }, (_, index) => chunk(`${frame}-${index} and some words. `)),
      );
    }
    const [text] = [...stream.texts.values()];
    expect(text?.text.length).toBeLessThanOrEqual(MAX_LIVE_CHARACTERS);
    expect(text?.isTruncated).toBe(true);
    expect(text?.text.endsWith('999-99 and some words. ')).toBe(true);
    expect(stream.entries).toEqual([]);
  });
});

describe('timeline entries', () => {
  it('merges pages and messages without duplicates', () => {
    let stream = withEntries(emptyStream, [entry(1), entry(2)]);
    stream = withMessages(stream, [entryMessage(2, {}), entryMessage(3, {}), entryMessage(3, {})]);
    expect(positions(stream)).toEqual([1, 2, 3]);
    expect(withEntries(stream, [entry(1), entry(3)])).toBe(stream);
    expect(withMessages(stream, [])).toBe(stream);
  });

  it('sorts entries by position', () => {
    const stream = withEntries(withEntries(emptyStream, [entry(4), entry(5)]), [
      entry(1),
      entry(4),
      entry(2),
    ]);
    expect(positions(stream)).toEqual([1, 2, 4, 5]);
  });

  it('reports the position up to which it is complete', () => {
    expect(lastPosition(emptyStream)).toBe(0);
    expect(lastPosition(withEntries(emptyStream, [entry(1), entry(2)]))).toBe(2);
    expect(lastPosition(withEntries(emptyStream, [entry(1), entry(2), entry(4)]))).toBe(2);
  });

  it('reads the same entry from the socket as from a page, except for its sequence', () => {
    const [received] = streamOf(entryMessage(7, { metadata: { source: 'native' } })).entries;
    expect(received).toEqual(
      entry(7, { metadata: { source: 'native' }, sequence: null, completed_at_us: at(7) }),
    );
  });

  it('requests a reload after a gap', () => {
    expect(streamOf({ type: 'gap', channel: CHANNEL, data: {} })).toMatchObject({
      gaps: 1,
      detailChanges: 1,
    });
  });
});

describe('live status', () => {
  it('never moves backward', () => {
    const ended = streamOf(sessionStatus('completed'), stageStatus('completed'));
    const late = withMessages(ended, [sessionStatus('in_progress'), stageStatus('active')]);
    expect([late.status, late.stages.get('stage-1')]).toEqual(['completed', 'completed']);
  });

  it('requests a refetch of the session on every change', () => {
    const stream = streamOf(
      sessionStatus('in_progress'),
      sessionStatus('in_progress'),
      stageStatus('active'),
    );
    expect(stream.detailChanges).toBe(2);
  });

  it('follows progress messages', () => {
    const progress = {
      session_id: '1',
      alert_id: 'a',
      status: 'in_progress',
      current_step: 'KubernetesAgent: thinks',
      chain_id: 'c',
      total_stages: 2,
      completed_stages: 1,
      ended_stages: 1,
    } as const;
    const stream = streamOf({ type: 'session.progress', channel: CHANNEL, data: progress });
    expect([stream.status, stream.progress]).toEqual(['in_progress', progress]);
  });

  it('counts chat messages', () => {
    const chatMessage: HubMessage = {
      type: 'chat.message',
      channel: CHANNEL,
      data: { session_id: '1', chat_message_id: 'm', sequence: 1 },
    };
    expect(streamOf(chatMessage, chatMessage).chatChanges).toBe(2);
  });

  it.each([
    ['pending', 'active', 'active'],
    ['active', 'pending', 'active'],
    ['completed', 'active', 'completed'],
    ['active', 'failed', 'failed'],
    ['pending', 'skipped', 'skipped'],
  ] as const)('laterStatus of %s and %s is %s', (one, other, later) => {
    expect(laterStatus(one, other)).toBe(later);
  });
});
