// When there is nothing to show, nobody who tells, or nobody who may ask.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { accessible, close, open, row, rows, tile } from './browser.mjs';
import { test, until } from './harness.mjs';
import { World } from './programs.mjs';

async function withWorld(body) {
  const world = await World.begin();
  try {
    await world.homes(4);
    await body(world);
  } finally {
    await world.end();
  }
}

const chat = (world, ...clusters) =>
  world.service('chat', Object.fromEntries(clusters.map((name, index) => [name, world.endpoint(`home-${index}`)])));

test('AnEmptyObserverSaysWhatToDo', (browser) =>
  withWorld(async (world) => {
    await world.observe([]);
    const page = await open(browser, world.address);
    await page.locator('h2', { hasText: 'No services are declared' }).waitFor();
    await page.locator('code', { hasText: '--services FILE' }).waitFor();
    await accessible(page, 'empty');
    await world.declare([chat(world, 'worker-a')]);
    await until('the first home', async () => (await rows(page).count()) === 1, 15);
    await world.declare([]);
    await page.locator('h2', { hasText: 'No services are declared' }).waitFor();
    await close(page);
  }),
);

test('AnObserverThatIsGoneIsToldAndWhatWasKnownStays', (browser) =>
  withWorld(async (world) => {
    await world.observe([chat(world, 'worker-a', 'worker-b')]);
    const page = await open(browser, world.address, { broken: true });
    await until('two homes', async () => (await rows(page).count()) === 2);
    await until('ceilings', async () => /^\d+$/.test(await row(page, 'worker-a').locator('.col-ceiling').innerText()));
    const known = await row(page, 'worker-a').locator('.col-ceiling').innerText();
    await world.removeObserver();
    const banner = page.locator('.stale-banner');
    await banner.waitFor({ timeout: 15_000 });
    assert.match(await banner.innerText(), /No news from ome-observer since \d\d:\d\d:\d\d/);
    assert.match(await banner.innerText(), /last known values/);
    assert.match(await page.locator('.connection').innerText(), /Not live since/);
    assert.match(await page.locator('.count').innerText(), /2 homes, last known at/);
    assert.equal(await row(page, 'worker-a').locator('.col-ceiling').innerText(), known);
    await row(page, 'worker-a').click();
    await page.locator('.last-known').waitFor();
    await accessible(page, 'stale');
    await page.keyboard.press('Escape');
    // It comes back without one of the homes, and with another.
    await world.observe([chat(world, 'worker-a', 'worker-c')]);
    await until('it is live again', async () => (await banner.count()) === 0, 20);
    await until('the lists are the same', async () => (await row(page, 'worker-c').count()) === 1 && (await row(page, 'worker-b').count()) === 0);
    assert.equal(await tile(page, 'Homes'), '2');
    await close(page);
  }),
);

test('AStreamThatHangsCountsAsGone', (browser) =>
  withWorld(async (world) => {
    await world.observe([chat(world, 'worker-a')]);
    const page = await open(browser, world.address, { broken: true });
    await until('a home', async () => (await rows(page).count()) === 1);
    world.observer.kill('SIGSTOP');
    try {
      await page.locator('.stale-banner').waitFor({ timeout: 20_000 });
    } finally {
      world.observer.kill('SIGCONT');
    }
    await until('it is live again', async () => (await page.locator('.stale-banner').count()) === 0, 25);
    await close(page);
  }),
);

test('AsksForTheTokenOfAnApiThatHasOne', (browser) =>
  withWorld(async (world) => {
    await writeFile(world.path('token'), 'open sesame\n'.replace(' ', '-'), { mode: 0o600 });
    await world.observe([chat(world, 'worker-a')], '--token-file', world.path('token'));
    const page = await open(browser, world.address, { broken: true });
    const field = page.locator('#token');
    await field.waitFor();
    await accessible(page, 'token');
    await field.fill('open-sesame');
    await page.locator('button', { hasText: 'Use it' }).click();
    await until('the home', async () => (await rows(page).count()) === 1);
    await close(page);
  }),
);
