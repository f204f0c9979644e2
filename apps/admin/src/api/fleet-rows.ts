/**
 * The installations that the page has loaded, by id. Lists hold ids only, so a change renders the one row
 * that shows it and never reloads or reorders a list.
 */
import type { FleetInstallation } from '@dowel/schema';
import { createContext, use, useCallback, useSyncExternalStore } from 'react';

type ChangeListener = (rows: readonly FleetInstallation[]) => void;

export class FleetRows {
  /** The ids of the list that was shown last, in its order. */
  listed: readonly string[] = [];

  readonly #rows = new Map<string, FleetInstallation>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #changeListeners = new Set<ChangeListener>();

  get(id: string): FleetInstallation | undefined {
    return this.#rows.get(id);
  }

  /** Keeps rows that a list has loaded. */
  load(rows: readonly FleetInstallation[]): void {
    for (const row of rows) {
      this.#rows.set(row.id, row);
      for (const watcher of this.#watchers.get(row.id) ?? []) watcher();
    }
  }

  /** Takes in rows that have changed since they were loaded. */
  change(rows: readonly FleetInstallation[]): void {
    for (const listener of this.#changeListeners) listener(rows);
    this.load(rows);
  }

  /** The ids of the rows in view. */
  watchedIds(): string[] {
    return [...this.#watchers.keys()];
  }

  watch(id: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(id, watchers);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }

  /** Before changed rows replace those that are kept. */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => {
      this.#changeListeners.delete(listener);
    };
  }

  clear(): void {
    this.#rows.clear();
    this.listed = [];
  }
}

const FleetRowsContext = createContext<FleetRows | undefined>(undefined);

export const FleetRowsProvider = FleetRowsContext;

/** @throws TypeError outside of its provider. */
export function useFleetRows(): FleetRows {
  const rows = use(FleetRowsContext);
  if (!rows) throw new TypeError('useFleetRows needs a FleetRowsProvider');
  return rows;
}

/** One row; the component renders again when it changes. */
export function useFleetRow(id: string): FleetInstallation | undefined {
  const rows = useFleetRows();
  const watch = useCallback((watcher: () => void) => rows.watch(id, watcher), [rows, id]);
  return useSyncExternalStore(watch, () => rows.get(id));
}
