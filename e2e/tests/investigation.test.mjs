/** An investigation in the dashboard, from the alert to the chat. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { submitAlert, timelineOf, waitForChunk } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { createGate, resultsIn, textDelta, thinkingDelta, toolCallDelta } from '../model.mjs';
import {
  assertNoHorizontalScroll,
  brightness,
  entryTitles,
  finalAnalysis,
  streamedText,
  waitForConnection,
  waitForStatus,
} from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

const FIRST_HALF = 'The pod shop-checkout ran out of memory, ';
const SECOND_HALF = 'because its limit is **128Mi**.';

/** Calls a tool, then writes its analysis in two halves; the second waits for `gate`. */
const script = (gate) =>
  async function* ({ model, messages }) {
    switch (model) {
      case 'summary':
        return yield textDelta('The limit is too low.');
      case 'chat':
        return yield textDelta('Raise it to 256Mi.');
    }
    if (resultsIn({ messages }) === 0) {
      yield thinkingDelta('The pods first.');
      return yield toolCallDelta(['cluster__pods', { namespace: 'shop' }]);
    }
    yield textDelta(FIRST_HALF);
    await gate.opened;
    yield textDelta(SECOND_HALF);
  };

const tools = { pods: () => 'shop-checkout-7d9 0/1 OOMKilled' };
const address = (url, sessionId) => `${url}/sessions/${sessionId}`;

/** The timeline of an uninterrupted investigation. */
const FULL_TIMELINE = ['Thought', 'Tool', 'Analysis', 'Executive summary'];

async function assertNothingLostOrDuplicated(page, url, sessionId) {
  await waitForStatus(page, 'Completed');
  await finalAnalysis(page)
    .getByText(FIRST_HALF + SECOND_HALF.replaceAll('**', ''))
    .waitFor();
  await page.getByRole('article', { name: /^Executive summary/ }).waitFor();
  assert.deepEqual(await entryTitles(page), FULL_TIMELINE);
  assert.equal(await streamedText(page).count(), 0);
  const recorded = await timelineOf(url, sessionId);
  await page.getByRole('heading', { name: `Timeline ${recorded.length} entries` }).waitFor();
  const analyses = recorded.filter(({ event_type }) => event_type === 'final_analysis');
  assert.deepEqual(
    analyses.map(({ content }) => content),
    [FIRST_HALF + SECOND_HALF],
  );
}

describe('investigation', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('can be submitted, watched, questioned and traced', async (test) => {
    const gate = createGate();
    const { url } = await startTestServer(test, { script: script(gate), tools });
    await visit(browser, test, { url: `${url}/submit` }, async (page) => {
      await page.getByRole('combobox', { name: 'Alert type' }).selectOption('PodCrash');
      await page.getByRole('textbox', { name: 'Alert data' }).fill('{"pod": "shop-checkout"}');
      await page.getByRole('button', { name: 'Submit alert' }).click();
      await page.getByRole('status', { name: 'Progress' }).getByText('Running', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Watch session' }).click();

      await waitForStatus(page, 'Running');
      await streamedText(page).getByText(FIRST_HALF).waitFor();
      assert.equal(await finalAnalysis(page).count(), 0);
      gate.open();
      await waitForStatus(page, 'Completed');
      await finalAnalysis(page).getByText('The pod shop-checkout ran out of memory').waitFor();
      await page.getByRole('region', { name: 'Executive summary' }).getByText('too low').waitFor();

      await page.getByRole('textbox', { name: 'Ask about this investigation' }).fill('What now?');
      await page.keyboard.press('Enter');
      const chat = page.getByRole('log', { name: 'Chat' });
      await chat.getByText('What now?').waitFor();
      await chat.getByText('Raise it to 256Mi.').waitFor();

      await page.getByRole('link', { name: 'Trace' }).click();
      const waterfall = page.getByRole('region', { name: 'Calls' });
      await waterfall.getByText('cluster.pods').click();
      const call = page.getByRole('region', { name: 'Selected call' });
      await call.getByText('shop-checkout-7d9 0/1 OOMKilled').first().waitFor();
      await call.getByRole('tab', { name: 'Raw request' }).click();
      await call.getByText('"namespace": "shop"').waitFor();
    });
  });

  it('is complete after a reload in the middle of a streamed text', async (test) => {
    const gate = createGate();
    const { url } = await startTestServer(test, { script: script(gate), tools });
    const sessionId = await submitAlert(url);
    await visit(browser, test, { url: address(url, sessionId) }, async (page) => {
      const text = streamedText(page).getByText(FIRST_HALF.trim(), { exact: true });
      await text.waitFor();
      await page.reload();
      await text.waitFor();
      assert.equal(await streamedText(page).count(), 1);
      gate.open();
      await assertNothingLostOrDuplicated(page, url, sessionId);
      await page.reload();
      await assertNothingLostOrDuplicated(page, url, sessionId);
    });
  });

  it('continues in the same page after the server is killed and restarted', async (test) => {
    const gate = createGate();
    const tarsy = await startTestServer(test, { script: script(gate), tools });
    const sessionId = await submitAlert(tarsy.url);
    await visit(browser, test, { url: address(tarsy.url, sessionId) }, async (page) => {
      await streamedText(page).getByText(FIRST_HALF.trim(), { exact: true }).waitFor();
      await tarsy.kill();
      await waitForConnection(page, 'Connection lost');
      await tarsy.restart();
      await waitForConnection(page, 'Connected');
      await waitForChunk(tarsy.url, sessionId);
      await streamedText(page).getByText(FIRST_HALF.trim(), { exact: true }).waitFor();
      gate.open();
      await assertNothingLostOrDuplicated(page, tarsy.url, sessionId);
    });
  });

  it('can be cancelled', async (test) => {
    const { url } = await startTestServer(test, { script: script(createGate()), tools });
    const sessionId = await submitAlert(url);
    await visit(browser, test, { url: address(url, sessionId) }, async (page) => {
      await streamedText(page).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel session' }).click();
      await waitForStatus(page, 'Cancelled');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0);
      assert.equal(await streamedText(page).count(), 0);
    });
  });

  it('follows the dark theme and fits a phone', async (test) => {
    const gate = createGate();
    const { url } = await startTestServer(test, { script: script(gate), tools });
    const sessionId = await submitAlert(url);
    const options = { url: address(url, sessionId), viewport: PHONE, colorScheme: 'dark' };
    await visit(browser, test, options, async (page) => {
      await streamedText(page).waitFor();
      assert.ok((await brightness(page)) < 60, 'the dark theme is not dark');
      await assertNoHorizontalScroll(page);
      gate.open();
      await finalAnalysis(page).waitFor();
      await waitForStatus(page, 'Completed');
      await assertNoHorizontalScroll(page);

      await page.getByRole('link', { name: 'Trace' }).click();
      await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
      await page.getByRole('region', { name: 'Selected call' }).getByRole('tabpanel').waitFor();
      await assertNoHorizontalScroll(page);
      for (const [path, content] of [
        ['/', page.getByRole('table', { name: 'Sessions' }).getByRole('link')],
        ['/submit', page.getByRole('textbox', { name: 'Runbook' })],
        ['/system', page.getByRole('article', { name: 'cluster' })],
      ]) {
        await page.goto(url + path);
        await content.waitFor();
        await assertNoHorizontalScroll(page);
      }
    });
  });
});
