// SPDX-License-Identifier: Apache-2.0
// The page's own tools: list and search, numbers, plots, sliders, cameras; and whether everybody can use them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {folder, readTable, run, serve, stop, test, until} from './support.mjs';

/** Contrast of two colours (WCAG): 1 to 21. */
function contrast(a, b) {
  const light = (rgb) => rgb.map((x) => x / 255).map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
      .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Colours of all texts that can be seen, over what is behind them. Runs in the page. */
function texts() {
  const list = [], read = (css) => css.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(read(getComputedStyle(at).backgroundColor));
    let rgb = document.documentElement.classList.contains('light') ? [238, 241, 244] : [22, 25, 29];
    for (const [r, g, b, a = 1] of layers.reverse()) rgb = [r, g, b].map((x, k) => a * x + (1 - a) * rgb[k]);
    return rgb;
  };
  for (const element of document.querySelectorAll('#top *, #panel *, #bar *, #plots *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own && !element.matches('select, input:not([type=checkbox]):not([type=range])') || !element.getClientRects().length || element.closest('.uplot')) continue;
    list.push({text: element.textContent.slice(0, 30), colour: read(getComputedStyle(element).color).slice(0, 3), behind: behind(element)});
  }
  return list;
}

/** @param {(url: string, query?: string, viewport?: {width: number, height: number}) => Promise<any>} open @param {(page: any) => Promise<any>} ready */
export async function testTools(open, ready) {
  const html = path.join(folder, 'bar.html'), csv = path.join(folder, 'bar.csv');
  run('run', 'four-bar', '--time', '1', '--every', '2', '--quiet', '--html', html, '--csv', csv, '--columns', 'time,joint:1,reaction:1,body:2');
  const table = readTable(csv);

  await test('a body is found by its name, and its numbers are those of the engine', async () => {
    const page = await open(`file://${html}`, 'plots=0&hide=shadow&still', {width: 900, height: 700});
    await ready(page);
    await page.evaluate(() => window.affix.viewer.source.seek(20));
    const name = await page.evaluate(() => window.affix.viewer.things.items.find((item) => item.type === 'body' && item.index === 2).text);
    await page.keyboard.press('/');
    await page.keyboard.type(`body ${name.toUpperCase()}`);
    assert.deepEqual(await page.$$eval('.thing', (list) => list.map((line) => line.textContent)), [name]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const text = await page.textContent('#body-text');
    assert.match(text, /mass {2}[\d.]+ kg/);
    const [w, x, y, z] = /quaternion w x y z\s+(.*)/.exec(text)[1].trim().split(/\s+/).map(Number);
    const row = table[20], want = ['qw', 'qx', 'qy', 'qz'].map((c) => row[`body:2.${c}`]), sign = Math.sign(w * want[0] + x * want[1] + y * want[2] + z * want[3]);
    [w, x, y, z].forEach((value, k) => assert(Math.abs(sign * value - want[k]) < 2e-3, `${text} is not ${want}`));
    assert.deepEqual(page.problems, []);
    await page.close();
  });

  await test('pictures are on shapes, and drawings beside them', async () => {
    const scene = path.join(folder, 'board.json'), painted = path.join(folder, 'board.html');
    fs.writeFileSync(scene, JSON.stringify({affix_scene: 1, gravity: [0, 0, 0], textures: {board: {checker: ['#ff0000', '#0000ff']}},
      bodies: [{shapes: [{kind: 'box', size: [1, 1, 1], texture: 'board'}]}]}));
    run('run', scene, '--time', '0.02', '--quiet', '--html', painted);
    const page = await open(`file://${painted}`, 'bare&still&camera=top&hide=shadow', {width: 500, height: 400});
    await ready(page);
    await page.evaluate(() => window.affix.drawAt(0));
    const reds = await page.evaluate(() => {
      const {stage} = window.affix.viewer, view = document.getElementById('view'), copy = document.createElement('canvas');
      stage.dirty = true;
      stage.render(Infinity);
      [copy.width, copy.height] = [view.width, view.height];
      const pen = copy.getContext('2d');
      pen.drawImage(view, 0, 0);
      return [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([x, y]) => {
        const [px, py] = window.affix.project([x / 4, y / 4, 0.5]);
        const [r, , b] = pen.getImageData(px, py, 1, 1).data;
        return r - b;
      });
    });
    assert(reds.every((x) => Math.abs(x) > 60) && reds[0] * reds[1] < 0 && reds[0] * reds[2] < 0 && reds[0] * reds[3] > 0, `${reds}`);
    const drawn = () => page.evaluate(() => { // a line and a text
      const {stage} = window.affix.viewer, bytes = new Uint8Array(4 + 72 + 2), view = new DataView(bytes.buffer);
      view.setUint32(0, 2, true);
      view.setFloat32(4 + 24, 1, true);
      view.setUint32(40, 3, true);
      view.setUint32(44, 2, true);
      bytes.set([72, 105], 76);
      stage.frame = {...stage.frame, drawing: bytes};
      stage.dirty = true;
      stage.render(Infinity);
      return [stage.overlay.lines.count, stage.overlay.labels.group.children.length];
    });
    assert.deepEqual(await drawn(), [1, 1]);
    await page.keyboard.press('d');
    assert.deepEqual(await drawn(), [0, 0]);
    assert.deepEqual(page.problems, []);
    await page.close();
  });

  await test('any quantity is plotted, and saved as a table', async () => {
    const page = await open(`file://${html}`, 'hide=shadow&still', {width: 900, height: 700});
    await ready(page);
    await page.evaluate(() => {
      const {things} = window.affix.viewer;
      things.choose(things.items.find((item) => item.type === 'joint' && item.index === 1));
    });
    for (const label of ['angle', 'force']) {
      await page.locator('.chips button', {hasText: label}).first().click();
      await page.locator('.chips button[aria-pressed="true"]', {hasText: label}).first().waitFor();
    }
    const [head, ...rows] = (await page.evaluate(() => window.affix.viewer.plots.csv())).trim().split('\n');
    const names = head.slice(1, -1).split('","'), columns = Object.keys(table[0]);
    assert.equal(rows.length, table.length);
    const angle = names.findIndex((name) => /angle/.test(name)), force = names.findIndex((name) => /reaction force/.test(name));
    const value = columns.find((name) => /^joint:1/.test(name)), three = columns.filter((name) => /^reaction:1\.f/.test(name));
    rows.forEach((line, k) => {
      const cells = line.split(',').map(Number);
      assert(Math.abs(cells[angle] - table[k][value]) < 2e-3, `angle ${cells[angle]} is not ${table[k][value]}`);
      const size = Math.hypot(...three.map((name) => table[k][name]));
      assert(Math.abs(cells[force] - size) < 1e-3 * (1 + size), `force ${cells[force]} is not ${size}`);
    });
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
    assert.match(fs.readFileSync(await saved.path(), 'utf8').split('\n')[0], /reaction force/);
    assert.deepEqual(page.problems, []);
    await page.close();
  });

  await test('cameras have names, and one follows a body', async () => {
    const page = await open(`file://${html}`, 'panel=0&plots=0&hide=shadow&still&camera=top');
    await ready(page);
    const way = () => page.evaluate(() => {
      const {camera, controls} = window.affix.viewer.stage;
      return camera.position.clone().sub(controls.target).normalize().toArray();
    });
    assert((await way())[2] > 0.99, 'from above');
    await page.keyboard.press('2');
    assert((await way())[1] < -0.99, 'from the front');
    await page.evaluate(() => {
      window.affix.viewer.pick(2);
      window.affix.viewer.follow();
    });
    for (const k of [10, 40]) {
      await page.evaluate((f) => window.affix.viewer.source.seek(f), k);
      const off = await page.evaluate(() => {
        const at = window.affix.viewer.stage.controls.target.toArray();
        return Math.hypot(...window.affix.pose(2).slice(0, 3).map((x, n) => x - at[n]));
      });
      assert(off < 1e-5, `${off} m away`);
    }
    await page.close();
  });

  await test('the camera stays above the ground, and effects wait for a still picture', async () => {
    const page = await open(`file://${html}`, 'panel=0&plots=0&hide=shadow&still');
    await ready(page);
    const [eye, floor] = await page.evaluate(() => {
      const {stage} = window.affix.viewer;
      stage.camera.position.z = -100;
      stage.render(Infinity);
      return [stage.camera.position.z, stage.ground.level()];
    });
    assert(eye > floor, `${eye} m is below ${floor} m`);

    // Pictures that take a second are drawn without effects while they move, and with them when they stand still.
    const states = await page.evaluate(() => {
      const {stage} = window.affix.viewer, list = [];
      stage.render(Infinity);
      stage.pace = 0;
      stage.drew = false;
      for (const [ms, moves] of [[0, true], [1000, true], [2000, true], [2010, false], [2600, false], [2610, false]]) {
        stage.dirty = moves;
        list.push([stage.render(1e9 + ms), stage.coarse]);
      }
      return list;
    });
    assert.deepEqual(states, [[true, false], [true, true], [true, true], [false, true], [true, false], [false, false]]);
    await page.close();
  });

  await test('a joint is placed by its slider', async () => {
    const server = await serve('pendulum', '--paused'), page = await open(server.url, 'plots=0&hide=shadow', {width: 900, height: 700});
    await ready(page);
    await page.evaluate(() => {
      const {things} = window.affix.viewer;
      things.choose(things.items.find((item) => item.type === 'joint'));
    });
    const slider = page.locator('#chosen-tools input[type="range"]').first();
    await slider.fill(String(Math.round(0.5 / (Math.PI / 500)) * (Math.PI / 500)));
    const angle = () => page.evaluate(() => window.affix.viewer.things.readers[0].quantity.read(window.affix.frame));
    await until(async () => Math.abs(await angle() - 0.5) < 0.01, 'the joint to be there');
    assert.deepEqual(page.problems, []);
    await page.close();
    assert.equal(await stop(server), 0);
  });

  await test('efforts of drives are plotted', async () => {
    const server = await serve('slider-crank', '--paused'), page = await open(server.url, 'plots=0&hide=shadow', {width: 900, height: 700});
    await ready(page);
    await page.evaluate(() => {
      const {things} = window.affix.viewer, {drives} = things.look.head;
      things.choose(things.items.find((item) => item.type === 'joint' && item.index === drives[0].joint));
    });
    await page.locator('.chips button', {hasText: 'effort'}).first().click();
    await page.evaluate(() => window.affix.viewer.source.step(5));
    await until(() => page.evaluate(() => window.affix.frame.step === 5 && window.affix.frame.efforts), 'a frame with efforts');
    const [value, plotted] = await page.evaluate(() => [window.affix.frame.efforts[0], window.affix.viewer.plots.panels.at(-1).data[0].at(-1)]);
    assert(Number.isFinite(value) && value !== 0 && value === plotted, `${value} ${plotted}`);
    await page.close();
    assert.equal(await stop(server), 0);
  });

  await test('a file that is saved is loaded again', async () => {
    const file = path.join(folder, 'edit.json');
    run('convert', 'pendulum', file);
    const server = await serve(file, '--paused'), page = await open(server.url);
    await ready(page);
    const before = await page.evaluate(() => window.affix.viewer.scene.bodies);
    run('convert', 'four-bar', file);
    await until(() => page.evaluate((n) => window.affix.viewer.scene && window.affix.viewer.scene.bodies !== n, before), 'the new scene');
    await page.close();
    assert.equal(await stop(server), 0);
  });

  await test('--open calls the browser', async () => {
    const bin = path.join(folder, 'bin'), told = path.join(folder, 'told');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >'${told}.new' && mv '${told}.new' '${told}'\n`, {mode: 0o755});
    process.env.PATH = `${bin}:${process.env.PATH}`;
    const server = await serve('pendulum', '--paused', '--open');
    await until(() => fs.existsSync(told), 'the call');
    assert.equal(fs.readFileSync(told, 'utf8').trim(), server.url);
    assert.equal(await stop(server), 0);
  });

  const page = await open(`file://${html}`, 'hide=shadow&still', {width: 1200, height: 800});
  await ready(page);
  for (const theme of ['light', 'dark']) {
    await test(`texts can be read: ${theme}`, async () => {
      await page.evaluate((t) => {
        window.affix.viewer.setTheme(t);
        window.affix.viewer.pick(2);
      }, theme);
      const list = await page.evaluate(texts);
      assert(list.length > 30, `${list.length} texts`);
      for (const {text, colour, behind} of list) {
        const value = contrast(colour, behind);
        assert(value >= 4.5, `"${text}" has a contrast of ${value.toFixed(2)}: ${colour} on ${behind.map(Math.round)}`);
      }
    });
  }

  await test('everything has a name and is reached by keyboard', async () => {
    const nameless = await page.$$eval('button, select, input', (list) => list.filter((e) => e.getClientRects().length)
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.length)).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    const wanted = await page.$$eval('button, select, input', (list) => list
        .filter((e) => e.getClientRects().length && !e.disabled && e.tabIndex >= 0).length);
    const seen = new Set();
    for (let k = 0; k < wanted + 5; k++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        e.dataset.seen = '1';
        return `${e.id || e.textContent} ${e.matches('button, select, input') ? style.outlineStyle : 'none'}`;
      }));
    }
    const missed = await page.$$eval('button, select, input', (list) => list
        .filter((e) => e.getClientRects().length && !e.disabled && e.tabIndex >= 0 && !e.dataset.seen).map((e) => e.outerHTML));
    assert.deepEqual(missed, []);
    assert([...seen].filter((line) => / none$/.test(line)).length <= 2, `no outline: ${[...seen]}`); // the picture, and the page
    await page.close();
  });

  await test('390 pixels are enough', async () => {
    const page = await open(`file://${html}`, 'hide=shadow&still', {width: 390, height: 780});
    await ready(page);
    await page.evaluate(() => window.affix.viewer.pick(2));
    for (const panel of ['panel', 'plots']) {
      await page.click(`#${panel}-toggle`);
      const wide = await page.$$eval('#top, #bar, #panel, #plots, #top *, #bar *, #panel *', (list) => list
          .filter((e) => e.getClientRects().length && !e.closest('svg')).map((e) => ({e: e.id || e.className, box: e.getBoundingClientRect()}))
          .filter(({box}) => box.left < -1 || box.right > 391).map(({e, box}) => `${e} ${box.left} ${box.right}`));
      assert.deepEqual(wide, [], panel);
    }
    const small = await page.$$eval('#top button, #bar button, #bar select', (list) => list.map((e) => e.getBoundingClientRect())
        .filter((box) => box.width < 28 || box.height < 28).length);
    assert.equal(small, 0, 'buttons that are too small for a finger');
    await page.close();
  });
}
