// SPDX-License-Identifier: Apache-2.0
// page.mjs AFFIX MODULES BROWSER: the real page in a real browser, against the real program: what is drawn is compared
// with what the program says about the same run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {Socket, finish, folder, openBrowser, readTable, run, serve, sleep, stop, test, until} from './support.mjs';
import {testTools} from './ui.mjs';

const VIEW = {width: 480, height: 300}; // without a graphics card, pixels are what costs time
const browser = await openBrowser();

/** A page, with whatever it complains about. */
async function open(url, query = 'panel=0&plots=0&hide=shadow', viewport = VIEW) {
  const page = await browser.newPage({viewport});
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.stack));
  page.on('console', (message) => {
    // Software rendering warns about being slow.
    if (message.type() === 'error') page.problems.push(message.text());
  });
  await page.goto(`${url}?theme=light&${query}`);
  return page;
}

const ready = (page) => page.waitForFunction(() => window.affix?.ready, null, {timeout: 60000});
const frame = (page) => page.evaluate(() => {
  const {time, step, index} = window.affix.frame;
  return {time, step, index};
});

/** x, y, z, qw, qx, qy, qz of a body in a row of a table. */
const poseIn = (row, body) => ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'].map((c) => row[`body:${body}.${c}`]);

/** Poses agree; a quaternion and its negative are one rotation. */
function samePose(got, want, distance, angle) {
  for (let k = 0; k < 3; k++) assert(Math.abs(got[k] - want[k]) <= distance, `position ${got} is not ${want}`);
  const dot = got[3] * want[3] + got[4] * want[4] + got[5] * want[5] + got[6] * want[6];
  const off = 2 * Math.hypot(...[3, 4, 5, 6].map((k) => got[k] - Math.sign(dot) * want[k]));
  assert(off <= angle, `rotation ${got.slice(3)} is not ${want.slice(3)}`);
}

/** Which pixels the bodies cover (1, else 0): the picture with them and without, compared. */
const mask = async (page) => [...await page.evaluate(() => {
  const {stage} = window.affix.viewer, canvas = stage.canvas;
  const take = (visible) => {
    stage.bodies.group.visible = visible;
    stage.show('shadow', false);
    stage.dirty = true;
    stage.render(Infinity);
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height).data;
  };
  const b = take(false), a = take(true), list = [];
  for (let k = 0; k < a.length; k += 4) {
    list.push(Math.abs(a[k] - b[k]) + Math.abs(a[k + 1] - b[k + 1]) + Math.abs(a[k + 2] - b[k + 2]) > 24 ? '1' : '0');
  }
  return list.join('');
})].map(Number);

/** Where in the picture the shapes of all bodies end, along their longest axis: rotations worked out here anew, as
 * matrices. Runs in the page. */
