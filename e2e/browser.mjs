/**
 * Debian's Chromium, without a network of its own. `TARSY_TEST_CHROMIUM` chooses another one.
 * Every page is a stranger: nothing is remembered from one to the next.
 */
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const EXECUTABLE = process.env.TARSY_TEST_CHROMIUM ?? '/usr/bin/chromium';
const PICTURES = fileURLToPath(new URL('../target/e2e/', import.meta.url));

/** Tests run as root in containers, where the sandbox cannot; they open only pages of our own. */
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
 * Opens `url`, runs `body(page)`, and then asserts that the page neither threw nor asked anybody but its server.
 * `prepare(page)` comes before the page is opened. When `body` fails, what the page looked like is kept in `target/e2e`.
 */
export async function visit(browser, test, look, body) {
  const { url, viewport = DESKTOP, colorScheme = 'light', prepare = () => {} } = look;
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  const faults = watch(page, new URL(url).origin);
  try {
    await prepare(page);
    await page.goto(url);
    await body(page);
  } catch (error) {
    await page.screenshot({ path: `${PICTURES}${test.name.replace(/\W+/g, '-')}.png`, fullPage: true });
    throw error;
  } finally {
    await context.close();
  }
  if (faults.length > 0) throw new Error(`the page did what it must not:\n${faults.join('\n')}`);
}

function watch(page, origin) {
  const faults = [];
  page.on('pageerror', (error) => faults.push(`threw: ${error.stack ?? error}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`asked a stranger: ${request.url()}`);
  });
  return faults;
}
