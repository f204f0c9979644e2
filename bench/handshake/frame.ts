/** Runs in each frame: one cold handshake, then warm ones, one after another. */
import { comlink } from './comlink.ts';
import { dowel } from './dowel.ts';
import { floor } from './floor.ts';
import { penpal } from './penpal.ts';
import { predecessor } from './predecessor.ts';
import type { Contender, FrameSetting, Sample } from './setting.ts';

const contenders: Record<string, Contender> = { comlink, dowel, floor, penpal, predecessor };

const setting: FrameSetting = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const create = contenders[setting.contender];
if (!create) throw new Error(`No contender is called ${setting.contender}`);

// First-time work of the page and the browser is done: fonts, styles, processes of this and the
// last frame.
await new Promise((resolve) => setTimeout(resolve, 400));
await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));
const samples: Sample[] = [];
let startedAt = performance.now();
const shakeHands = create(setting);
for (let run = 0; run <= setting.warmRuns; run += 1) {
  const jti = await shakeHands();
  samples.push({ jti, totalMs: performance.now() - startedAt });
  await new Promise((resolve) => setTimeout(resolve));
  startedAt = performance.now();
}
parent.postMessage({ benchmark: setting.srcId, samples }, '*');
