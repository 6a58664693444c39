// The pictures of docs/images. Usage: web/screenshots, which sets the environment.
import { join } from 'node:path';
import { launch, open, row, rows, tile } from '../tests/web/browser.mjs';
import { until } from '../tests/web/harness.mjs';
import { CAPACITY, PROBE, World } from '../tests/web/programs.mjs';

const [folder, ...wanted] = process.argv.slice(2);
const REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1', 'ap-south-1'];
const MODELS = ['llama-3-70b', 'qwen3-32b', 'mistral-small', 'bge-large', 'whisper-v3', 'gemma-3-27b', 'deepseek-v3', 'phi-4'];
const TEAMS = ['prod', 'prod', 'prod', 'search', 'speech', 'research', 'research', 'research'];

const WIDE = { viewport: { width: 1440, height: 860 } };
const VIEW = { viewport: { width: 1280, height: 820 } };

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const home = (model, region) => `home-${model * REGIONS.length + region}`;

/** Declared homes by service; each model runs in three or four regions. */
function placements(world) {
  return MODELS.map((name, model) => {
    const homes = {};
    REGIONS.forEach((region, index) => {
      if ((model + index) % 5 === 4) return;
      const secured = model < 3;
      homes[region] = secured ? world.secured(home(model, index)) : world.endpoint(home(model, index));
    });
    return { ns: TEAMS[model], name, homes };
  });
}

async function misbehave(world) {
  await world.behave('home-*', { poll: { report: 4, latency: { median: '12ms', sigma: 0.6, max: '300ms' } }, probe: { latency: { median: '30ms', sigma: 0.5, max: '400ms' } } });
  await world.behave(home(0, 1), { poll: { report: [6, 6, 5, 5, 3, 3, 2, 2, 2, 3, 5, 6], cycle: true, latency: '18ms' } });
  await world.behave(home(1, 2), { probe: { status: 503, latency: '45ms' }, poll: { report: 1 } });
  await world.behave(home(3, 0), { poll: { stall: 'before-head' } });
  await world.behave(home(5, 3), { poll: { gone: true } });
  await world.behave(home(6, 1), { poll: { report: 3, skew: '42s' } });
  await world.behave(home(7, 0), { probe: { stall: 'before-head' }, poll: { stall: 'before-head' } });
}

async function withWorld(body) {
  const world = await World.begin();
  try {
    await world.homes(MODELS.length * REGIONS.length, { tls: true });
    await misbehave(world);
    return await body(world);
  } finally {
    await world.end();
  }
}

const serviceOf = (world, { ns, name, homes }) => ({
  ...world.service(name, homes),
  namespace: ns,
  probe: { ...PROBE, failureThreshold: 3 },
  capacity: CAPACITY,
});

async function observed(world) {
  return world.observe(placements(world).map((one) => serviceOf(world, one)), '--max-concurrent-requests', '32');
}

async function settled(page) {
  await until('rows', async () => (await rows(page).count()) > 10, 20);
  await until('gates', async () => Number(await tile(page, 'Gated')) >= 2, 30);
  await until('fallbacks', async () => Number(await tile(page, 'Falling back')) >= 2, 30);
}

async function save(page, name) {
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  console.log(path);
}

const PICTURES = {
  fleet: (browser) =>
    withWorld(async (world) => {
      await world.observe(null);
      for (const { name, homes } of placements(world)) {
        await world.placed(name, Object.fromEntries(Object.entries(homes).map(([cluster, endpoint], index) => [cluster, { endpoint, replicas: 4 - (index % 3) }])));
      }
      const page = await open(browser, await world.controlled(), WIDE);
      await settled(page);
      await pause(4);
      await save(page, 'fleet');
    }),
  drawer: (browser) =>
    withWorld(async (world) => {
      await world.observe(null);
      for (const { name, homes } of placements(world)) {
        await world.placed(name, Object.fromEntries(Object.entries(homes).map(([cluster, endpoint]) => [cluster, { endpoint, replicas: 6 }])));
      }
      const page = await open(browser, await world.controlled(), { viewport: { width: 1280, height: 1120 } });
      await settled(page);
      await page.locator('.search input').fill('llama');
      await row(page, 'us-west-2').click();
      await page.locator('.attempt').first().waitFor();
      await pause(38);
      await save(page, 'drawer');
    }),
  dark: (browser) =>
    withWorld(async (world) => {
      const page = await open(browser, await observed(world), { ...VIEW, colorScheme: 'dark' });
      await settled(page);
      await row(page, 'qwen3-32b').filter({ hasText: 'Gated' }).click();
      await page.locator('.attempt').first().waitFor();
      await pause(3);
      await save(page, 'dark');
    }),
  'narrow-360': (browser) =>
    withWorld(async (world) => {
      const page = await open(browser, await observed(world), { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 });
      await settled(page);
      await pause(2);
      await save(page, 'narrow-360');
    }),
  empty: (browser) =>
    withWorld(async (world) => {
      const page = await open(browser, await world.observe([]), { viewport: { width: 1280, height: 640 } });
      await page.locator('.empty').waitFor();
      await pause(2.5);
      await save(page, 'empty');
    }),
  stale: (browser) =>
    withWorld(async (world) => {
      const page = await open(browser, await observed(world), { ...WIDE, broken: true });
      await settled(page);
      await world.removeObserver();
      await page.locator('.stale-banner').waitFor({ timeout: 15_000 });
      await pause(12);
      await save(page, 'stale');
    }),
};

const strangers = wanted.filter((name) => !(name in PICTURES));
if (strangers.length) {
  console.error(`no such picture: ${strangers.join(', ')}; there are ${Object.keys(PICTURES).join(', ')}`);
  process.exit(2);
}
const browser = await launch();
try {
  for (const [name, take] of Object.entries(PICTURES)) if (!wanted.length || wanted.includes(name)) await take(browser);
} finally {
  await browser.close();
}
