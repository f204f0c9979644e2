/** The end of an adapter, and the holders that delay it. */
import type { AdapterContext } from './adapter-context.ts';
import { PluginError } from './plugin-error.ts';

/** Delays `destroy` until the returned function is called. */
export function retain(context: AdapterContext): () => void {
  const holder = {};
  context.holders.add(holder);
  return () => {
    context.holders.delete(holder);
    if (context.isEnding) destroy(context);
  };
}

/** Ends everything after the current task, or after the last holder has released the adapter. */
export function destroy(context: AdapterContext): void {
  context.isEnding = true;
  setTimeout(() => {
    if (context.holders.size) return;
    context.initial = undefined;
    context.latest = undefined;
    context.session = undefined;
    context.life.abort(new PluginError('ERR_DESTROYED', 'Adapter was destroyed'));
  });
}
