/** Writes deliveries to the outbox, but only for hooks that the plug-in has. */
import type { ApplyChange } from '@dowel/installation-store';
import { type HooksByPlugin, hookOf } from './hooks.ts';

/** Writes a change to the outbox, in the transaction in which it happened. */
export function createOutbox(hooks: HooksByPlugin): ApplyChange {
  return async (stores, change) => {
    if (hookOf(hooks, change.plugin, change.event)) await stores.hooks.append(change);
  };
}
