/** The dashboard of the real binary in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { assertNoHorizontalScroll, brightness, waitForConnection } from '../pages.mjs';
import { startTarsy } from '../tarsy.mjs';

const emptyState = (page) => page.getByRole('heading', { name: 'No sessions yet' });

describe('dashboard', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('opens connected and empty', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url }, async (page) => {
      await waitForConnection(page, 'Connected');
      await emptyState(page).waitFor();
      assert.equal(await page.title(), 'Sessions · TARSy');
    });
  });

  it('follows the system theme until the button overrides it', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url, colorScheme: 'light' }, async (page) => {
      await emptyState(page).waitFor();
      assert.ok((await brightness(page)) > 200, 'the light theme is not light');
    });
    await visit(browser, test, { url, colorScheme: 'dark' }, async (page) => {
      await emptyState(page).waitFor();
      assert.ok((await brightness(page)) < 60, 'the dark theme is not dark');

      await page.getByRole('button', { name: /^Theme: system/ }).click();
      await page.getByRole('button', { name: /^Theme: light/ }).waitFor();
      assert.ok((await brightness(page)) > 200, 'the button does not change the theme');

      await page.reload();
      await page.getByRole('button', { name: /^Theme: light/ }).waitFor();
    });
  });

  it('fits a phone without horizontal scrolling', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url, viewport: PHONE }, async (page) => {
      await emptyState(page).waitFor();
      await assertNoHorizontalScroll(page);
    });
  });

  it('reports a lost connection and recovers', async (test) => {
    const tarsy = await startTarsy(test);
    await visit(browser, test, { url: tarsy.url }, async (page) => {
      await waitForConnection(page, 'Connected');

      await tarsy.stop();
      await waitForConnection(page, 'Connection lost');
      await page.getByRole('alert').getByText('The server does not respond.').waitFor();
      assert.ok(await emptyState(page).isVisible(), 'the previous content disappeared');

      await tarsy.restart();
      await waitForConnection(page, 'Connected');
      await page.getByRole('alert').waitFor({ state: 'hidden' });
    });
  });
});
