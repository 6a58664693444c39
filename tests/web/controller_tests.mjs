// The page of the controller: the same, with weights.
import assert from 'node:assert/strict';
import { accessible, close, open, row, rows, tile } from './browser.mjs';
import { test, until } from './harness.mjs';
import { World } from './programs.mjs';

async function withController(browser, body, { change, ...options } = {}) {
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
    await world.controlled(change);
    const page = await open(browser, world.controllerAddress, options);
    if (!change) await until('three homes', async () => (await rows(page).count()) === 3, 20);
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

const badge = (page, text) => row(page, text).locator('.badge').innerText();

test('AFrozenMapIsShownAsFrozenAndWhy', (browser) =>
  withController(browser, async ({ world, page }) => {
    await world.behave('home-0', { poll: { status: 500 } });
    await until('it falls back', async () => /Falling back/.test(await badge(page, 'worker-a')), 15);
    const homes = { 'worker-a': { endpoint: world.endpoint('home-0') }, 'worker-b': { endpoint: world.endpoint('home-1') } };
    await world.placed('chat', homes, {}, { routing: { probe: { path: '/v1/models', perod: '10s' } } });
    await until('it is frozen', async () => (await badge(page, 'worker-a')) === 'Frozen', 15);
    assert.match(await row(page, 'worker-a').innerText(), /did you mean period\?/);
    assert.equal(await tile(page, 'Falling back'), '0');
    await row(page, 'worker-a').click();
    await page.locator('[role=dialog] .reasons', { hasText: 'did you mean period?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.views button', { hasText: 'Services' }).click();
    assert.match(await row(page, 'prod/chat').innerText(), /Frozen/);
    await accessible(page, 'frozen');
  }),
);

test('ALeaseThatCannotBeReadIsNoStandby', (browser) =>
  withController(browser, async ({ page }) => {
    await page.route('**/v1/status?*', async (route) => {
      const response = await route.fetch();
      const since = '2026-09-28T10:00:00Z';
      const troubles = [{ at: 'lease', since, problem: 'PUT /l: HTTP 401' }];
      await route.fulfill({ response, json: { ...(await response.json()), leading: false, troubles } });
    });
    await page.locator('.banner', { hasText: 'Finding out who leads' }).waitFor({ timeout: 15_000 });
    assert.match(
      await page.locator('.banner', { hasText: 'Needs attention' }).innerText(),
      /The API server, lease, since 2026-09-28T10:00:00Z: PUT \/l: HTTP 401/,
    );
    assert.match(await page.locator('header').innerText(), /finding out who leads/);
    assert.equal(await page.locator('.banner', { hasText: 'Standby' }).count(), 0);
  }),
);

test('GatesThatAreIgnoredSaySo', (browser) =>
  withController(browser, async ({ world, page }) => {
    await world.behave('home-*', { probe: { status: 503 } });
    await until('both say so', async () => (await badge(page, 'worker-a')) === 'Gate ignored' && (await badge(page, 'worker-b')) === 'Gate ignored', 20);
    assert.match(await row(page, 'worker-a').innerText(), /PreserveTraffic keeps their weights/);
    assert.match(await row(page, 'worker-a').locator('.col-weight').innerText(), /^3\b/);
    assert.match(await page.locator('.tile', { hasText: 'Gated' }).innerText(), /gates? ignored/);
    await row(page, 'worker-a').click();
    await page.locator('[role=dialog] .reasons', { hasText: 'It is ignored: all homes are gated' }).waitFor();
    await world.behave('home-1', { probe: {} });
    await until('one is open', async () => (await badge(page, 'worker-a')) === 'Gated', 20);
    assert.match(await row(page, 'worker-a').locator('.col-weight').innerText(), /^0\b/);
  }),
);

test('OpenedWhileTheObserverIsAwayItInventsNoStates', (browser) =>
  withController(
    browser,
    async ({ world, page }) => {
      await until('the weights', async () => /75 %/.test(await row(page, 'worker-a').locator('.col-weight').innerText()));
      await world.removeObserver();
      const late = await open(browser, world.controllerAddress, { broken: true });
      const banner = late.locator('.stale-banner', { hasText: 'The observer does not answer: the controller has heard nothing of it since' });
      await banner.waitFor({ timeout: 15_000 });
      assert.match(await banner.innerText(), /since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\./);
      await until('its homes', async () => (await badge(late, 'worker-a')) === 'Not known', 15);
      const text = await late.locator('main').innerText();
      assert.doesNotMatch(text, /Not observed|never|last known/);
      assert.match(text, /The observer does not answer/);
      assert.equal(await tile(late, 'Falling back'), '–');
      assert.equal(await tile(late, 'Late'), '–');
      assert.match(await row(late, 'worker-a').locator('.col-weight').innerText(), /75 %/);
      await accessible(late, 'observer away');
      await row(late, 'worker-a').click();
      await late.locator('[role=dialog] .fact', { hasText: 'Ceiling' }).getByText('not known').waitFor();
      await world.observe(null);
      await until('it is there', async () => (await late.locator('.badge', { hasText: 'Not known' }).count()) === 0, 20);
      await close(late);
    },
    { broken: true },
  ),
);

test('RoutingThatIsOffByASlipIsSaid', (browser) =>
  withController(
    browser,
    async ({ page }) => {
      const banner = page.locator('.banner', { hasText: 'Routing is OFF' });
      await banner.waitFor();
      assert.match(await banner.innerText(), /routing\.enabled is not set; routing\.enabeld is not known and is ignored; did you mean enabled\?/);
      await page.locator('h2', { hasText: 'routing is off' }).waitFor();
      await accessible(page, 'routing off');
    },
    {
      change: (routing) => {
        delete routing.enabled;
        routing.enabeld = true;
      },
    },
  ),
);

test('ADrawerThatIsLoadingSaysSo', (browser) =>
  withController(browser, async ({ page }) => {
    let release = () => {};
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route('**/history*', async (route) => {
      await held;
      await route.continue();
    });
    await row(page, 'worker-a').click();
    const drawer = page.locator('[role=dialog]');
    await drawer.getByText('Reading the history').first().waitFor();
    assert.doesNotMatch(await drawer.innerText(), /has ended yet/);
    release();
    await drawer.locator('.attempt').first().waitFor();
  }),
);
