// SPDX-License-Identifier: Apache-2.0
// build.mjs FOLDER: bundles src/ into FOLDER/page.html, one file with everything in it, and into FOLDER/page.c, the same
// as gzip in a C array. FOLDER is one that viewer/install filled.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2]);
const modules = path.join(folder, 'node_modules');
const esbuild = createRequire(path.join(folder, 'package.json'))('esbuild');

/** @param {string} entry @returns {Promise<string>} */
async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [path.join(here, 'src', entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari16'],
    charset: 'ascii',
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
}

const script = (await bundle('main.js')).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('style.css');
// No script runs but this one, whatever a name in a scene says: in a page that is served, and in a replay on somebody's disk.
const hash = crypto.createHash('sha256').update(script).digest('base64');
const policy = ["default-src 'none'", `script-src 'sha256-${hash}'`, "style-src 'unsafe-inline'", 'img-src data: blob:',
  "connect-src 'self'", "base-uri 'none'", "form-action 'none'"].join('; ');
const page = fs.readFileSync(path.join(here, 'src', 'page.html'), 'utf8')
    .replace('affix-policy', () => policy)
    .replace('/*affix-style*/', () => style)
    .replace('/*affix-script*/', () => script);
const packed = zlib.gzipSync(page, {level: 9});
packed[9] = 255; // the operating system, which is not to matter
const lines = [];
for (let at = 0; at < packed.length; at += 24) {
  lines.push('    ' + [...packed.subarray(at, at + 24)].join(',') + ',');
}
fs.writeFileSync(path.join(folder, 'page.html'), page);
fs.writeFileSync(path.join(folder, 'page.c'), `/* Made by viewer/build.mjs: the viewer's page as gzip. */
extern const unsigned char afxi_page_bytes[];
extern const unsigned long afxi_page_size;
const unsigned char afxi_page_bytes[] = {
${lines.join('\n')}
};
const unsigned long afxi_page_size = sizeof afxi_page_bytes;
`);
