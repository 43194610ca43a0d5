// SPDX-License-Identifier: Apache-2.0
// join.mjs PAGE ENGINE OUT: puts the engine's script, WebAssembly in it, into the viewer's page, where a replay would have
// its data. A policy of the page that names its scripts is told of this one.
import crypto from 'node:crypto';
import fs from 'node:fs';

const PLACE = '<!--affix-data-->';
const [page, engine, out] = process.argv.slice(2);
const script = fs.readFileSync(engine, 'utf8').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const hash = crypto.createHash('sha256').update(script).digest('base64');
const text = fs.readFileSync(page, 'utf8');
if (!text.includes(PLACE)) throw new Error(`${page} has no place for it`);
const allowed = text.replace(/(<meta http-equiv="Content-Security-Policy"[^>]*script-src) ([^;"]*)/,
    (_, begin, rest) => `${begin} ${rest} 'wasm-unsafe-eval'${rest.includes("'sha256-") ? ` 'sha256-${hash}'` : ''}`);
// The engine takes its WebAssembly out of its own text by fetch.
const fetched = allowed.replace(/(<meta http-equiv="Content-Security-Policy"[^>]*connect-src) ([^;"]*)/, '$1 $2 data:');
fs.writeFileSync(out, fetched.replace(PLACE, () => `<script id="affix-engine">${script}</script>`));
