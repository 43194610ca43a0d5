// SPDX-License-Identifier: Apache-2.0
// wasm.mjs AFFIX MODULES BROWSER PAGE: the page with the engine in it, from a file and without a server, against the program.
import assert from 'node:assert/strict';
import path from 'node:path';
import {finish, openBrowser, run, test, until} from './support.mjs';

const browser = await openBrowser(), file = path.resolve(process.argv[5]);
const page = await browser.newPage({viewport: {width: 900, height: 500}}), problems = [];
page.on('pageerror', (error) => problems.push(error.stack));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(request.url()); });

for (const [name, steps] of [['pulley', 40], ['hoberman', 60]]) {
  await test(`${name} runs as in the program`, async () => {
    await page.goto(`file://${file}?case=${name}&still&theme=light&plots=0&hide=shadow`);
    await page.waitForFunction(() => window.affix?.ready, null, {timeout: 30000});
    const {time, energy, seconds} = await page.evaluate((n) => {
      window.affix.viewer.source.step(n);
      return window.affix.frame;
    }, steps);
    const told = JSON.parse(run('run', name, '--steps', String(steps), '--json'));
    assert(Math.abs(time - told.time) < 1e-12);
    // Without fused multiply-add, the last digits differ.
    assert(Math.abs(energy[3] - told.energy_last) < 1e-7 * Math.abs(told.energy_last), `${energy[3]} J is not ${told.energy_last} J`);
    console.log(`# ${name}: ${(1e3 * seconds).toFixed(2)} ms a step here, ${told.ms_per_step.toFixed(2)} ms in the program`);
  });
}

await test('another case is chosen, and a parameter changes it', async () => {
  await page.selectOption('#case', 'net');
  await until(() => page.evaluate(() => window.affix.viewer.scene.title === 'net'), 'the net');
  await page.fill('#parameter-k', '4');
  await page.press('#parameter-k', 'Enter');
  await until(() => page.evaluate(() => window.affix.viewer.scene.bodies === 40), '40 bodies');
  assert.equal(await page.textContent('#title'), 'net k=4');
  await page.fill('#parameter-k', '-3');
  await page.press('#parameter-k', 'Enter');
  await until(async () => /2 to 5000/.test(await page.textContent('#parameter-error')), 'the error');
  assert.equal(await page.evaluate(() => window.affix.viewer.scene.bodies), 40);
});

await test('it plays, a body is dragged, and it starts again', async () => {
  await page.click('#play');
  await until(() => page.evaluate(() => window.affix.frame.time > 0), 'the time to go on');
  await page.click('#play');
  const moved = await page.evaluate(() => {
    const {source} = window.affix.viewer;
    source.reset();
    source.step(40);
    const falls = window.affix.pose(20)[2];
    source.reset();
    source.drag(20, [0, 0, 0], [0, 0, 2]);
    source.step(40);
    const up = window.affix.pose(20)[2];
    source.release();
    source.reset();
    return {falls, up, time: window.affix.frame.time};
  });
  assert(moved.up > moved.falls + 0.05, JSON.stringify(moved));
  assert.equal(moved.time, 0);
});

await test('the page had nothing to complain about, and asked nobody', async () => assert.deepEqual(problems, []));
await browser.close();
finish();
