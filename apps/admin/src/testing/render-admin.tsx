import { type LiveMessage, toRowPatch } from '@dowel/admin-api';
import { cleanup, render } from '@testing-library/react';
import { onTestFinished } from 'vitest';
import { createAdmin } from '../create-admin.tsx';
import type { FakeBff } from './fake-bff.ts';
import { countFleet } from './fake-list.ts';
import { serverNow } from './fixtures.ts';
import { i18nOf } from './i18n-of.ts';

/** A stream of changes that the test controls. */
class FakeChanges extends EventTarget {
  readyState = 1;
  close = () => {};

  readonly #bff: FakeBff;

  constructor(bff: FakeBff) {
    super();
    this.#bff = bff;
  }

  /** Sends the installation's current state at the BFF, and the counts. */
  announce(installationId: string): void {
    const { installations } = this.#bff;
    const row = installations.find(({ id }) => id === installationId);
    const fleet = countFleet(installations, serverNow);
    const changes = row ? { rows: [toRowPatch(row, serverNow)] } : { gone: [installationId] };
    this.send({ now: serverNow, ...changes, fleet });
  }

  /** Tells the counts alone, as they are now at the BFF. */
  announceCounts(changes: Partial<LiveMessage> = {}): void {
    this.send({
      now: serverNow,
      fleet: countFleet(this.#bff.installations, serverNow),
      ...changes,
    });
  }

  send(message: LiveMessage): void {
    this.dispatchEvent(new MessageEvent('changed', { data: JSON.stringify(message) }));
  }
}

/** jsdom has no layout: every element is as large as a screen, so lists have rows in view. */
function giveSize(): () => void {
  const sizes = { clientHeight: 800, clientWidth: 1200 };
  for (const [name, value] of Object.entries(sizes)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  return () => {
    for (const name of Object.keys(sizes)) Reflect.deleteProperty(HTMLElement.prototype, name);
  };
}

/** Shows the dashboard at an address of this browser. */
export function renderAdmin(bff: FakeBff, path: string, i18n = i18nOf()) {
  window.history.replaceState(null, '', `/admin${path}`);
  const takeSize = giveSize();
  const changes = new FakeChanges(bff);
  const { element, router } = createAdmin({
    i18n,
    // A test may replace it later.
    fetch: (...request) => bff.fetch(...request),
    openChanges: () => changes,
    env: 'test',
  });
  render(element);
  const leave = () => {
    cleanup();
    takeSize();
    router.history.destroy();
  };
  onTestFinished(leave);
  return { changes, leave };
}
