// The page of the controller: the same, with weights.
import assert from 'node:assert/strict';
import { accessible, close, open, row, rows, tile } from './browser.mjs';
import { test, until } from './harness.mjs';
import { World } from './programs.mjs';

async function withController(browser, body, options) {
  const world = await World.begin();
  try {
    await world.homes(3, { tls: true });
    await world.behave('home-0', { poll: { report: 3 } });
    await world.observe(null);
    await world.placed('chat', {
      'worker-a': { endpoint: world.endpoint('home-0'), replicas: 3 },
      'worker-b': { endpoint: world.endpoint('home-1'), replicas: 1 },
    });
    await world.placed('secure', { 'worker-c': { endpoint: world.secured('home-2') } });
    await world.placed('broken', { 'worker-a': { endpoint: world.endpoint('home-0') } }, { 'ome.io/traffic-drain': 'no JSON' });
    await world.controlled();
    const page = await open(browser, world.controllerAddress, options);
    await until('three homes', async () => (await rows(page).count()) === 3, 20);
    await body({ world, page });
    await close(page);
  } finally {
    await world.end();
  }
}

test('TheControllerExplainsWeights', (browser) =>
  withController(browser, async ({ world, page }) => {
    assert.equal(await page.title(), 'ome-trafficmap status');
    await until('the weights', async () => /^3\s+75 %$/.test((await row(page, 'worker-a').locator('.col-weight').innerText()).replace(/\s+/g, ' ')));
    assert.match(await page.locator('.banner', { hasText: 'Needs attention' }).innerText(), /prod\/broken is frozen/);
    assert.match(await page.locator('.tile', { hasText: 'TrafficMaps' }).innerText(), /1 frozen/);
    await world.behave('home-1', { probe: { status: 503 } });
    await until('the gate shows', async () => (await tile(page, 'Gated')) === '1', 15);
    await until('the weight is 0', async () => /^0\b/.test(await row(page, 'worker-b').locator('.col-weight').innerText()), 15);
    await row(page, 'worker-b').click();
    const drawer = page.locator('[role=dialog]');
    await drawer.locator('.steps tr', { hasText: 'Gate' }).waitFor();
    assert.match(await drawer.locator('.steps').innerText(), /Admitted/);
    await drawer.locator('.attempt').first().waitFor();
    await drawer.locator('.line-plan').first().waitFor({ state: 'attached' });
    await accessible(page, 'controller');
  }),
);

test('TellsWhenACertificateEnds', (browser) =>
  withController(browser, async ({ page }) => {
    await until('the certificate is seen', async () => /\d+ (h|d|min)/.test(await row(page, 'worker-c').locator('.col-certificate').innerText()), 15);
    await row(page, 'worker-c').click();
    const drawer = page.locator('[role=dialog]');
    await drawer.locator('.fact', { hasText: 'Certificate' }).getByText('left').waitFor();
    await until('a handshake is among the phases', async () =>
      (await drawer.locator('.phase-track').evaluateAll((all) => all.map((one) => one.ariaLabel).join())).includes('TLS '));
  }),
);

test('AControllerWithoutItsObserverKeepsItsWeights', (browser) =>
  withController(
    browser,
    async ({ world, page }) => {
      await until('the weights', async () => /75 %/.test(await row(page, 'worker-a').locator('.col-weight').innerText()));
      await page.locator('.connection.tone-good').waitFor();  // what it has not listed it does not know
      await world.removeObserver();
      await page.locator('.stale-banner', { hasText: 'No news from the observer' }).waitFor({ timeout: 15_000 });
      assert.match(await row(page, 'worker-a').locator('.col-weight').innerText(), /75 %/);
      await page.locator('.banner', { hasText: 'heard nothing from its observer' }).waitFor({ timeout: 15_000 });
      await world.observe(null);
      await until('it is live again', async () => (await page.locator('.stale-banner').count()) === 0, 20);
    },
    { broken: true },
  ),
);
