/** An investigation from the alert to the last question, watched in the dashboard while it happens. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { streaming, submitAlert, timelineOf } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { calls, createGate, resultsIn, says, thinks } from '../model.mjs';
import {
  assertNoSidewaysScrolling,
  brightness,
  connectionSays,
  entryTitles,
  finalAnalysis,
  statusSays,
  writing,
} from '../pages.mjs';
import { startSetting } from '../setting.mjs';

const FIRST_HALF = 'The pod shop-checkout ran out of memory, ';
const SECOND_HALF = 'because its limit is **128Mi**.';

/** Looks once, then writes its analysis in two halves, of which the second waits for `gate`. */
const script = (gate) =>
  async function* ({ model, messages }) {
    switch (model) {
      case 'sums-up':
        return yield says('The limit is too low.');
      case 'chats':
        return yield says('Raise it to 256Mi.');
    }
    if (resultsIn({ messages }) === 0) {
      yield thinks('The pods first.');
      return yield calls(['cluster__pods', { namespace: 'shop' }]);
    }
    yield says(FIRST_HALF);
    await gate.opened;
    yield says(SECOND_HALF);
  };

const tools = { pods: () => 'shop-checkout-7d9 0/1 OOMKilled' };
const address = (url, sessionId) => `${url}/sessions/${sessionId}`;

/** What an undisturbed investigation leaves in the timeline. */
const WHOLE_TIMELINE = ['Thought', 'Tool', 'Analysis', 'Executive summary'];

async function assertNothingLostOrDoubled(page, url, sessionId) {
  await statusSays(page, 'Completed');
  await finalAnalysis(page)
    .getByText(FIRST_HALF + SECOND_HALF.replaceAll('**', ''))
    .waitFor();
  await page.getByRole('article', { name: /^Executive summary/ }).waitFor();
  assert.deepEqual(await entryTitles(page), WHOLE_TIMELINE);
  assert.equal(await writing(page).count(), 0);
  const recorded = await timelineOf(url, sessionId);
  await page.getByRole('heading', { name: `Timeline ${recorded.length} entries` }).waitFor();
  const analyses = recorded.filter(({ event_type }) => event_type === 'final_analysis');
  assert.deepEqual(
    analyses.map(({ content }) => content),
    [FIRST_HALF + SECOND_HALF],
  );
}

describe('an investigation', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('is submitted, watched, read, asked about and traced', async (test) => {
    const gate = createGate();
    const { url } = await startSetting(test, { script: script(gate), tools });
    await visit(browser, test, { url: `${url}/submit` }, async (page) => {
      await page.getByRole('combobox', { name: 'Alert type' }).selectOption('PodCrash');
      await page.getByRole('textbox', { name: 'Alert data' }).fill('{"pod": "shop-checkout"}');
      await page.getByRole('button', { name: 'Submit alert' }).click();
      await page.getByRole('status', { name: 'Progress' }).getByText('Running').waitFor();
      await page.getByRole('link', { name: 'Watch the session' }).click();

      await statusSays(page, 'Running');
      await writing(page).getByText(FIRST_HALF).waitFor();
      assert.equal(await finalAnalysis(page).count(), 0);
      gate.open();
      await statusSays(page, 'Completed');
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
      const call = page.getByRole('region', { name: 'The chosen call' });
      await call.getByText('shop-checkout-7d9 0/1 OOMKilled').first().waitFor();
      await call.getByRole('tab', { name: 'Raw request' }).click();
      await call.getByText('"namespace": "shop"').waitFor();
    });
  });

  it('is shown whole after a reload in the middle of a sentence', async (test) => {
    const gate = createGate();
    const { url } = await startSetting(test, { script: script(gate), tools });
    const sessionId = await submitAlert(url);
    await visit(browser, test, { url: address(url, sessionId) }, async (page) => {
      const text = writing(page).getByText(FIRST_HALF.trim(), { exact: true });
      await text.waitFor();
      await page.reload();
      await text.waitFor();
      assert.equal(await writing(page).count(), 1);
      gate.open();
      await assertNothingLostOrDoubled(page, url, sessionId);
      await page.reload();
      await assertNothingLostOrDoubled(page, url, sessionId);
    });
  });

  it('goes on in the same page after the server was killed and started again', async (test) => {
    const gate = createGate();
    const tarsy = await startSetting(test, { script: script(gate), tools });
    const sessionId = await submitAlert(tarsy.url);
    await visit(browser, test, { url: address(tarsy.url, sessionId) }, async (page) => {
      await writing(page).getByText(FIRST_HALF.trim(), { exact: true }).waitFor();
      await tarsy.kill();
      await connectionSays(page, 'Connection lost');
      await tarsy.startAgain();
      await connectionSays(page, 'Connected');
      await streaming(tarsy.url, sessionId);
      await writing(page).getByText(FIRST_HALF.trim(), { exact: true }).waitFor();
      gate.open();
      await assertNothingLostOrDoubled(page, tarsy.url, sessionId);
    });
  });

  it('is cancelled on request, and says so', async (test) => {
    const { url } = await startSetting(test, { script: script(createGate()), tools });
    const sessionId = await submitAlert(url);
    await visit(browser, test, { url: address(url, sessionId) }, async (page) => {
      await writing(page).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click();
      await statusSays(page, 'Cancelled');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0);
      assert.equal(await writing(page).count(), 0);
    });
  });

  it('is dark where the system is, and fits a phone', async (test) => {
    const gate = createGate();
    const { url } = await startSetting(test, { script: script(gate), tools });
    const sessionId = await submitAlert(url);
    const look = { url: address(url, sessionId), viewport: PHONE, colorScheme: 'dark' };
    await visit(browser, test, look, async (page) => {
      await writing(page).waitFor();
      assert.ok((await brightness(page)) < 60, 'dark is not dark');
      await assertNoSidewaysScrolling(page);
      gate.open();
      await finalAnalysis(page).waitFor();
      await statusSays(page, 'Completed');
      await assertNoSidewaysScrolling(page);

      await page.getByRole('link', { name: 'Trace' }).click();
      await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
      await page.getByRole('region', { name: 'The chosen call' }).getByRole('tabpanel').waitFor();
      await assertNoSidewaysScrolling(page);
      for (const [path, whole] of [
        ['/', page.getByRole('table', { name: 'Sessions' }).getByRole('link')],
        ['/submit', page.getByRole('textbox', { name: 'Runbook' })],
        ['/system', page.getByRole('article', { name: 'cluster' })],
      ]) {
        await page.goto(url + path);
        await whole.waitFor();
        await assertNoSidewaysScrolling(page);
      }
    });
  });
});
