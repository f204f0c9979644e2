/** A page of another origin that has a reference to the plug-in's window and posts to it. */
import { type HarnessMessage, isHarnessMessage } from '../world.ts';

const from = new URLSearchParams(location.search).get('from');
const owner: Window = opener ?? parent;
const victim = from === 'child' ? parent : owner.frames[0];

addEventListener('message', ({ data }) => {
  if (!isHarnessMessage(data) || !data.attack) return;
  victim?.postMessage(data.attack.data, '*');
  owner.postMessage({ harness: 'done' } satisfies HarnessMessage, '*');
});
owner.postMessage({ harness: 'ready' } satisfies HarnessMessage, '*');
