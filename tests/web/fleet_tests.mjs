// What is shown of a fleet, and how one finds one's way in it.
import assert from 'node:assert/strict';
import { homeRecord, judge } from '../../web/src/model.js';
import { readQuery, writeQuery } from '../../web/src/query.js';
import { accessible, close, open, row, rows, tile } from './browser.mjs';
import { test, until } from './harness.mjs';
import { World } from './programs.mjs';

/** A world with two services of three homes, and a page that shows it. */
async function withFleet(browser, body, options) {
  const world = await World.begin();
  try {
    await world.homes(6);
    await world.observe([
      world.service('chat', { 'worker-a': world.endpoint('home-0'), 'worker-b': world.endpoint('home-1'), 'worker-c': world.endpoint('home-2') }),
      world.service('embed', { 'worker-a': world.endpoint('home-3'), 'worker-b': world.endpoint('home-4'), 'worker-d': world.endpoint('home-5') }),
    ]);
    const page = await open(browser, world.address, options);
    await rows(page).first().waitFor();
    await body({ world, page });
    await close(page);
  } finally {
    await world.end();
  }
}

const stateOf = (page, text) => row(page, text).locator('.badge').innerText();
const search = (page) => page.locator('.search input');

test('FirstPaint', (browser) =>
  withFleet(browser, async ({ page }) => {
    assert.equal(await page.title(), 'ome-observer status');
    assert.equal(await tile(page, 'Homes'), '6');
    assert.equal(await rows(page).count(), 6);
    await page.locator('.connection', { hasText: 'Live' }).waitFor();
    const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
    assert.ok(painted < 5000, `first paint after ${painted} ms`);
    await until('all homes are well', async () => (await page.locator('.badge', { hasText: 'OK' }).count()) === 6);
    assert.match(await tile(page, 'Request budget'), /^\d+ of \d+ in use$/);
  }),
);

test('ShowsAGateThatClosesAndOneThatIsLifted', (browser) =>
  withFleet(browser, async ({ world, page }) => {
    await until('all homes are well', async () => (await page.locator('.badge', { hasText: 'OK' }).count()) === 6);
    await world.behave('home-1', { probe: { status: 503 } });
    await until('the gate shows', async () => (await tile(page, 'Gated')) === '1', 15);
    const first = rows(page).first();
    assert.match(await first.innerText(), /Gated/, 'the worst stands first');
    assert.match(await first.innerText(), /HTTP 503/);
    await world.behave('home-1', { probe: {} });
    await until('the gate is lifted', async () => (await tile(page, 'Gated')) === '0', 15);
  }),
);

test('FiltersByWordsAndStatesAndKeepsThatInTheUrl', (browser) =>
  withFleet(browser, async ({ world, page }) => {
    await world.behave('home-4', { poll: { status: 500 }, probe: { status: 503 } });
    await until('the gate shows', async () => (await tile(page, 'Gated')) === '1', 15);
    await search(page).fill('embed WORKER');
    await until('three rows', async () => (await rows(page).count()) === 3);
    assert.match(await page.locator('.count').innerText(), /^3 of 6 homes/);
    await page.locator('.chip', { hasText: 'Gated' }).click();
    await until('one row', async () => (await rows(page).count()) === 1);
    const { hash } = new URL(page.url());
    assert.match(hash, /q=embed%20WORKER/);
    assert.match(hash, /state=gated/);
    await page.reload();
    await until('one row again', async () => (await rows(page).count()) === 1);
    assert.equal(await search(page).inputValue(), 'embed WORKER');
    await search(page).fill('nothing of the kind');
    await page.locator('h2', { hasText: 'No home fits' }).waitFor();
    await page.locator('button', { hasText: 'Show all homes' }).last().click();
    await until('all rows', async () => (await rows(page).count()) === 6);
    assert.equal(new URL(page.url()).hash, '');
  }),
);

