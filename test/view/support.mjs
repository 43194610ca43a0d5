// SPDX-License-Identifier: Apache-2.0
// What the tests of the viewer share: a count of results, the program, the browser, and a WebSocket that can misbehave.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {spawn, spawnSync} from 'node:child_process';
import {pathToFileURL} from 'node:url';

const [affix, modules, browserPath] = process.argv.slice(2);
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'affix-view-'));
const running = new Set();
let failed = 0;

export async function test(name, body) {
  try {
    await body();
    console.log(`ok - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok - ${name}\n${String(error && error.stack || error).replace(/^/gm, '    ')}`);
  }
}

/** Runs the program to its end. @param {...string} words */
export function run(...words) {
  const result = spawnSync(affix, words, {encoding: 'utf8', maxBuffer: 1 << 28});
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

/** A table of numbers with names. @param {string} file */
export function readTable(file) {
  const [names, ...rows] = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(names.map((name, k) => [name, Number(row[k])])));
}

/** Starts `affix view` and waits for its address. @param {...string} words */
export function serve(...words) {
  return new Promise((resolve, reject) => {
    const child = spawn(affix, ['view', ...words], {stdio: ['ignore', 'pipe', 'pipe']});
    const server = {child, log: '', url: '', port: 0};
    running.add(child);
    child.stdout.on('data', (data) => {
      const match = /http:\/\/[^ ]*:(\d+)\//.exec(data);
      if (!match) return;
      server.url = match[0];
      server.port = Number(match[1]);
      resolve(server);
    });
    child.stderr.on('data', (data) => { server.log += data; });
    child.on('exit', (code) => { running.delete(child); server.code = code; reject(new Error(`affix view ended: ${server.log}`)); });
  });
}

export async function stop(server) {
  const ended = new Promise((resolve) => server.child.on('exit', resolve));
  server.child.kill('SIGTERM');
  return ended;
}

export async function openBrowser() {
  const {chromium} = await import(pathToFileURL(path.join(modules, 'node_modules/playwright-core/index.mjs')).href);
  return chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-dev-shm-usage']});
}

export function finish() {
  for (const child of running) child.kill('SIGKILL');
  fs.rmSync(folder, {recursive: true, force: true});
  process.exit(failed ? 1 : 0);
}

/** A WebSocket by hand. */
export class Socket {
  static open(port, headers = {}) {
    return new Promise((resolve) => {
      const socket = new Socket();
      socket.status = 0;
      const all = {Host: `127.0.0.1:${port}`, Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': crypto.randomBytes(16).toString('base64'), ...headers};
      socket.stream = net.connect(port, '127.0.0.1', () => {
        socket.stream.write(`GET /socket HTTP/1.1\r\n${Object.entries(all).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
      });
      socket.stream.once('data', (data) => {
        const line = data.toString('latin1').split('\r\n')[0];
        socket.status = Number(line.split(' ')[1]);
        resolve(socket);
      });
      socket.stream.on('error', () => { socket.closed = true; });
      socket.stream.on('close', () => { socket.closed = true; if (!socket.status) resolve(socket); }); // refused
    });
  }

  /** @param {Buffer|string} data @param {number} first the first byte: 0x81 is a whole text */
  send(data, first = 0x81) {
    const bytes = Buffer.from(data), size = bytes.length, mask = crypto.randomBytes(4);
    const head = size < 126 ? Buffer.from([first, 0x80 | size])
        : size < 65536 ? Buffer.from([first, 0xfe, size >> 8, size & 255])
        : Buffer.concat([Buffer.from([first, 0xff]), (() => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(size)); return b; })()]);
    const masked = Buffer.from(bytes.map((byte, k) => byte ^ mask[k % 4]));
    this.stream.write(Buffer.concat([head, mask, masked]));
  }

  close() { this.stream.destroy(); }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something holds. @param {() => any} check @param {string} what @param {number} limit ms */
export async function until(check, what, limit = 15000) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await check();
    if (value) return value;
    assert(Date.now() < end, `waited too long for ${what}`);
    await sleep(30);
  }
}
