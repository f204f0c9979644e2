/** The examples of the README and of the doc comments. */
import { expect, test } from 'vitest';
import { defineHook } from './define-hook.ts';
import type { Hooks } from './hooks.ts';

const delivery = {
  id: 'd1',
  sequence: 1,
  attempt: 1,
  isReplay: false,
  occurredAt: 0,
} as const;

test('the example of defineHook runs', async () => {
  const widgets = new Map<string, number>();

  const countWidgets = defineHook(['instanceAdded', 'instanceRemoved'], ({ event, data }) => {
    const count = widgets.get(data.instanceId) ?? 0;
    widgets.set(data.instanceId, event === 'instanceAdded' ? count + 1 : count - 1);
  });

  const data = { instanceId: 'i' };
  await countWidgets.instanceAdded?.({ ...delivery, event: 'instanceAdded', data } as never);
  expect(widgets.get('i')).toBe(1);
});

test('the hooks of the README run', async () => {
  const licences = new Set(['t1']);
  const opened: string[] = [];
  const accounts = {
    open(id: string, lifeId: string) {
      opened.push(`${id} ${lifeId}`);
    },
    close(lifeId: string) {
      opened.push(`end of ${lifeId}`);
    },
  };

  const hooks: Hooks = {
    beforeInstall({ tenant, refuse }) {
      if (!licences.has(tenant.id)) return refuse('Please buy a licence first');
    },
    installed: ({ id, installation }) => accounts.open(id, installation.lifeId),
    uninstalled: ({ installation }) => accounts.close(installation.lifeId),
  };

  const late = { ...delivery, installation: { lifeId: 'i.1' } } as never;
  await hooks.installed?.(late);
  await hooks.uninstalled?.(late);
  expect(opened).toEqual(['d1 i.1', 'end of i.1']);
  const refuse = (message: string): never => {
    throw new Error(message);
  };
  expect(() => hooks.beforeInstall?.({ tenant: { id: 't2' }, refuse } as never)).toThrow('licence');
});