function ends() {
  const {scene} = window.affix.viewer, {worn_body: body, worn_mesh: mesh, worn_place: place} = scene.arrays, list = [];
  const turn = ([w, x, y, z], [a, b, c]) => [
    (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c,
    2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c,
    2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c];
  for (let k = 0; k < body.length; k++) {
    const [px, py, pz, qx, qy, qz, qw, sx, sy, sz] = place.subarray(10 * k, 10 * k + 10), pose = window.affix.pose(body[k]);
    const most = scene.meshes[mesh[k]].ends ? [sx, sx, sx + sz / 2] : [0, 0, 0]; // a capsule, or anything else
    if (!most[0]) scene.meshes[mesh[k]].positions.forEach((v, n) => { most[n % 3] = Math.max(most[n % 3], v * [sx, sy, sz][n % 3]); });
    const long = most.indexOf(Math.max(...most));
    for (const side of [-0.85, 0.85]) {
      const tip = turn([qw, qx, qy, qz], most.map((v, n) => n === long ? side * v : 0));
      const at = turn(pose.slice(3), [px + tip[0], py + tip[1], pz + tip[2]]);
      list.push(window.affix.project([0, 1, 2].map((n) => at[n] + pose[n])));
    }
  }
  return list;
}

// ---- a recorded run ----

const BODIES = [3, 17, 60];
const columns = `time,${BODIES.map((b) => `body:${b}`).join(',')}`;
const html = path.join(folder, 'net.html'), csv = path.join(folder, 'net.csv');
run('run', 'net', 'k=6', '--time', '2', '--quiet', '--every', '2', '--html', html, '--csv', csv, '--columns', columns);
const table = readTable(csv);
const replay = await open(`file://${html}`);
await ready(replay);

await test('a replay plays, pauses and steps', async () => {
  await until(async () => (await frame(replay)).time > 0, 'the replay to move');
  await replay.click('#play');
  const first = await frame(replay);
  await sleep(150);
  assert.deepEqual(await frame(replay), first, 'it is paused');
  await replay.click('#step');
  await until(async () => (await frame(replay)).index === Math.round(first.index) + 1, 'one frame more');
});

await test('the poses of a replay are those of the engine', async () => {
  const step = await replay.evaluate(() => window.affix.viewer.source.data.step);
  assert.equal(await replay.evaluate(() => window.affix.viewer.source.frames), table.length);
  let worst = 0;
  for (const k of [0, 1, 2, 37, 63, 64, 65, table.length - 1]) {
    await replay.evaluate((f) => window.affix.viewer.source.seek(f), k);
    assert(Math.abs((await frame(replay)).time - table[k].time) < 1e-12);
    for (const body of BODIES) {
      const got = await replay.evaluate((b) => window.affix.pose(b), body), want = poseIn(table[k], body);
      samePose(got, want, 2.01 * step + 1e-6, 4 / (await replay.evaluate((b) => window.affix.viewer.source.guide.scales[b], body)));
      worst = Math.max(worst, ...[0, 1, 2].map((n) => Math.abs(got[n] - want[n])));
    }
  }
  assert(worst > 0, 'packed numbers cannot be exact: is anything compared?');
});

await test('the error of a replay is far below a pixel', async () => {
  const {step, pixel} = await replay.evaluate(() => {
    const {stage} = window.affix.viewer, {step} = window.affix.viewer.source.data;
    const at = stage.controls.target.toArray(), a = window.affix.project(at), b = window.affix.project([at[0], at[1], at[2] + 0.1]);
    return {step, pixel: 0.1 / Math.hypot(a[0] - b[0], a[1] - b[1])};
  });
  assert(2 * step < 0.05 * pixel, `${2 * step} m against pixels of ${pixel} m`);
});

await test('the scrubber goes to a time', async () => {
  await replay.evaluate(() => {
    const scrub = document.getElementById('scrub');
    scrub.value = '50';
    scrub.dispatchEvent(new Event('input'));
  });
  await until(async () => (await frame(replay)).index === 50, 'frame 50');
  assert.equal(await replay.textContent('#clock'), `${table[50].time.toFixed(2)} s`);
});

await test('the picture shows the net where it is', async () => {
  for (const k of [25, 70]) { // links point down, then up
    await replay.evaluate((f) => window.affix.viewer.source.seek(f), k);
    const covered = await mask(replay), spots = await replay.evaluate(ends);
    const hit = ([x, y]) => covered[Math.floor(y) * VIEW.width + Math.floor(x)];
    const inside = spots.filter(hit).length;
    assert(inside >= 0.99 * spots.length, `frame ${k}: ${inside} of ${spots.length} ends are drawn where they are`);
    const xs = spots.map((s) => s[0]), ys = spots.map((s) => s[1]), pad = 10;
    let outside = 0, all = 0;
    covered.forEach((on, n) => {
      const x = n % VIEW.width, y = Math.floor(n / VIEW.width);
      all += on;
      outside += on && (x < Math.min(...xs) - pad || x > Math.max(...xs) + pad || y < Math.min(...ys) - pad || y > Math.max(...ys) + pad);
    });
    assert(all > 1500 && all < 0.5 * covered.length, `${all} pixels are covered`);
    assert.equal(outside, 0, 'pixels are covered where no body is');
  }
});

await test('colours follow stress and speed', async () => {
  for (const mode of ['stress', 'speed']) {
    await replay.evaluate((m) => window.affix.viewer.setColour(m), mode);
    await until(() => replay.evaluate((m) => window.affix.frame.colour === m, mode), mode);
    const values = await replay.evaluate(() => [...window.affix.frame.bodies].filter((_, k) => k % 8 === 3));
    assert(Math.max(...values) > 0 && values.some((v) => v === 0), 'fixed bodies have none, others do');
  }
  await replay.evaluate(() => window.affix.viewer.setColour('own'));
});

await test('a replay page had nothing to complain about', async () => {
  assert.deepEqual(replay.problems, []);
  await replay.close();
});

await test('far bodies are drawn with less detail, and none is left out', async () => {
  const file = path.join(folder, 'many.html');
  run('run', 'tumbling', 'n=8000', '--steps', '1', '--quiet', '--html', file);
  const page = await open(`file://${file}`, 'bare&hide=shadow');
  await ready(page);
  const counts = await page.evaluate(async () => {
    const {stage} = window.affix.viewer;
    stage.dirty = stage.bodies.moved = true;
    stage.render(Infinity);
    return {levels: stage.bodies.counts, calls: stage.renderer.info.render.calls};
  });
  assert.equal(counts.levels.reduce((a, b) => a + b), 8000);
  assert(counts.levels.filter(Boolean).length > 1, `${counts.levels} in the levels`);
  assert(counts.calls < 40, `${counts.calls} calls draw them`);
  assert((await mask(page)).reduce((a, b) => a + b) > 5000);
  assert.deepEqual(page.problems, []);
  await page.close();
});

await test('1,500 links for 10 s are a page below 3 MB', async () => {
  const file = path.join(folder, 'chain.html');
  run('run', 'chain', 'n=1500', 'start=zigzag', '--time', '10', '--quiet', '--html', file);
  assert(fs.statSync(file).size < 3e6, `${fs.statSync(file).size} bytes`);
});

await test('21,000 links take few bytes, and no more is unpacked than is shown', async () => {
  const file = path.join(folder, 'tree.html'), steps = 45;
  run('run', 'tree', '--steps', String(steps), '--every', '1', '--quiet', '--html', file);
  const data = JSON.parse(/<script id="affix-data"[^>]*>([^]*?)<\/script>/.exec(fs.readFileSync(file, 'utf8'))[1]);
  const bytes = data.chunks.reduce((sum, chunk) => sum + chunk.length, 0) / ((steps + 1) * data.bodies);
  assert(bytes < 2.5, `${bytes} bytes for each body and frame`);
  assert(data.look.length < 2e6, `${data.look.length} bytes for the scene`);
  const page = await open(`file://${file}`, 'panel=0&plots=0&hide=shadow&still');
  await ready(page);
  const unpacked = await page.evaluate(() => [...window.affix.viewer.source.chunks.values()].map((chunk) => [chunk.done, chunk.count]));
  assert(unpacked.every(([done, count]) => done <= 2 && count > 10), `${unpacked} frames`);
  await page.close();
});

// ---- a running simulation ----

const server = await serve('net', 'k=6', '--paused');
const live = await open(server.url);
await ready(live);

const hashOf = async (page) => {
  await page.evaluate(() => { window.affix.viewer.hash = null; window.affix.viewer.source.hash(); });
  return until(() => page.evaluate(() => window.affix.viewer.hash), 'the hash');
};
const engine = (steps) => JSON.parse(run('run', 'net', 'k=6', '--steps', String(steps), '--json')).state_hash;

await test('single steps give the state of the engine, to the bit', async () => {
  for (let k = 0; k < 3; k++) await live.click('#step');
  await live.keyboard.press('.');
  await live.evaluate(() => window.affix.viewer.source.step(16));
  await until(async () => (await frame(live)).step === 20, 'step 20');
  assert.deepEqual(await hashOf(live), {hash: engine(20), step: 20});
});

await test('the poses that are shown are those of the engine', async () => {
  run('run', 'net', 'k=6', '--steps', '20', '--quiet', '--csv', csv, '--columns', columns);
  const last = readTable(csv)[20];
  for (const body of BODIES) {
    samePose(await live.evaluate((b) => window.affix.pose(b), body), poseIn(last, body), 1e-6, 1e-6);
  }
});

await test('it plays, pauses and starts again', async () => {
  await live.keyboard.press('Space');
  await until(async () => (await frame(live)).step > 30, 'steps');
  await live.keyboard.press('Space');
  await until(() => live.evaluate(() => !window.affix.viewer.running), 'the pause');
  const {step} = await hashOf(live);
  await until(async () => (await frame(live)).step === step, 'the last step to be shown');
  await sleep(120);
  assert.equal((await hashOf(live)).step, step);
  await live.click('#reset');
  await until(async () => (await frame(live)).step === 0, 'the start');
  assert.equal((await hashOf(live)).hash, engine(0));
});

await test('100 bad messages change nothing', async () => {
  await live.evaluate(() => window.affix.viewer.source.step(10));
  await until(async () => (await frame(live)).step === 10, 'step 10');
  const bad = await Socket.open(server.port);
  assert.equal(bad.status, 101);
  const texts = ['', '{', '[]', 'null', '"play"', '{"type":7}', '{"type":"explode"}', '{"type":"step","count":0}',
    '{"type":"step","count":1e9}', '{"type":"step","count":"1"}', '{"type":"speed"}', '{"type":"speed","value":-1}',
    '{"type":"speed","value":1e400}', '{"type":"set","name":"k"}', '{"type":"set","name":"nothing","value":"3"}',
    '{"type":"set","name":"k","value":"-5"}', `{"type":"set","name":"k","value":"${'9'.repeat(80)}"}`,
    '{"type":"drag","body":-1,"point":[0,0,0],"target":[0,0,0]}', '{"type":"drag","body":999999,"point":[0,0,0],"target":[1,1,1]}',
    '{"type":"drag","body":0,"point":[0,0],"target":[0,0,0]}', '{"type":"drag","body":1.5,"point":[0,0,0],"target":[0,0,0]}',
    '{"type":"release"}', '{"type":"ack","type":"play"}', '{"type":"show","colour":"plaid"}', '{"type":"show","reactions":1}', '{"type":"show","contacts":0}',
    `{"type":"${'x'.repeat(3000)}"}`, '{"type":"pl\\u0000ay"}', '[[[[[[[['];
  let count = 0;
  for (let k = 0; k < 90; k++, count++) bad.send(texts[k % texts.length]);
  for (const first of [0x82, 0x01, 0x80, 0x83, 0xf1]) { bad.send('{"type":"play"}', first); count++; }
  bad.send(Buffer.from([0xff, 0xfe, 0x00, 0x80])); count++;
  bad.send('x'.repeat(5000)); count++;
  bad.send('{"type":"play"}'.padEnd(70000)); count++;
  await sleep(100);
  bad.close();
  const cut = await Socket.open(server.port); // a head that promises more than ever comes
  cut.stream.write(Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4])); count++;
  const early = await Socket.open(server.port); // no mask
  early.stream.write(Buffer.from([0x81, 0x02, 0x7b, 0x7d])); count++;
  await sleep(150);
  cut.close();
  early.close();
  assert(count >= 100, `${count} messages`);
  assert.equal(server.code, undefined, 'the server lives');
  assert.deepEqual(await hashOf(live), {hash: engine(10), step: 10});
  assert.match(server.log, /ignored/);
});

