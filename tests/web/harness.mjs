// Runs tests one after the other and tells of each in the words of GoogleTest, which tools/test_report counts.
import assert from 'node:assert/strict';

const tests = [];

export function test(name, body) {
  tests.push({ name, body });
}

/** What the condition gives as soon as it is true; fails when it never is. */
export async function until(what, condition, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  let last;
  for (;;) {
    try {
      const found = await condition();
      if (found) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) assert.fail(`${what}: not within ${seconds} s${last ? `: ${last.message}` : ''}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Those whose name contains one of the words; all without words. The number of those that failed. */
export async function runAll(words, setUp, tearDown) {
  const wanted = tests.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  let failed = 0;
  const shared = await setUp();
  try {
    for (const { name, body } of wanted) {
      const begun = Date.now();
      let outcome = '       OK ';
      try {
        await body(shared);
      } catch (error) {
        outcome = '  FAILED  ';
        failed += 1;
        console.log(error.stack ?? error);
      }
      console.log(`[${outcome}] Page.${name} (${Date.now() - begun} ms)`);
    }
  } finally {
    await tearDown(shared);
  }
  return failed;
}
