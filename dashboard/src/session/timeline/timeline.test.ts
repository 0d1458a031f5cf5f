import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../api/types';
import { emptyStream, withNews } from '../../live/sessionStream';
import { at, chunk, detail, entry, execution, stage } from '../../testing/session';
import { stageCards } from '../chain';
import { readAnchor, spotOf } from './anchor';
import { followsAfter } from './follow';
import type { Row } from './row';
import { rowsOf } from './rows';
import { countText, matchesIn, offsetIn, stepped } from './search';
import { chronicleOf } from './sections';
import { firstWords } from './thought';

const parallel = detail({
  stages: [
    stage({
      status: 'active',
      executions: [
        execution(),
        execution({ execution_id: 'execution-2', agent_name: 'Two', status: 'active' }),
      ],
    }),
    stage({ stage_id: 'stage-2', stage_index: 1, name: 'later', status: 'pending', executions: [] }),
  ],
});

function chronicle(entries: TimelineEntry[], session = detail(), stream = emptyStream) {
  return chronicleOf(entries, stageCards(session, stream), session, stream);
}

const call = (position: number, id: string, more: Partial<TimelineEntry> = {}) =>
  entry(position, {
    event_type: 'tool_call',
    metadata: { server_name: 'k8s', tool_name: 'pods', tool_call_id: id, arguments: { n: 1 } },
    ...more,
  });
const answer = (position: number, id: string, more: Partial<TimelineEntry> = {}) =>
  entry(position, {
    event_type: 'tool_result',
    content: 'three pods',
    metadata: { server_name: 'k8s', tool_name: 'pods', tool_call_id: id, status: 'ok' },
    ...more,
  });

/** A row in a word or two. */
function told(row: Row): string {
  switch (row.kind) {
    case 'section':
      return `# ${row.title}`;
    case 'tool':
      return `${row.tool} ${row.look.label} ${row.result ?? row.progress ?? ''}`.trim();
    case 'prose':
    case 'note':
      return `${row.title}: ${row.text}`;
    case 'thought':
    case 'live':
      return `${row.kind}: ${row.text}`;
  }
}

const drawn = (
  of: ReturnType<typeof chronicle>,
  open = new Map<string, string>(),
  texts = emptyStream.texts,
) => rowsOf(of.sections, open, texts).map(told);

