/**
 * Long lists, long texts and long streams. Measured times are printed; the limits are generous, so that only
 * a list that renders everything or a page that keeps everything exceeds them, even on a busy machine.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { submitAlert, waitForEnd } from '../api.mjs';
import { launchBrowser, visit } from '../browser.mjs';
import { copySessions, extendTimeline } from '../database.mjs';
import { lighthouseScores } from '../lighthouse.mjs';
import { countBytes, framesWhileScrolling, memoryOf } from '../measure.mjs';
import { createGate, resultsIn, textDelta, thinkingDelta, toolCallDelta } from '../model.mjs';
import { finalAnalysis, streamedText, waitForConnection, waitForStatus } from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

/** A page that renders everything takes seconds; a virtual list takes 20 to 100 ms on two busy cores. */
const SMOOTH_MS = 250;
const MAX_ELEMENTS = 3_000;

const LOG_LINES = 30_000;
const THOUGHT = 'The pods of the shop restart. Their events may say why, and their logs what they did. ';
const tools = {
  pods: () => 'shop-checkout-7d9 0/1 OOMKilled',
  log: () => Array.from({ length: LOG_LINES }, (_, line) => logLine(line)).join('\n'),
};
const logLine = (line) =>
  `${String(line).padStart(6, '0')} checkout ${(line * 2654435761).toString(36)} took its time over the order, and then did it`;

/** Thinks, calls `tool`, then concludes. */
const callsTool = (tool) =>
  async function* ({ model, messages }) {
    if (model !== 'investigation') return yield textDelta('The limit is too low.');
    if (resultsIn({ messages }) > 0) return yield textDelta('It ran out of memory.');
    yield thinkingDelta(THOUGHT.repeat(6));
    yield textDelta(`${THOUGHT}\n\n- one\n- **two**\n`);
    yield toolCallDelta([`cluster__${tool}`, { namespace: 'shop' }]);
  };

/** Starts a server with one completed session whose database was modified by `change`. */
async function startWithData(test, change) {
  const tarsy = await startTestServer(test, { script: callsTool('pods'), tools });
  const sessionId = await submitAlert(tarsy.url);
  await waitForEnd(tarsy.url, sessionId);
  await tarsy.stop();
  await change(tarsy.database);
  await tarsy.restart();
  return { url: tarsy.url, sessionId };
}

function assertSmooth(test, name, frames) {
  const { p50, p95, longest } = frames;
  test.diagnostic(`${name}: ${frames.frames} frames, p50 ${p50} ms, p95 ${p95} ms, longest ${longest} ms`);
  assert.ok(p95 < SMOOTH_MS, `${name} does not scroll smoothly: ${p95} ms`);
}

async function assertFewElements(test, name, page) {
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  test.diagnostic(`${name}: ${elements} elements`);
  assert.ok(elements < MAX_ELEMENTS, `${name} has ${elements} elements`);
}

