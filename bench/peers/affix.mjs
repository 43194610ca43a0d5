// SPDX-License-Identifier: Apache-2.0
// Affix itself in WebAssembly (bench/peers/build makes it where Emscripten is there): what WebAssembly costs.
import fs from 'node:fs';
import path from 'node:path';
import { main, require, ROW } from './peer.mjs';

const folder = path.join(process.env.PEER_DRIVERS, 'wasm');
const affix = await require(`${folder}/affix.js`)({ wasmBinary: fs.readFileSync(`${folder}/affix.wasm`) });

async function create(scene, run) {
    const at = affix.ccall('wasm_create', 'number', ['string', 'string', 'number'], [run.scene, run.variant, run.h]);
    const step = () => {
        if (affix._wasm_step(at) === 0) {
            throw new Error('failed');
        }
    };
    const read = (states) => {
        const first = affix._wasm_read(at) / 8;
        states.set(affix.HEAPF64.subarray(first, first + scene.bodies.length * ROW));
    };
    return { step, read };
}

await main('affix', affix.ccall('wasm_version', 'string', [], []), create);
