import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../api/types';
import { emptyStream, withMessages } from '../../live/sessionStream';
import { at, chunk, detail, entry, execution, stage } from '../../testing/session';
import { stageCards } from '../chain';
import { positionOf, readAnchor } from './anchor';
import { shouldFollow } from './follow';
import type { TimelineRow } from './row';
import { rowsOf } from './rows';
import { countText, matchesIn, nextMatch, offsetIn } from './search';
import { buildTimeline } from './sections';
import { thoughtPreview } from './thoughtPreview';

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

function timeline(entries: TimelineEntry[], session = detail(), stream = emptyStream) {
  return buildTimeline(entries, stageCards(session, stream), session, stream);
}

const call = (position: number, id: string, more: Partial<TimelineEntry> = {}) =>
  entry(position, {
    event_type: 'tool_call',
    metadata: { server_name: 'k8s', tool_name: 'pods', tool_call_id: id, arguments: { n: 1 } },
    ...more,
  });
const result = (position: number, id: string, more: Partial<TimelineEntry> = {}) =>
  entry(position, {
    event_type: 'tool_result',
    content: 'three pods',
    metadata: { server_name: 'k8s', tool_name: 'pods', tool_call_id: id, status: 'ok' },
    ...more,
  });

/** Describes a row in a few words. */
function label(row: TimelineRow): string {
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

const labels = (
  of: ReturnType<typeof timeline>,
  open = new Map<string, string>(),
  texts = emptyStream.texts,
) => rowsOf(of.sections, open, texts).map(label);

describe('timeline', () => {
  it('combines a call and its result at the position of the call', () => {
    const entries = [
      call(1, 'a'),
      call(2, 'b'),
      entry(3),
      result(4, 'b'),
      result(5, 'a', { created_at_us: at(6) }),
    ];
    const of = timeline(entries);
    expect(labels(of)).toEqual([
      '# collect',
      'pods Succeeded three pods',
      'pods Succeeded three pods',
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
    [{ status: 'timed_out' }, 'Timed out'],
    [{ is_error: true }, 'Failed'],
    [{}, 'Succeeded'],
  ])('shows the outcome of a tool with %j', (metadata, label) => {
    const failed = result(2, 'a', { metadata: { tool_call_id: 'a', ...metadata } });
    expect(labels(timeline([call(1, 'a'), failed]))[1]).toBe(`pods ${label} three pods`);
  });

  it('shows a call as running only while its agent is active', () => {
    const ofTwo = { execution_id: 'execution-2' };
    const of = timeline([call(1, 'a'), call(2, 'b', ofTwo)], parallel);
    expect(labels(of, new Map([['stage-1', 'execution-1']]))).toEqual(['# collect', 'pods No result']);
    expect(labels(of)).toEqual(['# collect', 'pods Running']);
  });

  it('shows the progress text of a tool', () => {
    const message = chunk('2 of 10', {
      execution_id: 'execution-2',
      part: 'tool_progress',
      from_start: true,
    });
    const { texts } = withMessages(emptyStream, [message]);
    const of = timeline([call(1, 'a', { execution_id: 'execution-2' })], parallel);
    expect(labels(of, new Map(), texts)).toEqual(['# collect', 'pods Running 2 of 10']);
  });

  it('shows one of several agents, and entries of the stage for all', () => {
    const own = entry(2, { execution_id: null, event_type: 'routing_decision', content: 'taken' });
    const of = timeline([entry(1), own, entry(3, { execution_id: 'execution-2' })], parallel);
    expect(labels(of)).toEqual(['# collect', 'Routing: taken', 'Response: text 3']);
    expect(labels(of, new Map([['stage-1', 'execution-1']]))).toEqual([
      '# collect',
      'Response: text 1',
      'Routing: taken',
    ]);
  });

  it('shows streamed text at the end of its stage', () => {
    const message = chunk('It is', { execution_id: 'execution-2', from_start: true });
    const { texts } = withMessages(emptyStream, [message]);
    const of = timeline([entry(1)], parallel);
    expect(labels(of, new Map(), texts)).toEqual(['# collect', 'live: It is']);
    expect(labels(of, new Map([['stage-1', 'execution-1']]), texts)).toEqual([
      '# collect',
      'Response: text 1',
    ]);
  });

  it('moves questions and their steps to the chat', () => {
    const inChat = { stage_id: null, execution_id: 'chat-1' };
    const of = timeline([
      entry(1),
      entry(2, { ...inChat, event_type: 'user_question' }),
      entry(3, { ...inChat, content: 'answer' }),
    ]);
    expect(labels(of)).toEqual(['# collect', 'Response: text 1']);
    expect(of.chat.get('chat-1')?.map(label)).toEqual(['Response: answer']);
  });

  it('places entries without a stage before, between and after the stages', () => {
    const own = { stage_id: null, execution_id: null };
    const of = timeline([
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
    expect(labels(of)).toEqual([
      '# Before the first stage',
      'Warning: no runbook',
      '# collect',
      'Response: text 2',
      'Alert update: resolved',
      '# Executive summary',
      'Executive summary: in short',
    ]);
  });

  it('shows skipped stages and hides pending ones', () => {
    const session = detail({
      stages: [stage({ status: 'skipped' }), stage({ stage_id: 'w', status: 'pending' })],
    });
    expect(labels(timeline([], session))).toEqual(['# collect']);
  });

  it('shows the partial output of a failed model call', () => {
    const failed = entry(1, {
      event_type: 'error',
      content: 'the stream broke',
      metadata: { source: 'model', partial_text: 'The cause is prob' },
    });
    expect(labels(timeline([failed]))[1]).toBe(
      'Model call failed: the stream broke\n\nPartial output:\nThe cause is prob',
    );
  });

  it.each([
    ['code_execution', 'Code execution', 'prose', 'code'],
    ['google_search_result', 'Web search', 'prose', 'search'],
    ['url_context_result', 'Fetched pages', 'prose', 'link'],
    ['provider_fallback', 'Provider fallback', 'note', 'swap'],
  ] as const)('shows %s as %s', (event_type, title, kind, icon) => {
    const [row] = timeline([entry(1, { event_type, content: 'x' })]).sections[0]?.rows ?? [];
    expect(row).toMatchObject({ kind, title, icon, text: 'x' });
  });

  it('shows the queries of a web search as text and its sources as links', () => {
    // As crates/agent/src/run/vendor_tools.rs records them.
    const metadata = {
      queries: ['disk full', 'df __all__'],
      sources: [
        { uri: 'https://h/a', title: 'Page A' },
        { uri: 'https://h/b', title: '' },
        { uri: '', title: 'C' },
        { uri: '', title: '' },
      ],
      query_count: 2,
      source_count: 4,
    };
    const content = 'Query: disk full\nQuery: df __all__\n- Page A (https://h/a)\n- https://h/b\n- C';
    const found = entry(1, { event_type: 'google_search_result', content, metadata });
    expect(timeline([found]).sections[0]?.rows[0]).toMatchObject({
      isMarkdown: false,
      text: 'Query: disk full\nQuery: df __all__',
      sources: [
        { uri: 'https://h/a', title: 'Page A' },
        { uri: 'https://h/b', title: 'https://h/b' },
        { uri: '', title: 'C' },
      ],
    });
  });

  it('shows the content of a web search whose metadata has no sources', () => {
    const metadata = { queries: ['oom'], sources: 7 };
    const found = entry(1, { event_type: 'google_search_result', content: 'Query: oom', metadata });
    expect(timeline([found]).sections[0]?.rows[0]).toMatchObject({ text: 'Query: oom', sources: [] });
  });

  it('does not read code as Markdown', () => {
    const content = 'Code:\n# count\nprint(__name__)\n\nOutput:\n__main__';
    const metadata = { code_bytes: 24, output_bytes: 8 };
    const ran = entry(1, { event_type: 'code_execution', content, metadata });
    expect(timeline([ran]).sections[0]?.rows[0]).toMatchObject({ isMarkdown: false, text: content });
  });

  it('builds 5,000 entries quickly', () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => entry(index + 1));
    const startedAt = performance.now();
    expect(labels(timeline(entries)).length).toBe(5_001);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('search', () => {
  const { sections } = timeline(
    [
      entry(1, { content: 'Out of MEMORY' }),
      call(2, 'a'),
      result(3, 'a', { content: 'x memory y' }),
      entry(4, { execution_id: 'execution-2', content: 'memory' }),
    ],
    parallel,
  );

  it('ignores case and includes tools and other tabs', () => {
    expect(matchesIn(sections, ' memory ').map((match) => match.row)).toEqual([
      'entry-1',
      'entry-2',
      'entry-4',
    ]);
    expect(matchesIn(sections, 'k8s.pods').map((match) => match.row)).toEqual(['entry-2']);
    expect(matchesIn(sections, 'm')).toEqual([]);
  });

  it('finds the offset of a match', () => {
    expect([offsetIn('x memory', 'MEMORY'), offsetIn('x', 'memory'), offsetIn('x', '')]).toEqual([
      2,
      null,
      null,
    ]);
  });

  it('wraps around', () => {
    expect([nextMatch(null, 3, 1), nextMatch(2, 3, 1), nextMatch(0, 3, -1), nextMatch(null, 0, 1)]).toEqual([
      0,
      0,
      2,
      null,
    ]);
  });

  it('counts matches', () => {
    expect([
      countText('a', null, 9),
      countText('ab', null, 0),
      countText('ab', null, 9),
      countText('ab', 2, 9),
    ]).toEqual(['', 'No matches', '9 matches', '3 of 9']);
  });
});

describe('URL fragment', () => {
  const { sections } = timeline([entry(1), call(2, 'a'), result(3, 'a')]);

  it.each([
    ['#stage-stage-1', 'section-stage-1'],
    ['event-entry-1', 'entry-1'],
    // A result is shown in the row of its call.
    ['#event-entry-3', 'entry-2'],
    ['#event-unknown', undefined],
    ['#nothing', undefined],
    ['', undefined],
  ])('%j is row %s', (hash, row) => {
    const anchor = readAnchor(hash);
    expect((anchor && positionOf(anchor, sections))?.row).toBe(row);
  });
});

describe('following the live end', () => {
  const byUser = true;
  it.each([
    ['continues while the list grows', true, { before: 100, now: 100, toEnd: 500, byUser }, true],
    ['stops at the smallest scroll up', true, { before: 100, now: 96, toEnd: 4, byUser }, false],
    [
      'continues when the page moves without user input',
      true,
      { before: 100, now: 90, toEnd: 400, byUser: false },
      true,
    ],
    ['does not start in the middle', false, { before: 100, now: 200, toEnd: 900, byUser }, false],
    ['does not start without user input', false, { before: 100, now: 200, toEnd: 40, byUser: false }, false],
    ['starts near the end', false, { before: 100, now: 200, toEnd: 40, byUser }, true],
    ['starts at the end', false, { before: 100, now: 200, toEnd: 1, byUser: false }, true],
    ['continues when the page becomes shorter', true, { before: 200, now: 100, toEnd: 0, byUser }, true],
    [
      'does not start while the user scrolls up near the end',
      false,
      { before: 200, now: 190, toEnd: 40, byUser },
      false,
    ],
  ])('%s', (_claim, follows, move, expected) => {
    expect(shouldFollow(follows, move)).toBe(expected);
  });
});

describe('thought preview', () => {
  it('is null for a short thought', () => {
    expect(thoughtPreview('Short.')).toBeNull();
  });

  it('ends between words, on one line', () => {
    const preview = thoughtPreview('some preview\n\n'.repeat(100));
    expect(preview).toMatch(/^(some preview ?)+(some)?$/);
    expect(preview?.length).toBeLessThanOrEqual(280);
  });

  it('truncates a single long word', () => {
    expect(thoughtPreview('x'.repeat(1_000_000))?.length).toBe(280);
  });
});