await test('other sites and other names are refused', async () => {
  const status = async (headers) => {
    const socket = await Socket.open(server.port, headers);
    socket.close();
    return socket.status;
  };
  assert.equal(await status({Origin: `http://127.0.0.1:${server.port}`}), 101);
  assert.notEqual(await status({Origin: 'http://evil.example'}), 101);
  assert.notEqual(await status({Origin: 'null'}), 101);
  assert.notEqual(await status({Host: `evil.example:${server.port}`}), 101);
  for (const [url, want] of [['', 200], ['index.html', 200], ['page.html', 404], ['socket/', 404], ['../etc/passwd', 404], ['..%2fetc%2fpasswd', 404]]) {
    const answer = await fetch(server.url + url);
    assert.equal(answer.status, want, url);
  }
  assert.equal((await fetch(server.url, {method: 'POST', body: 'x'})).status, 405);
});

await test('a body that is dragged comes along', async () => {
  await live.click('#reset');
  await live.evaluate(() => window.affix.viewer.source.play());
  await sleep(300);
  const body = await live.evaluate(() => { // a link at the free end
    const {scene, stage} = window.affix.viewer;
    let best = -1, far = -Infinity;
    for (let b = 0; b < scene.bodies; b++) {
      const at = window.affix.project(window.affix.pose(b).slice(0, 3)), hit = stage.bodies.pick(stage.ray(...at));
      if (scene.arrays.body_kind[b] === 0 && hit?.body === b && at[1] > far && at[1] < 380) { far = at[1]; best = b; }
    }
    return best;
  });
  assert(body >= 0);
  await live.keyboard.press('Space');
  await until(() => live.evaluate(() => !window.affix.viewer.running), 'the pause');
  await sleep(100);
  await live.evaluate(() => { window.affix.viewer.stage.touched = true; }); // the camera stays where it is
  const from = await live.evaluate((b) => window.affix.project(window.affix.pose(b).slice(0, 3)), body);
  await live.mouse.move(...from);
  await live.mouse.down();
  const held = await live.evaluate(() => window.affix.viewer.pointer.held?.body);
  assert(held >= 0, 'something is held');
  await live.mouse.move(from[0] + 20, from[1] - 40, {steps: 3});
  await live.mouse.move(from[0] + 60, from[1] - 90, {steps: 4});
  const target = await live.evaluate(() => window.affix.viewer.pointer.held.target);
  const distance = () => live.evaluate(([b, at]) => Math.hypot(...window.affix.pose(b).slice(0, 3).map((x, n) => x - at[n])), [held, target]);
  const before = await distance();
  await live.keyboard.press('Space');
  await until(async () => await distance() < 0.4 * before, 'the body to come to the mouse', 40000);
  await live.mouse.up();
  await until(async () => await distance() > 0.6 * before, 'the body to fall back', 40000);
  await live.keyboard.press('Space');
  await live.evaluate(() => window.affix.viewer.stage.fit());
});

