import { expect, expectTypeOf, test } from 'vitest';
import { defineHook } from './define-hook.ts';
import type { HookDelivery, Hooks } from './hooks.ts';

test('one function serves several hooks, and the event narrows the facts', () => {
  const hooks = defineHook(['installed', 'uninstalled'], (delivery) => {
    expectTypeOf(delivery).toEqualTypeOf<HookDelivery<'installed' | 'uninstalled'>>();
    if (delivery.event === 'installed') {
      expectTypeOf(delivery.data.isReinstall).toEqualTypeOf<boolean>();
      void delivery.platform.fetch('/users');
    } else {
      expectTypeOf(delivery.platform).toEqualTypeOf<undefined>();
      // @ts-expect-error: no token is left to call with
      expect(() => delivery.platform.fetch('/users')).toThrow();
    }
  });

  expectTypeOf(hooks).toExtend<Hooks>();
  expect(Object.keys(hooks)).toEqual(['installed', 'uninstalled']);
});
