/** Opens the attacker's page on an untrusted origin, and passes it the messages to send. */
import { type Attack, type HarnessMessage, isHarnessMessage } from '../world.ts';
import { world } from './page-world.ts';

/** @param frame undefined: a popup is opened */
export function startAttacker(frame: HTMLIFrameElement | undefined, attack: Attack): void {
  const url = `${world.origins.stranger}/attacker.html?from=${attack.from}`;
  let target: Window | null | undefined;
  addEventListener('message', ({ data, source }) => {
    if (!isHarnessMessage(data) || source !== target) return;
    if (data.harness === 'ready') {
      target?.postMessage({ harness: 'attack', attack } satisfies HarnessMessage, '*');
    } else if (!frame) {
      target?.close();
    }
  });
  if (frame) frame.src = url;
  target = frame ? frame.contentWindow : window.open(url);
}
