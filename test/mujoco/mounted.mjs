// SPDX-License-Identifier: Apache-2.0
// MuJoCo's WebAssembly build with a folder of files in it. Pictures that are not there are made, so that models load.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import zlib from 'node:zlib';

const MOUNT = '/models';

function copyTree(mujoco, from, to) {
  mujoco.FS.mkdirTree(to);
  for (const entry of fs.readdirSync(from, {withFileTypes: true})) {
    const source = path.join(from, entry.name), target = `${to}/${entry.name}`;
    if (entry.isDirectory()) copyTree(mujoco, source, target);
    else mujoco.FS.writeFile(target, fs.readFileSync(source));
  }
}

/** MuJoCo from the folder that test/mujoco/install filled, with all files below `root`. */
export async function mount(modules, root) {
  const {default: load} = await import(pathToFileURL(path.join(modules, 'node_modules/@mujoco/mujoco/mujoco.js')).href);
  const mujoco = await load({print: () => {}, printErr: () => {}});
  copyTree(mujoco, root, MOUNT);
  return mujoco;
}

// ---- a picture for textures that are not there ----

function crc(bytes) {
  let c = ~0;
  for (const b of bytes) {
    c ^= b;
    for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  }
  return ~c >>> 0;
}

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind), data]), out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function picture() {
  const size = 12, header = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 2, 0, 0, 0]);
  const rows = Buffer.alloc(size * (1 + 3 * size), 0x80);
  for (let k = 0; k < size; k++) rows[k * (1 + 3 * size)] = 0;
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk('IHDR', header),
                        chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** A model of a file below the root, or the message why there is none. */
export function openModel(mujoco, file) {
  const full = `${MOUNT}/${file}`;
  for (let tries = 0; tries < 40; tries++) {
    try {
      return {model: mujoco.MjModel.from_xml_path(full)};
    } catch (error) {
      const message = String(error.message ?? error).replace(/\s+/g, ' ');
      const missing = message.match(/Error opening file '([^']+\.png)'/);
      if (!missing) return {message};
      const place = path.posix.resolve(path.posix.dirname(full), missing[1]);
      if (mujoco.FS.analyzePath(place).exists) return {message};
      mujoco.FS.mkdirTree(path.posix.dirname(place));
      mujoco.FS.writeFile(place, picture());
    }
  }
  return {message: 'too many pictures are missing'};
}