describe('the timeline', () => {
  it('puts calls and answers together, where the call was made', () => {
    const entries = [
      call(1, 'a'),
      call(2, 'b'),
      entry(3),
      answer(4, 'b'),
      answer(5, 'a', { created_at_us: at(6) }),
    ];
    const of = chronicle(entries);
    expect(drawn(of)).toEqual([
      '# collect',
      'pods Answered three pods',
      'pods Answered three pods',
      'Response: text 3',
    ]);
    expect(of.sections[0]?.rows[0]).toMatchObject({
      eventIds: ['entry-1', 'entry-5'],
      arguments: '{\n  "n": 1\n}',
      duration: '5.0 s',
    });
  });

  it.each([
    [{ status: 'error' }, 'Failed'],
    [{ status: 'timed_out' }, 'No answer in time'],
    [{ is_error: true }, 'Failed'],
    [{}, 'Answered'],
  ])('tells how a tool with %j did', (metadata, label) => {
    const failed = answer(2, 'a', { metadata: { tool_call_id: 'a', ...metadata } });
    expect(drawn(chronicle([call(1, 'a'), failed]))[1]).toBe(`pods ${label} three pods`);
  });

  it('waits for an answer only while its agent works', () => {
    const ofTwo = { execution_id: 'execution-2' };
    const of = chronicle([call(1, 'a'), call(2, 'b', ofTwo)], parallel);
    expect(drawn(of, new Map([['stage-1', 'execution-1']]))).toEqual(['# collect', 'pods Not answered']);
    expect(drawn(of)).toEqual(['# collect', 'pods Running']);
  });

  it('says what a tool says about how far it is', () => {
    const news = chunk('2 of 10', { execution_id: 'execution-2', part: 'tool_progress', from_start: true });
    const { texts } = withNews(emptyStream, [news]);
    const of = chronicle([call(1, 'a', { execution_id: 'execution-2' })], parallel);
    expect(drawn(of, new Map(), texts)).toEqual(['# collect', 'pods Running 2 of 10']);
  });

  it('shows one of several agents, and what is the stage’s own to all', () => {
    const own = entry(2, { execution_id: null, event_type: 'routing_decision', content: 'taken' });
    const of = chronicle([entry(1), own, entry(3, { execution_id: 'execution-2' })], parallel);
    expect(drawn(of)).toEqual(['# collect', 'Routing: taken', 'Response: text 3']);
    expect(drawn(of, new Map([['stage-1', 'execution-1']]))).toEqual([
      '# collect',
      'Response: text 1',
      'Routing: taken',
    ]);
  });

  it('shows what is being written at the end of its stage', () => {
    const news = chunk('It is', { execution_id: 'execution-2', from_start: true });
    const { texts } = withNews(emptyStream, [news]);
    const of = chronicle([entry(1)], parallel);
    expect(drawn(of, new Map(), texts)).toEqual(['# collect', 'live: It is']);
    expect(drawn(of, new Map([['stage-1', 'execution-1']]), texts)).toEqual([
      '# collect',
      'Response: text 1',
    ]);
  });

  it('leaves questions and what was done for them to the chat', () => {
    const asked = { stage_id: null, execution_id: 'chat-1' };
    const of = chronicle([
      entry(1),
      entry(2, { ...asked, event_type: 'user_question' }),
      entry(3, { ...asked, content: 'answer' }),
    ]);
    expect(drawn(of)).toEqual(['# collect', 'Response: text 1']);
    expect(of.chat.get('chat-1')?.map(told)).toEqual(['Response: answer']);
  });

  it('has what belongs to no stage before, between and after them', () => {
    const own = { stage_id: null, execution_id: null };
    const of = chronicle([
      entry(1, { ...own, event_type: 'warning', content: 'no runbook' }),
      entry(2),
      entry(3, { ...own, event_type: 'alert_update', content: 'resolved' }),
      entry(4, {
        stage_id: null,
        execution_id: 'summary',
        event_type: 'executive_summary',
        content: 'in short',
      }),
    ]);
    expect(drawn(of)).toEqual([
      '# Before the first stage',
      'Warning: no runbook',
      '# collect',
      'Response: text 2',
      'Alert update: resolved',
      '# Executive summary',
      'Executive summary: in short',
    ]);
  });

  it('shows a skipped stage, and none that waits', () => {
    const session = detail({
      stages: [stage({ status: 'skipped' }), stage({ stage_id: 'w', status: 'pending' })],
    });
    expect(drawn(chronicle([], session))).toEqual(['# collect']);
  });

  it('tells what a model had said before it failed', () => {
    const failed = entry(1, {
      event_type: 'error',
      content: 'the stream broke',
      metadata: { source: 'model', partial_text: 'The cause is prob' },
    });
    expect(drawn(chronicle([failed]))[1]).toBe(
      'Model call failed: the stream broke\n\nUntil then it had said:\nThe cause is prob',
    );
  });

  it('keeps five thousand entries quick', () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => entry(index + 1));
    const began = performance.now();
    expect(drawn(chronicle(entries)).length).toBe(5_001);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe('a search', () => {
  const { sections } = chronicle(
    [
      entry(1, { content: 'Out of MEMORY' }),
      call(2, 'a'),
      answer(3, 'a', { content: 'x memory y' }),
      entry(4, { execution_id: 'execution-2', content: 'memory' }),
    ],
    parallel,
  );

  it('finds words in whatever case, in tools and in other tabs', () => {
    expect(matchesIn(sections, ' memory ').map((match) => match.row)).toEqual([
      'entry-1',
      'entry-2',
      'entry-4',
    ]);
    expect(matchesIn(sections, 'k8s.pods').map((match) => match.row)).toEqual(['entry-2']);
    expect(matchesIn(sections, 'm')).toEqual([]);
  });

  it('knows where in a text', () => {
    expect([offsetIn('x memory', 'MEMORY'), offsetIn('x', 'memory'), offsetIn('x', '')]).toEqual([
      2,
      null,
      null,
    ]);
  });

  it('goes around', () => {
    expect([stepped(null, 3, 1), stepped(2, 3, 1), stepped(0, 3, -1), stepped(null, 0, 1)]).toEqual([
      0,
      0,
      2,
      null,
    ]);
  });

  it('says how many', () => {
    expect([
      countText('a', null, 9),
      countText('ab', null, 0),
      countText('ab', null, 9),
      countText('ab', 2, 9),
    ]).toEqual(['', 'Nothing found', '9 found', '3 of 9']);
  });
});

describe('an address in a session', () => {
  const { sections } = chronicle([entry(1), call(2, 'a'), answer(3, 'a')]);

  it.each([
    ['#stage-stage-1', 'section-stage-1'],
    ['event-entry-1', 'entry-1'],
    // The answer stands with its call.
    ['#event-entry-3', 'entry-2'],
    ['#event-unknown', undefined],
    ['#nothing', undefined],
    ['', undefined],
  ])('%j is the line %s', (hash, row) => {
    const anchor = readAnchor(hash);
    expect((anchor && spotOf(anchor, sections))?.row).toBe(row);
  });
});

describe('following', () => {
  const byHand = true;
  it.each([
    ['goes on while the end moves away', true, { before: 100, now: 100, toEnd: 500, byHand }, true],
    ['ends with the smallest move up', true, { before: 100, now: 96, toEnd: 4, byHand }, false],
    [
      'goes on where the page moves by itself',
      true,
      { before: 100, now: 90, toEnd: 400, byHand: false },
      true,
    ],
    ['does not begin in the middle', false, { before: 100, now: 200, toEnd: 900, byHand }, false],
    ['does not begin by itself', false, { before: 100, now: 200, toEnd: 40, byHand: false }, false],
    ['begins near the end', false, { before: 100, now: 200, toEnd: 40, byHand }, true],
    ['begins at the end', false, { before: 100, now: 200, toEnd: 1, byHand: false }, true],
    ['survives a page that became shorter', true, { before: 200, now: 100, toEnd: 0, byHand }, true],
    [
      'stays off while the reader goes up near the end',
      false,
      { before: 200, now: 190, toEnd: 40, byHand },
      false,
    ],
  ])('%s', (_claim, follows, scrolled, expected) => {
    expect(followsAfter(follows, scrolled)).toBe(expected);
  });
});

describe('the first words of a thought', () => {
  it('are all of a short one', () => {
    expect(firstWords('Short.')).toBeNull();
  });

  it('end between words, on one line', () => {
    const words = firstWords('some words\n\n'.repeat(100));
    expect(words).toMatch(/^(some words ?)+(some)?$/);
    expect(words?.length).toBeLessThanOrEqual(280);
  });

  it('end somewhere in a word that does not', () => {
    expect(firstWords('x'.repeat(1_000_000))?.length).toBe(280);
  });
});
