/** The API documentation page of the real binary. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { startTarsy } from '../tarsy.mjs';

const operation = (page, path) => page.getByRole('heading', { name: path, exact: true });

describe('API documentation page', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('lists every operation and filters them', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url: `${url}/api/docs` }, async (page) => {
      await operation(page, 'get /api/v1/sessions').waitFor();
      const api = await (await page.request.get(`${url}/api/v1/openapi.json`)).json();
      const operations = Object.values(api.paths).flatMap((item) => Object.keys(item));
      assert.equal(await page.locator('article .method').count(), operations.length);

      await page.getByRole('searchbox', { name: 'Search' }).fill('processing-status');
      await operation(page, 'get /api/v1/sessions').waitFor({ state: 'hidden' });
      await operation(page, 'get /processing-status/{alert_id}').waitFor();
    });
  });

  it('links from a response to its schema, also on a phone', async (test) => {
    const { url } = await startTarsy(test);
    await visit(browser, test, { url: `${url}/api/docs`, viewport: PHONE }, async (page) => {
      await page.getByRole('link', { name: 'SessionDetailResponse', exact: true }).first().click();
      await page.locator('#schema-SessionDetailResponse').getByText('final_analysis').waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `it scrolls horizontally by ${overflow} px`);
    });
  });
});