test('SortsAndKeepsTheOrderInTheUrl', (browser) =>
  withFleet(browser, async ({ page }) => {
    const clusters = () => page.evaluate(() =>
      [...document.querySelectorAll('.body [role=row]')]
        .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
        .map((one) => one.querySelector('.col-home .strong').textContent + ' ' + one.querySelector('.col-service').textContent));
    const head = page.locator('[role=columnheader]', { hasText: 'Home' });
    await head.locator('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    const upward = await clusters();
    assert.deepEqual(upward, [...upward].sort());
    await head.locator('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    assert.equal((await clusters())[0], 'worker-d prod/embed');
    assert.match(page.url(), /sort=-home/);
    await page.reload();
    await rows(page).first().waitFor();
    assert.equal((await clusters())[0], 'worker-d prod/embed');
  }),
);

test('ServicesAreRowsToo', (browser) =>
  withFleet(browser, async ({ page }) => {
    await page.locator('.views button', { hasText: 'Services' }).click();
    await until('two rows', async () => (await rows(page).count()) === 2);
    assert.match(page.url(), /view=services/);
    await accessible(page, 'services');
    await row(page, 'prod/embed').click();
    await until('its homes', async () => (await rows(page).count()) === 3);
    assert.match(page.url(), /service=prod\/embed/);
    await page.locator('.service-chip').click();
    await until('all homes', async () => (await rows(page).count()) === 6);
  }),
);

test('ADrawerTellsAllOfAHome', (browser) =>
  withFleet(browser, async ({ world, page }) => {
    await world.behave('home-5', { poll: { report: 3 } });
    await until('two polls', async () => /^\d+$/.test(await row(page, 'worker-d').locator('.col-ceiling').innerText()));
    await row(page, 'worker-d').click();
    const drawer = page.locator('[role=dialog]');
    await drawer.locator('h2', { hasText: 'worker-d' }).waitFor();
    assert.match(page.url(), /home=prod\/embed\/worker-d/);
    await drawer.locator('.attempt').first().waitFor();
    await drawer.locator('.chart circle').first().waitFor();
    const text = await drawer.innerText();
    for (const words of ['Ceiling', 'Probe', 'Certificate', 'Clock skew', 'decides no weight', 'Passing', 'Accepted']) {
      assert.ok(text.includes(words), `the drawer does not say ${words}`);
    }
    assert.match(await drawer.locator('.chart > svg').getAttribute('aria-label'), /\d+ polls?, reports between/);
    assert.match(await drawer.locator('.phase-track').first().getAttribute('aria-label'), /Connect .* ms, Wait/);
    await page.reload();
    await drawer.locator('h2', { hasText: 'worker-d' }).waitFor();
    await page.keyboard.press('Escape');
    await until('it is closed', async () => (await drawer.count()) === 0);
    assert.doesNotMatch(page.url(), /home=/);
  }),
);

test('TheKeyboardReachesEverything', (browser) =>
  withFleet(browser, async ({ page }) => {
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
    for (let step = 0; step < 30 && !/Show details/.test(await focused()); step += 1) await page.keyboard.press('Tab');
    const first = await focused();
    assert.match(first, /Show details$/, 'a row is in the tab order');
    await page.keyboard.press('ArrowDown');
    await until('the next row', async () => /Show details/.test(await focused()) && (await focused()) !== first);
    // Again while rows still move, as the first readings come in: the focus goes with its row.
    await until('the last row', async () => {
      await page.keyboard.press('End');
      await page.waitForTimeout(200);
      return (await page.evaluate(() => document.activeElement.dataset.index)) === '5';
    });
    const last = await focused();
    await page.keyboard.press('Enter');
    await page.locator('[role=dialog]').waitFor();
    await until('the drawer has the focus', () => page.evaluate(() => document.activeElement.id === 'drawer-title'));
    await page.keyboard.press('Escape');
    await until('the row has it again', async () => (await focused()) === last);
    await page.keyboard.press('Enter');
    await page.locator('[role=dialog]').waitFor();
    await page.goBack();
    await until('the button of the browser closes it, too', async () => (await page.locator('[role=dialog]').count()) === 0);
  }),
);

for (const colorScheme of ['light', 'dark']) {
  test(`IsAccessibleWhenItIs${colorScheme === 'light' ? 'Light' : 'Dark'}`, (browser) =>
    withFleet(
      browser,
      async ({ world, page }) => {
        await world.behave('home-1', { probe: { status: 503 } });
        await world.behave('home-3', { poll: { status: 500 } });
        await world.behave('home-2', { poll: { skew: '1h' } });
        await until('every kind of trouble shows', async () =>
          (await tile(page, 'Gated')) === '1' && Number(await tile(page, 'Falling back')) >= 1, 20);
        await accessible(page, `fleet, ${colorScheme}`);
        await row(page, 'Gated').click();
        await page.locator('.attempt').first().waitFor();
        await accessible(page, `drawer, ${colorScheme}`);
      },
      { colorScheme },
    ),
  );
}

test('IsReadableAt360Pixels', (browser) =>
  withFleet(
    browser,
    async ({ page }) => {
      const fits = (what) => page.evaluate(() => document.scrollingElement.scrollWidth).then((width) => assert.ok(width <= 360, `${what}: ${width} px`));
      await until('all homes are well', async () => (await page.locator('.badge', { hasText: 'OK' }).count()) === 6);
      await fits('fleet');
      await accessible(page, 'narrow');
      const first = await rows(page).first().boundingBox();
      assert.ok(first.width <= 360 && first.height >= 44, 'a row is a target for a finger');
      await page.selectOption('#sort', 'home');
      assert.match(page.url(), /sort=home/);
      await rows(page).first().click();
      await page.locator('.attempt').first().waitFor();
      await fits('drawer');
      const drawer = await page.locator('[role=dialog]').boundingBox();
      assert.equal(drawer.width, 360);
      await accessible(page, 'narrow drawer');
    },
    { viewport: { width: 360, height: 740 } },
  ),
);

test('AQueryIsWrittenAsItIsRead', () => {
  for (const hash of ['', '#view=services&sort=-homes', '#q=a%20b&state=gated,late&service=x/y&home=x/y/z', '#home=a%2525/b/c']) {
    assert.equal(writeQuery(readQuery(hash)), hash);
  }
  assert.deepEqual(readQuery('#state=nonsense,gated&sort=<b>&view=x').state, ['gated']);
  assert.equal(readQuery('#sort=<b>').sort, 'state');
});

test('AHomeIsJudgedByWhatItsReadingTells', () => {
  const now = Date.parse('2026-12-01T12:00:00Z');
  const at = (seconds) => new Date(now + seconds * 1000).toISOString();
  const judged = (reading, entry = null, suspended = false, about = {}) => {
    const record = homeRecord({ ns: 'n', name: 's', suspended }, 'c', reading && { cluster: 'c', endpoint: 'http://c', ...reading }, entry, about);
    judge(record, now);
    return record.flags.join();
  };
  const capacity = { fallbackReason: '', ceiling: 2, samples: [], lastAttemptTime: at(-4), nextAttemptTime: at(6) };
  const probe = { result: 'Passing', message: 'HTTP 200', gated: false, consecutiveFailures: 0, consecutivePasses: 0, lastProbeTime: at(-4), nextAttemptTime: at(6) };
  assert.equal(judged({ capacity, probe }), 'ok');
  assert.equal(judged({ capacity, probe: { ...probe, gated: true, result: 'Failing' } }), 'gated');
  assert.equal(judged({ capacity, probe: { ...probe, result: 'Failing' } }), 'failing');
  assert.equal(judged({ capacity: { ...capacity, ceiling: undefined, fallbackReason: 'x' } }), 'fallback');
  assert.equal(judged({ probe: { ...probe, lastProbeTime: at(-24), nextAttemptTime: at(-14) } }), 'ok', 'times are told once a period');
  assert.equal(judged({ probe: { ...probe, lastProbeTime: at(-26), nextAttemptTime: at(-16) } }), 'late');
  assert.equal(judged({ probe, tls: { notAfter: at(13 * 86_400) } }), 'certificate');
  assert.equal(judged({ probe, tls: { notAfter: at(15 * 86_400) } }), 'ok');
  assert.equal(judged({ probe, clockSkewSeconds: -5 }), 'skew');
  assert.equal(judged({ probe, clockSkewSeconds: 4 }), 'ok');
  assert.equal(judged({ probe }, { weight: 0, drained: true, gated: false }), 'drained');
  assert.equal(judged({ probe: { ...probe, lastProbeTime: at(-99), nextAttemptTime: at(-89) } }, null, true), 'suspended');
  const silent = { ...capacity, ceiling: undefined, fallbackReason: 'x' };
  assert.equal(judged({ capacity: silent }, null, true), 'suspended', 'what is not polled does not fall back');
  const entry = { weight: 2, drained: false, gated: false };
  assert.equal(judged({ capacity: silent }, entry, true, { frozen: 'why' }), 'frozen');
  assert.equal(judged({ probe: { ...probe, gated: true } }, { ...entry, weight: 0, gated: true }), 'gated');
  assert.equal(judged({ probe: { ...probe, gated: true } }, { ...entry, gated: true }), 'preserved,gated');
  assert.equal(judged(null, entry, false, { away: 'why' }), 'unknown');
  assert.equal(judged(null, { ...entry, weight: 0, gated: true }, false, { away: 'why' }), 'gated,unknown', 'the map says so');
  assert.equal(judged({}), 'waiting');
  assert.equal(judged(null, { weight: 1, drained: false, gated: false }), 'unobserved');
});

test('TellsHowMuchTheBudgetIsShort', async (browser) => {
  const world = await World.begin();
  try {
    await world.homes(6);
    await world.behave('home-*', { poll: { latency: '700ms' }, probe: { latency: '700ms' } });
    const homes = Object.fromEntries([0, 1, 2, 3, 4, 5].map((index) => [`worker-${index}`, world.endpoint(`home-${index}`)]));
    await world.observe([world.service('chat', homes)], '--max-concurrent-requests', '1');
    const page = await open(browser, world.address);
    const banner = page.locator('.banner', { hasText: 'The request budget is short' });
    await banner.waitFor({ timeout: 30_000 });
    assert.match(await banner.innerText(), /maxConcurrentRequests/);
    assert.match(await page.locator('.tile', { hasText: 'Request budget' }).innerText(), /too few/);
    await accessible(page, 'advice');
    await close(page);
  } finally {
    await world.end();
  }
});

test('TwoThousandHomesStaySmooth', async (browser) => {
  const world = await World.begin();
  try {
    await world.homes(2000);
    const services = [];
    for (let index = 0; index < 200; index += 1) {
      const homes = {};
      for (let home = 0; home < 10; home += 1) homes[`worker-${home}`] = world.endpoint(`home-${index * 10 + home}`);
      const slow = { period: '10s', timeout: '3s' };
      services.push(world.service(`model-${String(index).padStart(3, '0')}`, homes, {}));
      Object.assign(services[index], { probe: { ...services[index].probe, ...slow }, capacity: { ...services[index].capacity, ...slow, maxAge: '60s' } });
    }
    await world.observe(services);
    const page = await open(browser, world.address);
    await until('all are there', async () => (await tile(page, 'Homes')) === '2,000', 30);
    assert.ok((await rows(page).count()) < 120, 'only rows in sight exist');
    const frames = await page.evaluate(async () => {
      const gaps = [];
      let before = performance.now();
      for (let step = 0; step < 150; step += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        window.scrollBy(0, 600);
        const now = performance.now();
        gaps.push(now - before);
        before = now;
      }
      gaps.sort((a, b) => a - b);
      return { median: gaps[75], p95: gaps[142], most: gaps[149], scrolled: window.scrollY };
    });
    console.log(`scrolling 2,000 homes: a frame takes ${frames.median.toFixed(1)} ms, p95 ${frames.p95.toFixed(1)} ms, at most ${frames.most.toFixed(1)} ms`);
    assert.ok(frames.scrolled > 30_000, `scrolled to ${frames.scrolled}`);
    assert.ok(frames.median < 250 && frames.p95 < 1000, 'frames take far too long');
    assert.ok((await rows(page).count()) < 120, 'rows out of sight are gone');
    const sight = await page.evaluate(() => [...document.querySelectorAll('.body [role=row]')].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    }).length);
    assert.ok(sight > 10, `rows are where one looks: ${sight}`);
    await search(page).fill('model-123');
    await until('ten rows', async () => (await rows(page).count()) === 10);
    await close(page);
  } finally {
    await world.end();
  }
});
