// Chromium as the tests use it: every page is watched for errors and for requests to others.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const require = createRequire(`${process.env.OME_MODULES}/`);
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch() {
  return chromium.launch({ executablePath: process.env.OME_CHROMIUM ?? '/usr/bin/chromium', headless: true, args: QUIET });
}

const LOST = /Failed to load resource|net::ERR_/;

/** A page at `address`; `broken`: its server is to go away, which browsers write into the console. */
export async function open(browser, address, { broken = false, hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !(broken && LOST.test(text))) page.problems.push(`console: ${text}`);
  });
  page.on('dialog', (dialog) => {
    page.problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const origin = new URL(address).origin;
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) page.problems.push(`request to ${url}`);
  });
  await page.goto(`${address}/${hash}`);
  return page;
}

/** Closes the page; fails when anything was wrong with it. */
export async function close(page) {
  const { problems } = page;
  await page.context().close();
  assert.deepEqual(problems, []);
}

/** Fails with what axe-core finds, by the rules of WCAG 2.2 AA and its own best practices. */
export async function accessible(page, what) {
  // By the debugger, as the policy of the page is against scripts of others.
  const debuggers = await page.context().newCDPSession(page);
  await debuggers.send('Runtime.evaluate', { expression: AXE });
  await debuggers.detach();
  const violations = await page.evaluate(async () => {
    const found = await window.axe.run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.slice(0, 4).map((node) => `${node.target.join(' ')}: ${node.failureSummary}`),
    }));
  });
  assert.deepEqual(violations, [], `${what}: ${JSON.stringify(violations, null, 1)}`);
}

export const rows = (page) => page.locator('.body [role=row]');
export const row = (page, text) => page.locator('.body [role=row]', { hasText: text });
export const tile = async (page, name) =>
  (await page.locator('.tile', { has: page.locator('.tile-name', { hasText: name }) }).locator('.tile-value').innerText()).trim();
