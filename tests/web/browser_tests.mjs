// The status page in Chromium, with the programs behind it. Usage: page_test.py, which sets the environment.
import './fleet_tests.mjs';
import './line_tests.mjs';
import './controller_tests.mjs';
import './safety_tests.mjs';
import { launch } from './browser.mjs';
import { runAll } from './harness.mjs';

// Words that are of tests of the Python around this select everything here.
const words = process.argv.slice(2).filter((word) => !/Browser|Bundle/.test(word));
const failed = await runAll(words, launch, (browser) => browser.close());
process.exit(failed === 0 ? 0 : 1);
