/** The dashboard's first frame, from the real program, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { assertNoSidewaysScrolling, brightness, connectionSays } from '../pages.mjs';
import { startTarsy } from '../tarsy.mjs';

const emptyState = (page) => page.getByRole('heading', { name: 'No investigations yet' });

describe('dashboard', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('opens connected, with nothing to show yet', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url }, async (page) => {
      await connectionSays(page, 'Connected');
      await emptyState(page).waitFor();
      assert.equal(await page.title(), 'Sessions · TARSy');
    });
  });

  it('follows the system into light and dark, and the button out of it', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url, colorScheme: 'light' }, async (page) => {
      await emptyState(page).waitFor();
      assert.ok((await brightness(page)) > 200, 'light is not light');
    });
    await visit(browser, test, { url, colorScheme: 'dark' }, async (page) => {
      await emptyState(page).waitFor();
      assert.ok((await brightness(page)) < 60, 'dark is not dark');

      await page.getByRole('button', { name: /^Theme: as the system/ }).click();
      await page.getByRole('button', { name: /^Theme: light/ }).waitFor();
      assert.ok((await brightness(page)) > 200, 'the button changes nothing');

      await page.reload();
      await page.getByRole('button', { name: /^Theme: light/ }).waitFor();
    });
  });

  it('fits a phone without scrolling sideways', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url, viewport: PHONE }, async (page) => {
      await emptyState(page).waitFor();
      await assertNoSidewaysScrolling(page);
    });
  });

  it('says when the server is gone, and recovers when it is back', async (test) => {
    const tarsy = await startTarsy(test);
    await visit(browser, test, { url: tarsy.url }, async (page) => {
      await connectionSays(page, 'Connected');

      await tarsy.stop();
      await connectionSays(page, 'Connection lost');
      await page.getByRole('alert').getByText('The server does not answer.').waitFor();
      assert.ok(await emptyState(page).isVisible(), 'what was shown before is gone');

      await tarsy.startAgain();
      await connectionSays(page, 'Connected');
      await page.getByRole('alert').waitFor({ state: 'hidden' });
    });
  });
});