describe('performance', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('loads less than 400 kB before it shows the sessions', async (test) => {
    const { url } = await startTestServer(test, { script: callsTool('pods') });
    let loaded;
    const prepare = async (page) => {
      loaded = await countBytes(page);
    };
    await visit(browser, test, { url, prepare }, async (page) => {
      await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
      await waitForConnection(page, 'Connected');
      const files = loaded();
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      test.diagnostic(`first load: ${(bytes / 1000).toFixed(1)} kB in ${files.length} responses`);
      assert.ok(bytes < 400_000, JSON.stringify(files, null, 1));
      const plain = files.filter(({ path, encoding }) => /\.(js|css)$/.test(path) && !encoding);
      assert.deepEqual(
        plain.filter(({ bytes }) => bytes > 2_000),
        [],
        'not compressed',
      );
    });
  });

  it('scores 95 in Lighthouse and scrolls smoothly with 10,000 sessions', async (test) => {
    const { url } = await startWithData(test, (database) => copySessions(database, 9_999));
    await visit(browser, test, { url }, async (page) => {
      await page.getByRole('table', { name: 'Sessions' }).getByRole('link').nth(10).waitFor();
      await page.mouse.move(600, 500);
      assertSmooth(test, '10,000 sessions', await framesWhileScrolling(page, { turns: 100, distance: 600 }));
      await assertFewElements(test, '10,000 sessions', page);
    });
    const best = await bestScores(test, url);
    assert.ok(isGood(best), JSON.stringify(best, null, 1));
  });

  it('scrolls smoothly through 5,000 timeline entries', async (test) => {
    const { url, sessionId } = await startWithData(test, (database) => extendTimeline(database, 5_000));
    await visit(browser, test, { url: `${url}/sessions/${sessionId}` }, async (page) => {
      await page.getByRole('heading', { name: 'Timeline 5,000 entries' }).waitFor();
      await page.mouse.move(600, 500);
      assertSmooth(test, '5,000 entries', await framesWhileScrolling(page, { turns: 100, distance: 1_000 }));
      await assertFewElements(test, '5,000 entries', page);
    });
  });

  it('scrolls smoothly through a 2 MB result', async (test) => {
    const { url } = await startTestServer(test, { script: callsTool('log'), tools });
    const sessionId = await submitAlert(url);
    await waitForEnd(url, sessionId);
    assert.ok(tools.log().length > 2_000_000);
    await visit(browser, test, { url: `${url}/sessions/${sessionId}` }, async (page) => {
      await page.getByRole('button', { name: /^cluster\.log/ }).click();
      await page.getByRole('link', { name: 'Show this call in the trace' }).click();
      await page
        .getByRole('button', { name: /^Show more \(2\.\d MB/ })
        .first()
        .click();
      const text = page.getByRole('group', { name: 'Full text' }).first();
      await text.hover();
      assertSmooth(test, '2 MB', await framesWhileScrolling(page, { turns: 100, distance: 1_000 }));
      await assertFewElements(test, '2 MB', page);
      await text.press('End');
      await text.getByText(logLine(LOG_LINES - 1)).waitFor();
    });
  });

  it('keeps memory bounded while 100,000 chunks arrive', async (test) => {
    const [gate, measured] = [createGate(), createGate()];
    const { url } = await startTestServer(test, {
      script: streamsManyChunks(gate, measured),
      tools: { pods: () => 'All pods are ready.' },
    });
    const sessionId = await submitAlert(url);
    await visit(browser, test, { url: `${url}/sessions/${sessionId}` }, async (page) => {
      await streamedText(page).getByText('It starts.').waitFor();
      const before = await memoryOf(page);
      gate.open();
      await streamedText(page).getByText('It ends.').waitFor({ timeout: 90_000 });
      const after = await memoryOf(page);
      const growth = after.heapMb - before.heapMb;
      test.diagnostic(
        `100,000 chunks, 2 MB: heap ${before.heapMb.toFixed(1)} MB, then ${after.heapMb.toFixed(1)} MB; ${after.elements} elements`,
      );
      assert.ok(growth < 8, `the heap grew by ${growth} MB`);
      assert.ok(after.elements < before.elements + 100, `${after.elements} elements`);
      measured.open();
      await waitForStatus(page, 'Completed');
      await finalAnalysis(page).waitFor();
      await assertFewElements(test, 'the result of 100,000 chunks', page);
    });
  });
});

/** Streams 100,000 chunks without a pause. */
const streamsManyChunks = (gate, measured) =>
  async function* ({ model, messages }) {
    if (model !== 'investigation') return yield textDelta('It was a long text.');
    if (resultsIn({ messages }) === 0) return yield toolCallDelta(['cluster__pods', {}]);
    yield textDelta('It starts.\n');
    await gate.opened;
    for (let chunk = 0; chunk < 100_000; chunk += 1)
      yield textDelta(chunk % 10 ? `and ${chunk} and then ` : '\n');
    yield textDelta('It ends.');
    await measured.opened;
  };

/** A busy machine lowers the scores, so the best of five runs counts. */
async function bestScores(test, url) {
  let best = { performance: 0, accessibility: 0, failedAudits: [] };
  for (let run = 1; run <= 5 && !isGood(best); run += 1) {
    const scores = await lighthouseScores(url);
    test.diagnostic(`Lighthouse: performance ${scores.performance}, accessibility ${scores.accessibility}`);
    if (scores.performance + scores.accessibility > best.performance + best.accessibility) best = scores;
  }
  return best;
}

const isGood = ({ performance, accessibility }) => performance >= 95 && accessibility >= 95;