await test('a parameter changes the scene, and a wrong one is told', async () => {
  await live.keyboard.press('o');
  await live.fill('#parameter-k', '4');
  await live.press('#parameter-k', 'Enter');
  await until(() => live.evaluate(() => window.affix.viewer.scene.bodies === 16 + 24 && window.affix.ready), '40 bodies');
  assert.equal(await live.textContent('#title'), 'net k=4');
  await live.fill('#parameter-k', '-3');
  await live.press('#parameter-k', 'Enter');
  await until(async () => /2 to 5000/.test(await live.textContent('#parameter-error')), 'the error');
  assert.equal(await live.evaluate(() => window.affix.viewer.scene.bodies), 40);
});

await test('two pages watch one run, and one that does not read holds nobody up', async () => {
  const other = await open(server.url), deaf = await Socket.open(server.port);
  deaf.stream.pause();
  await ready(other);
  await live.evaluate(() => window.affix.viewer.source.play());
  const {step} = await frame(live);
  await until(async () => (await frame(live)).step > step + 60, 'steps');
  await live.evaluate(() => window.affix.viewer.source.pause());
  let poses = [];
  await until(async () => {
    const steps = [(await frame(live)).step, (await frame(other)).step];
    poses = [await live.evaluate(() => window.affix.pose(9)), await other.evaluate(() => window.affix.pose(9))];
    steps.push((await frame(live)).step, (await frame(other)).step); // a frame may have come in between
    return steps.every(own => own === steps[0]);
  }, 'both to stand at the same step');
  assert.deepEqual(poses[0], poses[1]);
  assert.deepEqual(other.problems, []);
  deaf.close();
  await other.close();
});

