// What a home or a declaration says is text, whatever it looks like; and the page runs nothing that is not its own.
import assert from 'node:assert/strict';
import { close, open, row, rows } from './browser.mjs';
import { test, until } from './harness.mjs';
import { World } from './programs.mjs';

const MARKUP = '<img src=x onerror=alert(1)>"\'&lt;';

test('HostileTextIsInert', async (browser) => {
  const world = await World.begin();
  try {
    await world.homes(2);
    await world.observe(null);
    await world.behave('home-0', { poll: { body: `{"${'<script>alert(2)</script>'}":1}` } });
    const service = world.service('chat', { [MARKUP]: world.endpoint('home-0'), 'javascript:alert(3)': `http://${'<b>x</b>'}/` });
    await world.put(service);
    const page = await open(browser, world.address);
    await until('two homes', async () => (await rows(page).count()) === 2);
    await row(page, MARKUP).click();
    const drawer = page.locator('[role=dialog]');
    assert.equal(await drawer.locator('h2').innerText(), MARKUP);
    await drawer.locator('.attempt').first().waitFor();
    assert.equal(await page.locator('#app img, #app script, #app b, #app iframe, #app object').count(), 0);
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
    await page.reload();
    await until('the link still opens it', async () => (await drawer.locator('h2').innerText()) === MARKUP);
    await close(page);
  } finally {
    await world.end();
  }
});

test('RunsNothingButItsOwnScript', async (browser) => {
  const world = await World.begin();
  try {
    await world.homes(1);
    await world.observe([]);
    const page = await open(browser, world.address);
    await page.locator('.empty').waitFor();
    const ran = await page.evaluate(async () => {
      const refused = [];
      document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'window.ranAnyway = true';
      document.body.append(script);
      const div = document.createElement('div');
      div.setAttribute('style', 'color: rgb(1, 2, 3)');
      document.body.append(div);
      const sent = await fetch('http://127.0.0.1:1/').then(() => true, () => false);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { script: window.ranAnyway === true, style: getComputedStyle(div).color === 'rgb(1, 2, 3)', sent, refused };
    });
    assert.deepEqual({ script: ran.script, style: ran.style, sent: ran.sent }, { script: false, style: false, sent: false });
    for (const rule of ['script-src-elem', 'style-src-attr', 'connect-src']) assert.ok(ran.refused.includes(rule), rule);
    page.problems = page.problems.filter((one) => !/violates the following|Refused to|127\.0\.0\.1:1\//.test(one));
    await close(page);
  } finally {
    await world.end();
  }
});

test('AnswersItsOwnHeaders', async () => {
  const world = await World.begin();
  try {
    await world.homes(1);
    await world.observe([]);
    const html = await fetch(`${world.address}/`, { headers: { Accept: 'text/html' } });
    assert.match(html.headers.get('content-security-policy'), /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    assert.equal(html.headers.get('x-content-type-options'), 'nosniff');
    const text = await fetch(`${world.address}/`, { headers: { Accept: '*/*' } });
    assert.match(text.headers.get('content-type'), /^text\/plain/);
  } finally {
    await world.end();
  }
});
