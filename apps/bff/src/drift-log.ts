/** Tells once per process which members of events the schema does not know: names and types, never values. */
import { describeDrift, type LifecycleEvent, lifecycleEventSchemas } from '@dowel/schema';
import type { Logger } from 'pino';

/** An event with ever new names cannot fill the memory. */
const maxKnown = 500;

export type DriftLog = ReturnType<typeof createDriftLog>;

export function createDriftLog(logger: Logger) {
  const known = new Set<string>();

  return {
    add(event: LifecycleEvent): void {
      for (const { pointer, type } of describeDrift(lifecycleEventSchemas[event.sub], event)) {
        const name = `${event.sub} ${pointer} ${type}`;
        if (known.has(name) || known.size >= maxKnown) continue;
        known.add(name);
        logger.info({ event: event.sub, pointer, type }, 'event.drift');
      }
    },
  };
}