await test('the live page had nothing to complain about, and the server ends when told', async () => {
  assert.deepEqual(live.problems, []);
  await live.close();
  assert.equal(await stop(server), 0);
});

await test('contacts are those of the engine, and a plane is ground', async () => {
  const ground = await serve('incline', 'mu=0.8', 'angle=20', '--paused'), page = await open(ground.url, 'panel=0&plots=0&show=contacts');
  await ready(page);
  await page.evaluate(() => window.affix.viewer.source.step(50));
  await until(async () => (await frame(page)).step === 50, 'step 50');
  const seen = await page.evaluate(() => {
    const {frame, viewer: {stage}} = window.affix, sum = [0, 0, 0], points = [];
    stage.render(Infinity);
    for (let k = 0; k < frame.contacts.length; k += 10) {
      points.push([...frame.contacts.slice(k, k + 3)]);
      for (let n = 0; n < 3; n++) sum[n] += frame.contacts[k + 6] * frame.contacts[k + 3 + n] + frame.contacts[k + 7 + n];
    }
    return {sum, points, touching: frame.touching, dots: stage.overlay.dots.count, planes: stage.ground.planes.length,
      below: stage.ground.below.mesh.visible, span: stage.ground.span};
  });
  // The box of 1 x 1 x 0.5 m and 500 kg stands on its four corners, and they carry its weight, friction included.
  assert(Math.hypot(seen.sum[0], seen.sum[1], seen.sum[2] - 500 * 9.81) < 5, `${seen.sum}`);
  assert.deepEqual([seen.points.length, seen.touching, seen.dots], [4, 4, 4]);
  for (const [x, , z] of seen.points) assert(Math.abs(x * Math.sin(Math.PI / 9) + z * Math.cos(Math.PI / 9)) < 1e-3, 'on the plane');
  assert.deepEqual([seen.planes, seen.below], [1, false]);
  assert(seen.span < 3, 'the plane does not count for the camera');
  await page.keyboard.press('k');
  await until(() => page.evaluate(() => !window.affix.frame.contacts), 'frames without contacts');
  assert.deepEqual(page.problems, []);
  await page.close();
  assert.equal(await stop(ground), 0);
});

