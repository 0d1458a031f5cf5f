/**
 * Starts Debian's Chromium without background network access. `TARSY_TEST_CHROMIUM` selects another
 * executable. Every page has its own browser context: no cookies or storage are shared.
 */
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const EXECUTABLE = process.env.TARSY_TEST_CHROMIUM ?? '/usr/bin/chromium';
const SCREENSHOTS = fileURLToPath(new URL('../target/e2e/', import.meta.url));

/** Tests run as root in containers, where the sandbox does not work; they open only our own pages. */
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--no-proxy-server',
];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export async function launchBrowser() {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/**
 * Opens `url`, runs `body(page)`, and asserts that the page threw no error and sent no request to another
 * origin. `prepare(page)` runs before the page is opened. If `body` fails, a screenshot is saved in
 * `target/e2e`.
 */
export async function visit(browser, test, options, body) {
  const { url, viewport = DESKTOP, colorScheme = 'light', prepare = () => {} } = options;
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  const violations = watch(page, new URL(url).origin);
  try {
    await prepare(page);
    await page.goto(url);
    await body(page);
  } catch (error) {
    await page.screenshot({ path: `${SCREENSHOTS}${test.name.replace(/\W+/g, '-')}.png`, fullPage: true });
    throw error;
  } finally {
    await context.close();
  }
  if (violations.length > 0) throw new Error(`unexpected page behavior:\n${violations.join('\n')}`);
}

function watch(page, origin) {
  const violations = [];
  page.on('pageerror', (error) => violations.push(`uncaught error: ${error.stack ?? error}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin)
      violations.push(`request to another origin: ${request.url()}`);
  });
  return violations;
}
