import type { HookData, HookDelivery, Hooks } from './hooks.ts';

/**
 * Uses one function for several hooks. `delivery.event` is the hook's name, and narrows `delivery.data`.
 *
 * @example
 * const countWidgets = defineHook(['instanceAdded', 'instanceRemoved'], ({ event, data }) => {
 *   const count = widgets.get(data.instanceId) ?? 0;
 *   widgets.set(data.instanceId, event === 'instanceAdded' ? count + 1 : count - 1);
 * });
 *
 * @returns the hooks, to spread into those of a plug-in.
 */
export function defineHook<const Name extends keyof HookData>(
  names: readonly Name[],
  handle: (delivery: HookDelivery<Name>) => Promise<void> | void,
): Pick<Hooks, Name> {
  return Object.fromEntries(names.map((name) => [name, handle])) as Pick<Hooks, Name>;
}