await test('a replay has the reactions too', async () => {
  const file = path.join(folder, 'hang.html');
  run('run', 'pendulum', '--steps', '80', '--every', '1', '--quiet', '--html', file, '--csv', csv, '--columns', 'time,reaction:0');
  const told = readTable(csv), page = await open(`file://${file}`, 'panel=0&plots=0&still');
  await ready(page);
  await page.keyboard.press('v');
  for (const k of [70, 10]) {
    await page.evaluate((f) => window.affix.viewer.source.seek(f), k);
    const seen = await page.evaluate(() => [...window.affix.frame.reactions.slice(0, 3)]);
    const want = Math.hypot(...['fx', 'fy', 'fz'].map((c) => told[k][`reaction:0.${c}`]));
    assert(want > 0 && Math.abs(Math.hypot(...seen) - want) < 1e-3 * want, `${seen} is not ${want} N`);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

await test('the energy book is plotted, recorded and live', async () => {
  const file = path.join(folder, 'book.html'), work = 'time,work.contact_friction,work.contact_normal,work.integrator,work.impacts';
  const books = () => {
    const {plots} = window.affix.viewer, panel = plots.panels.find((p) => p.panel.title === 'Energy book');
    return panel && {time: plots.time.slice(), lines: Object.fromEntries(panel.panel.series.map(([label], n) => [label, panel.data[n].slice()]))};
  };
  run('run', 'incline', 'mu=0.1', 'angle=20', '--steps', '60', '--every', '1', '--quiet', '--energy-book', '--html', file, '--csv', csv, '--columns', work);
  const told = readTable(csv), near = (got, want, what) => assert(Math.abs(got - want) <= 1e-4 * (1 + Math.abs(want)), `${what}: ${got} is not ${want} J`);
  const page = await open(`file://${file}`, 'panel=0&hide=shadow&still');
  await ready(page);
  assert.equal(await page.evaluate(books), undefined, 'not asked for');
  await page.evaluate(() => window.affix.viewer.show('book', true));
  const recorded = await page.evaluate(books);
  assert.equal(recorded.time.length, told.length);
  assert(told[60]['work.contact_friction'] < -1, 'it slides');
  for (const k of [10, 60]) {
    near(recorded.lines.friction[k], told[k]['work.contact_friction'], 'friction');
    near(recorded.lines.contact[k], told[k]['work.contact_normal'], 'contact');
    near(recorded.lines.integrator[k], told[k]['work.integrator'], 'integrator');
    near(recorded.lines['limits, impacts'][k], told[k]['work.impacts'], 'impacts');
    near(recorded.lines.springs[k], 0, 'springs');
  }
  await page.evaluate(() => window.affix.viewer.show('book', false));
  assert.equal(await page.evaluate(books), undefined, 'no longer asked for');
  assert.deepEqual(page.problems, []);
  await page.close();
  const slide = await serve('incline', 'mu=0.1', 'angle=20', '--paused'), live = await open(slide.url, 'panel=0&show=book');
  await ready(live);
  await live.evaluate(() => window.affix.viewer.source.step(60));
  await until(async () => (await frame(live)).step === 60, 'step 60');
  near((await live.evaluate(books)).lines.friction.at(-1), told[60]['work.contact_friction'], 'live friction');
  await live.evaluate(() => window.affix.viewer.source.reset());
  await until(async () => (await frame(live)).step === 0, 'the start');
  await live.evaluate(() => window.affix.viewer.source.step(10));
  await until(async () => (await frame(live)).step === 10, 'step 10');
  near((await live.evaluate(books)).lines.friction.at(-1), told[10]['work.contact_friction'], 'a new book after a reset');
  assert.deepEqual(live.problems, []);
  await live.close();
  assert.equal(await stop(slide), 0);
});

await test('a replay has the contacts too', async () => {
  const file = path.join(folder, 'incline.html');
  run('run', 'incline', 'mu=0.8', 'angle=20', '--steps', '70', '--every', '1', '--quiet', '--html', file);
  const page = await open(`file://${file}`, 'panel=0&plots=0&still');
  await ready(page);
  assert.equal(await page.evaluate(() => window.affix.frame.contacts), undefined, 'not asked for');
  await page.keyboard.press('k');
  for (const k of [66, 50]) {
    await page.evaluate((f) => window.affix.viewer.source.seek(f), k);
    const seen = await page.evaluate(() => {
      const {frame, viewer: {stage}} = window.affix, c = [...frame.contacts], sum = [0, 0, 0];
      stage.render(Infinity);
      for (let k = 0; k < c.length; k += 10) for (let n = 0; n < 3; n++) sum[n] += c[k + 6] * c[k + 3 + n] + c[k + 7 + n];
      return {c, sum, touching: frame.touching, dots: stage.overlay.dots.count};
    });
    assert.deepEqual([seen.c.length, seen.touching, seen.dots], [40, 4, 4]);
    const weight = 500 * 9.81; // rounded to parts of 127 and 1023
    assert(Math.hypot(seen.sum[0], seen.sum[1], seen.sum[2] - weight) < 0.01 * weight, `${seen.sum}`);
    for (let k = 0; k < 40; k += 10) assert(Math.abs(seen.c[k] * Math.sin(Math.PI / 9) + seen.c[k + 2] * Math.cos(Math.PI / 9)) < 2e-3);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

/** What the strip of solver iterations knows, and whether it is drawn. */
const lane = (page) => page.evaluate(() => {
  const {lane} = window.affix.viewer, {canvas} = lane;
  lane.dirty = true;
  lane.drawn = 0;
  lane.draw(1e9);
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let k = 0; k < pixels.length; k += 4) if (pixels[k + 3] === 255) colours.add(pixels.slice(k, k + 3).join());
  return {colours: colours.size, shown: canvas.clientHeight, frames: lane.frames.map(({step, solves, reason}) => [step, solves, lane.reasons[reason]?.[0]])};
});

await test('a strip tells solver iterations and their reasons', async () => {
  const file = path.join(folder, 'strip.html'), trace = path.join(folder, 'strip.jsonl');
  run('run', 'falling-joints', 'pairs=3', '--steps', '80', '--quiet', '--every', '1', '--html', file, '--trace', trace);
  const lines = fs.readFileSync(trace, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const page = await open(`file://${file}`, 'still&plots=0&panel=0');
  await ready(page);
  const {colours, shown, frames} = await lane(page);
  assert.equal(frames.length, 81);
  assert(colours >= 3 && shown > 5, `${colours} colours, ${shown} pixels high`);
  for (const [step, solves, reason] of frames.slice(1)) {
    const counts = new Map();
    const own = lines.filter((line) => line.event === 'solve' && line.step === step);
    for (const line of own) if (line.verdict !== 'accept') counts.set(line.reason, (counts.get(line.reason) || 0) + 1);
    assert.equal(solves, Math.max(...own.map((line) => line.solve))); // of the island that took most
    assert.equal(counts.get(reason) || 0, Math.max(0, ...counts.values()), `step ${step}: ${reason}`);
  }
  const most = frames.reduce((a, f, k) => f[1] > frames[a][1] ? k : a, 0), box = await page.locator('#lane').boundingBox();
  const place = [(most + 0.5) / frames.length * box.width, box.height / 2];
  await page.mouse.move(box.x + place[0], box.y + place[1]);
  assert.match(await page.getAttribute('#lane', 'title'), new RegExp(`step ${most}, .*: ${frames[most][1]} solver iterations \\(.+\\)`));
  await page.mouse.click(box.x + place[0], box.y + place[1]);
  await until(async () => (await frame(page)).step === most, 'the click to go there');
  assert.deepEqual(page.problems, []);
  await page.close();
  const server = await serve('falling-joints', 'pairs=3', '--paused');
  const live = await open(server.url, 'plots=0&panel=0');
  await ready(live);
  await live.evaluate(() => window.affix.viewer.source.step(100));
  await until(async () => (await lane(live)).frames.some(([, solves, reason]) => solves > 1 && reason !== 'fine'), 'reasons in a live run');
  assert.deepEqual(live.problems, []);
  await live.close();
  await stop(server);
});

await test('an error in a scene is shown with its place', async () => {
  const file = path.join(folder, 'broken.json');
  fs.writeFileSync(file, '{\n  "affix_scene": 1,\n  "bodies": [\n    {"name": "a", "mass": -1}\n  ]\n}\n');
  const broken = await serve(file, '--no-reload'), page = await open(broken.url);
  await page.waitForSelector('#message.bad', {timeout: 15000});
  assert.match(await page.textContent('#message-place'), /broken\.json:4: body "a"/);
  assert.match(await page.textContent('#message-text'), /mass is negative/);
  fs.writeFileSync(file, '{"affix_scene": 1}\n'); // put right: it has nothing to show, and says so
  await page.click('#message-button');
  await page.waitForFunction(() => /no bodies/.test(document.getElementById('message-text').textContent), null, {timeout: 15000});
  await page.close();
  assert.equal(await stop(broken), 0);
});

await test('? lists the keys, and they do what it says', async () => {
  const page = await open(`file://${html}`);
  await ready(page);
  await page.keyboard.press('?');
  const keys = await page.$$eval('#help[open] kbd', (list) => list.map((key) => key.textContent));
  const table = fs.readFileSync('docs/viewer.md', 'utf8').split('## Keys')[1].split('The address')[0];
  const told = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`(.)`|space/g)].map(([, key]) => key || 'Space'));
  assert(told.length > 20, `${told}`);
  for (const key of told) assert(keys.some((k) => k.replace('−', '-').split(' ').includes(key)), `${key} is not in the list`);
  await page.keyboard.press('?');
  assert.equal(await page.$('#help[open]'), null);
  const layers = () => page.evaluate(() => ({...window.affix.viewer.stage.shown}));
  for (const [key, layer] of [['j', 'joints'], ['a', 'axes'], ['m', 'markers'], ['k', 'contacts'], ['g', 'ground']]) {
    const before = (await layers())[layer];
    await page.keyboard.press(key);
    assert.equal((await layers())[layer], !before, key);
  }
  const light = await page.evaluate(() => document.documentElement.classList.contains('light'));
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.classList.contains('light')), !light);
  await page.keyboard.press('h');
  assert(await page.isHidden('#bar'));
  assert.deepEqual(page.problems, []);
  await page.close();
});

await test('a run of another program is watched, and cannot be stepped from here', async () => {
  const file = path.join(folder, 'four-bar.live');
  const watching = await serve(file), page = await open(watching.url); // before there is one
  const told = JSON.parse(run('run', 'four-bar', '--steps', '30', '--json', '-o', file));
  await ready(page);
  await until(async () => (await frame(page)).step === 30, 'step 30');
  for (const id of ['#play', '#step', '#reset', '#speed']) assert(await page.isHidden(id), id);
  await page.evaluate(() => { const {source} = window.affix.viewer; source.play(); source.step(5); source.reset(); });
  assert.deepEqual(await hashOf(page), {hash: told.state_hash, step: 30});
  run('run', 'four-bar', '--steps', '50', '--quiet', '-o', file);
  await until(async () => (await frame(page)).step === 50, 'step 50');
  run('run', 'klann', '--steps', '5', '--quiet', '-o', file); // another scene in its place
  await until(() => page.evaluate(() => window.affix.viewer.scene.bodies === 6 && window.affix.frame.step === 5), 'another scene');
  assert.deepEqual(page.problems, []);
  await page.close();
  await stop(watching);
});

await test('a phone sees the picture and its buttons', async () => {
  const page = await browser.newPage({viewport: {width: 360, height: 640}, hasTouch: true});
  await page.goto(`file://${html}`);
  await ready(page);
  for (const inside of ['#bar', '#bar button', '#bar select', '#scrub', '#top', '#top button']) {
    for (const part of await page.locator(inside).all()) {
      const box = await part.boundingBox();
      assert(box.x >= 0 && box.x + box.width <= 360, `${inside}: from ${box.x} on ${box.width}`);
    }
  }
  assert((await page.locator('#scrub').boundingBox()).width >= 40);
  assert(await page.isHidden('#plots') && await page.isHidden('#panel'));
  assert((await page.screenshot()).length > 5000, 'it is not blank');
  await page.close();
});

await testTools(open, ready);
await browser.close();
finish();
