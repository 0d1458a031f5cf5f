/** Links of the Go version of TARSy, and the runbooks that the form suggests. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertAccessible, assertContrast } from '../accessibility.mjs';
import { getJson, submitAlert, timelineOf, waitForEnd } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { textDelta } from '../model.mjs';
import { assertNoHorizontalScroll, entries } from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

async function* script() {
  yield textDelta('The disk is full.');
}

/** Creates a folder with runbooks, deleted after the test. */
async function runbookFolder(test) {
  const folder = await mkdtemp(join(tmpdir(), 'tarsy-runbooks-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'nodes'));
  await writeFile(join(folder, 'nodes/disk.md'), '# Disk is full\n\nDelete old images.');
  await writeFile(join(folder, 'pods.md'), '# Pods restart\n');
  return folder;
}

const suggestion = (page, name) => page.getByRole('listbox').getByRole('option', { name });
const current = (page) => page.locator('[aria-current="true"]');

describe('links of the Go version of TARSy', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('lead to the form, to a stage and to an entry', async (test) => {
    const { url } = await startTestServer(test, { script });
    const sessionId = await submitAlert(url, 'The disk is full.');
    await waitForEnd(url, sessionId);
    const { stages } = await getJson(url, `/api/v1/sessions/${sessionId}`);
    const analysis = (await timelineOf(url, sessionId)).find(
      ({ event_type }) => event_type === 'final_analysis',
    );
    const session = `${url}/sessions/${sessionId}`;

    await visit(browser, test, { url: `${url}/submit-alert` }, async (page) => {
      await page.getByRole('heading', { name: 'Submit an alert' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/submit');
    });
    const entry = `${session}?stage=${stages[0].stage_id}&event=${analysis.timeline_event_id}`;
    await visit(browser, test, { url: entry }, async (page) => {
      await current(page).getByText('The disk is full.').waitFor();
      // Going on by a link of this page works too.
      await entries(page).first().getByRole('link').first().click();
      await page.waitForURL(/#event-/);
    });
    await visit(browser, test, { url: `${session}?stage=${stages[0].stage_id}` }, (page) =>
      current(page).getByRole('heading', { name: '1. look' }).waitFor(),
    );
    const gone = { url: `${session}?event=gone`, viewport: PHONE, colorScheme: 'dark' };
    await visit(browser, test, gone, async (page) => {
      await page.getByText('The linked entry is not in this timeline.').waitFor();
      await assertNoHorizontalScroll(page);
      await assertContrast(page, 'the note about a missing entry');
    });
  });

  it('the form suggests the configured runbooks', async (test) => {
    const folder = await runbookFolder(test);
    const system = `{ runbooks: { repo_url: "${folder}" } }`;
    const { url } = await startTestServer(test, { script, system });
    for (const look of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: PHONE }]) {
      await visit(browser, test, { url: `${url}/submit`, ...look }, async (page) => {
        const runbook = page.getByRole('textbox', { name: 'Runbook' });
        await runbook.pressSequentially('d');
        await suggestion(page, 'Pods restart').waitFor();
        await assertAccessible(page, 'the suggested runbooks');
        await assertNoHorizontalScroll(page);
        await page.keyboard.type('isk');
        await suggestion(page, 'Pods restart').waitFor({ state: 'detached' });
        await suggestion(page, 'Disk is full').waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        assert.equal(await runbook.inputValue(), 'runbook:nodes/disk.md');
      });
    }
    await visit(browser, test, { url: `${url}/submit` }, async (page) => {
      await page.getByRole('textbox', { name: 'Alert data' }).fill('The disk is full.');
      const runbook = page.getByRole('textbox', { name: 'Runbook' });
      await runbook.pressSequentially('disk');
      await suggestion(page, 'Disk is full').click();
      await page.getByRole('button', { name: 'Submit alert' }).click();
      await page.getByRole('link', { name: 'Open session' }).click();
      await page.getByText('runbook:nodes/disk.md').waitFor();
    });
  });
});
