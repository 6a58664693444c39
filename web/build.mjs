// Makes dist/status.html, the one document that the programs embed: src/ bundled, with script and style inline.
//
// Usage: node build.mjs [OUTPUT]
//
//   node build.mjs                    dist/status.html
//   node build.mjs /tmp/status.html   elsewhere, to compare
//
// The same sources and the versions of package-lock.json give the same bytes.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

async function bundled(entry, options) {
  const made = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    legalComments: 'none',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    logLevel: 'warning',
    ...options,
  });
  return made.outputFiles[0].text.trim();
}

// What would end the element early, or begin a comment in it.
function checked(text, element) {
  if (/<\/(script|style)|<!--/i.test(text)) {
    throw new Error(`the bundled ${element} holds a tag that ends it`);
  }
  return text;
}

const script = await bundled('src/main.jsx', {
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
});
const style = await bundled('src/style.css', {});
const shell = await readFile(join(here, 'src/index.html'), 'utf8');
const page = shell
  .replace('/*STYLE*/', () => checked(style, 'style'))
  .replace('/*SCRIPT*/', () => checked(script, 'script'));

const output = resolve(process.argv[2] ?? join(here, 'dist/status.html'));
await mkdir(dirname(output), { recursive: true });
await writeFile(output, page);
console.log(`${output}: ${page.length} bytes`);
