import { cleanup, render } from '@testing-library/react';
import { onTestFinished } from 'vitest';
import { createAdmin } from '../create-admin.tsx';
import type { FakeBff } from './fake-bff.ts';

/** A stream of changes that the test controls. */
class FakeChanges extends EventTarget {
  readyState = 1;
  close = () => {};

  announce(installationId: string): void {
    const data = JSON.stringify({ installationId });
    this.dispatchEvent(new MessageEvent('changed', { data }));
  }
}

/** Shows the dashboard at an address of this browser. */
export function renderAdmin(bff: FakeBff, path: string) {
  window.history.replaceState(null, '', `/admin${path}`);
  const changes = new FakeChanges();
  const { element, router } = createAdmin({
    fetch: bff.fetch,
    openChanges: () => changes,
    env: 'test',
  });
  render(element);
  onTestFinished(() => {
    cleanup();
    router.history.destroy();
  });
  return { changes };
}
