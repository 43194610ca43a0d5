// SPDX-License-Identifier: Apache-2.0
// strangers.mjs AFFIX MODULES BROWSER: what others can do to a viewer that runs: connections that say nothing, names that are not
// ours, and scenes whose names are markup, in a real browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import {Socket, finish, folder, openBrowser, run, serve, sleep, stop, test, until} from './support.mjs';

/** A connection that says `text`, and no more. */
function half(port, text, from = '127.0.0.1') {
  const stream = net.connect({port, host: '127.0.0.1', localAddress: from});
  stream.on('error', () => {});
  stream.on('connect', () => stream.write(text));
  stream.resume(); // or its end is never seen
  stream.on('close', () => { stream.gone = true; });
  return stream;
}

/** The status of one request for the page, 0 where it was not answered. */
const ask = (port, headers = {}, from = '127.0.0.1') => new Promise((resolve) => {
  const request = http.get({port, host: '127.0.0.1', localAddress: from, agent: false, headers: {Host: `127.0.0.1:${port}`, ...headers}, timeout: 20000}, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode));
    answer.on('error', () => resolve(0));
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(0));
});

// ---- connections ----

const server = await serve('pendulum', '--paused');
const watching = await Socket.open(server.port);
assert.equal(watching.status, 101);

await test('connections that say nothing hold nobody up', async () => {
  for (const text of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
    const idle = [];
    for (let k = 0; k < 200; k++) idle.push(half(server.port, text, '127.0.0.2'));
    await sleep(200);
    for (let k = 0; k < 5; k++) assert.equal(await ask(server.port), 200, 'from another address');
    assert.equal(await ask(server.port, {}, '127.0.0.2'), 200, 'from the same one, where the oldest make room');
    const left = idle.filter((stream) => !stream.gone).length;
    assert(left <= 16, `${left} silent connections are still held`);
    idle.forEach((stream) => stream.destroy());
  }
});

