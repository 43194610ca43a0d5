// SPDX-License-Identifier: Apache-2.0
// speed.mjs AFFIX MODULES BROWSER PAGE: how fast the page of `make wasm` is beside the program, as the table of docs/performance.md
// (viewer/wasm/speed calls it). Both take the same steps by turns, from the start; of each the fastest of ROUNDS counts.
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {finish, openBrowser, run} from '../../test/view/support.mjs';

const ROUNDS = 5, // name, steps, and how many of them a browser's clock can tell from none
  CASES = [['pulley', 60, 1], ['hoberman', 60, 1], ['net', 60, 4], ['arch', 40, 2], ['klann', 1000, 100]];
const digits = (x) => x.toPrecision(x < 0.1 ? 2 : 3);

const browser = await openBrowser(), page = await browser.newPage({viewport: {width: 320, height: 200}});
const native = (name, steps, ...more) => JSON.parse(run('run', name, '--steps', String(steps), '--json', ...more)).ms_per_step;

console.log(`Chromium ${browser.version()}, the fastest of ${ROUNDS} runs each, by turns; the median over its steps, ms.\n`);
console.log('| case | bodies | steps | WebAssembly | native | factor | native, 1 lane | factor |\n| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, steps, batch] of CASES) {
  await page.goto(`${pathToFileURL(path.resolve(process.argv[5]))}?case=${name}&still&plots=0&hide=shadow`);
  await page.waitForFunction(() => window.affix?.ready, null, {timeout: 60000});
  let best = [Infinity, Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    const inside = 1e3 * await page.evaluate(([n, m]) => {
      const {source} = window.affix.viewer, times = [];
      source.reset();
      for (let k = 0; k < n; k += m) {
        source.step(m);
        times.push(window.affix.frame.seconds);
      }
      return times.sort((a, b) => a - b)[times.length >> 1];
    }, [steps, batch]);
    const now = [inside, native(name, steps), native(name, steps, '--lanes', '1')];
    best = best.map((least, k) => Math.min(least, now[k]));
  }
  const bodies = await page.evaluate(() => window.affix.viewer.scene.bodies);
  console.log(`| \`${name}\` | ${bodies.toLocaleString('en')} | ${steps} | ${digits(best[0])} | ${digits(best[1])} | ` +
    `${(best[0] / best[1]).toFixed(1)} | ${digits(best[2])} | ${(best[0] / best[2]).toFixed(1)} |`);
}
await browser.close();
finish();
