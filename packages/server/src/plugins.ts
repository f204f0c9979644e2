/** The plug-ins that one server serves, each with its own manifest, addresses and routes. */
import type { Manifest } from '@dowel/schema';
import type { EventAddress } from './events/event-addresses.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { OperationTable } from './operations/operation.ts';

export interface ServedPlugin {
  /** The store remembers it with each installation. '' for the only one. */
  name: string;
  manifest: Manifest;
  /** As it is served. */
  manifestText: string;
  addresses: readonly EventAddress[];
  /** Its built pages. Undefined: they are served elsewhere. */
  frontend?: { directory: string } | undefined;
  /** What its pages may call. Default: nothing. */
  operations?: OperationTable | undefined;
  /** Called when something has happened to its installations. Default: none. */
  hooks?: Hooks | undefined;
}

/** The path below the base path: '' or `/polls`. */
export function prefixOf({ name }: Pick<ServedPlugin, 'name'>): string {
  return name === '' ? '' : `/${name}`;
}