await test('connections that do not take their answer hold nobody up', async () => {
  const deaf = [];
  for (let k = 0; k < 100; k++) {
    const stream = half(server.port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`, '127.0.0.3');
    stream.pause();
    deaf.push(stream);
  }
  await sleep(200);
  for (let k = 0; k < 5; k++) assert.equal(await ask(server.port), 200);
  deaf.forEach((stream) => stream.destroy());
});

await test('a silent connection is ended after a while', async () => {
  const idle = half(server.port, 'GET / HTTP/1.1\r\n', '127.0.0.4'), slow = half(server.port, 'GET', '127.0.0.4');
  const drip = setInterval(() => { if (!slow.gone) slow.write('x'); }, 200); // also one that says a little all the time
  await until(() => idle.gone && slow.gone, 'their end', 20000);
  clearInterval(drip);
});

await test('one address has so many pages, and leaves room for others', async () => {
  const pages = [];
  for (let k = 0; k < 20; k++) {
    pages.push(await Socket.open(server.port));
  }
  const welcome = pages.filter((page) => page.status === 101).length;
  assert(welcome >= 8 && welcome < 20, `${welcome} pages`);
  const other = half(server.port, `GET /socket HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`, '127.0.0.5');
  const line = await new Promise((resolve) => other.once('data', (data) => resolve(data.toString('latin1').split('\r\n')[0])));
  assert.match(line, / 101 /);
  other.destroy();
  pages.forEach((page) => page.close());
  assert(!watching.closed, 'a page that watched from the start still does');
  await until(async () => (await Socket.open(server.port)).status === 101, 'room when they are gone');
});

await test('only our own names are answered, to the letter', async () => {
  const {port} = server;
  for (const [host, want] of [[`127.0.0.1:${port}`, 200], [`localhost:${port}`, 200], [`LOCALHOST:${port}`, 200], [`[::1]:${port}`, 200],
    ['localhost', 403], ['127.0.0.1', 403], [`localhost:${port + 1}`, 403], [`localhost:${port}0`, 403], [`localhost:${port}.evil.example`, 403],
    [`localhost.evil.example:${port}`, 403], [`127.0.0.1.evil.example:${port}`, 403], [`evil.example:${port}`, 403], [`localhost:${port}@evil.example`, 403],
    ['localhost:', 403], [':', 403], [`192.0.2.1:${port}`, 403], [`[::1]evil:${port}`, 403]]) {
    assert.equal(await ask(port, {Host: host}), want, host);
  }
  const own = `127.0.0.1:${port}`; // two names: whoever stands between may have looked at the other one
  for (const [name, first, second] of [['Host', own, 'evil.example'], ['Host', own, own], ['Origin', `http://${own}`, 'http://evil.example']]) {
    const stream = half(port, `GET / HTTP/1.1\r\n${name === 'Host' ? '' : `Host: ${own}\r\n`}${name}: ${first}\r\n${name}: ${second}\r\n\r\n`, '127.0.0.1');
    const answer = await new Promise((resolve) => stream.once('data', (bytes) => resolve(String(bytes).split('\r\n')[0])));
    assert.equal(answer, 'HTTP/1.1 403 Forbidden', `${name}: ${first}, ${second}`);
  }
});

await test('the server lives, and ends when told', async () => {
  watching.close();
  assert.equal(await stop(server), 0);
});

// ---- names that are markup ----

const MARKUP = ['<img src=x onerror="window.hacked=1">', '</script><script>window.hacked=2</script>', '<svg/onload=window.hacked=3>',
  '"><script>window.hacked=4</script>', '<!--<script>', "javascript:window.hacked=5//'", '{{7*7}}${window.hacked=6}', '&lt;b&gt;&#0;'];
const scene = path.join(folder, 'x<img src=x onerror=window.hacked=7>.json');
fs.writeFileSync(scene, JSON.stringify({
  affix_scene: 1, about: '</title><script>window.hacked=8</script>',
  bodies: MARKUP.map((name, k) => ({name, position: [k, 0, 1], mass: 1, shapes: [{kind: 'box', size: [0.5, 0.5, 0.5]}], markers: [{name}]})),
  joints: MARKUP.slice(1).map((name, k) => ({name, kind: 'spherical', base: MARKUP[k], follower: name, frame: {position: [k + 0.5, 0, 1]}})),
}));

const browser = await openBrowser();

/** Opens a page, looks at everything that shows a name, and tells what ran and what was shown. */
async function look(url) {
  const page = await browser.newPage({viewport: {width: 640, height: 400}});
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.stack));
  page.on('console', (message) => { if (message.type() === 'error') page.problems.push(message.text()); });
  page.on('dialog', (dialog) => { page.problems.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(`${url}?theme=light&show=joints,markers,axes`);
  await page.waitForFunction(() => window.affix?.ready, null, {timeout: 20000});
  const shown = [];
  for (let k = 0; k < MARKUP.length; k++) {
    shown.push(await page.evaluate((body) => {
      window.affix.viewer.pick(body);
      return document.getElementById('body-text').textContent.split(' (moving)')[0];
    }, k));
  }
  await sleep(200); // what would load or run does so now
  const seen = await page.evaluate(() => ({hacked: window.hacked, scripts: document.scripts.length,
    foreign: document.querySelectorAll('img, iframe, object, embed, [onerror], [onload]').length, title: document.title}));
  return {page, shown, seen};
}

await test('a scene whose names are markup shows them as text, live', async () => {
  const view = await serve(scene, '--paused'), {page, shown, seen} = await look(view.url);
  assert.deepEqual(shown, MARKUP);
  assert.equal(seen.hacked, undefined);
  assert.deepEqual([seen.scripts, seen.foreign], [1, 0]);
  assert.deepEqual(page.problems, []);
  await page.close();
  await stop(view);
});

const replay = path.join(folder, 'names.html');
run('run', scene, '--steps', '20', '--quiet', '--html', replay);

await test('and in a replay', async () => {
  const {page, shown, seen} = await look(`file://${replay}`);
  assert.deepEqual(shown, MARKUP);
  assert.equal(seen.hacked, undefined);
  assert.deepEqual([seen.scripts, seen.foreign], [1, 0]);
  assert.deepEqual(page.problems, []);
  await page.close();
});

await test('an error that quotes markup is shown as text', async () => {
  const file = path.join(folder, 'broken.json');
  fs.writeFileSync(file, JSON.stringify({affix_scene: 1, bodies: [{name: MARKUP[0], mass: -1}]}));
  const view = await serve(file), page = await browser.newPage();
  await page.goto(view.url);
  await page.waitForSelector('#message.bad', {timeout: 15000});
  assert((await page.textContent('#message-place')).includes(MARKUP[0]));
  await sleep(200);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.close();
  await stop(view);
});

await test('a script that got into the page all the same is not run', async () => {
  // The page as it is, and with a script put in by hand: only the policy is between it and the reader.
  const bad = path.join(folder, 'bad.html'), text = fs.readFileSync(replay, 'utf8');
  fs.writeFileSync(bad, text.replace('<canvas', '<script>window.hacked=1</script><img src="x" onerror="window.hacked=2"><canvas'));
  const page = await browser.newPage();
  await page.goto(`file://${bad}`);
  await page.waitForFunction(() => window.affix?.ready, null, {timeout: 20000});
  await sleep(200);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.close();
  const view = await serve('pendulum', '--paused'), answer = await fetch(view.url), policy = answer.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
  assert.match(await answer.text(), /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  await stop(view);
});

await test('two runs of one scene give the same page, byte for byte', async () => {
  const again = path.join(folder, 'again.html');
  run('run', scene, '--steps', '20', '--quiet', '--html', again, '--threads', '2');
  assert(fs.readFileSync(replay).equals(fs.readFileSync(again)));
});

await browser.close();
finish();
