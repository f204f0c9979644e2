/**
 * The installations that the page has loaded, by id. Lists hold ids only, so a change renders the one row
 * that shows it and never reloads or reorders a list.
 */
import {
  applyRowPatch,
  type FleetInstallation,
  type LiveChanges,
  type RowDelta,
} from '@dowel/admin-api';
import { replaceEqualDeep } from '@tanstack/react-query';
import { createContext, use, useCallback, useSyncExternalStore } from 'react';

/** Changes the page received. Listeners run before the stored rows are replaced. */
export interface RowChanges {
  rows: readonly FleetInstallation[];
  /** Purged. */
  gone: readonly string[];
  /** Changes of rows that the page does not know. */
  unknown: readonly RowChange[];
  /** More may have changed than this. */
  isPartial: boolean;
}

type RowChange = LiveChanges['rows'][number] | RowDelta;
type ChangeListener = (changes: RowChanges) => void;
type Answer = { installations: readonly FleetInstallation[] };

/** A request for rows that is under way. */
interface Load {
  /** What the stream sent meanwhile. */
  patches: (Pick<LiveChanges, 'now'> & { patch: RowChange })[];
  /** The stream had a gap meanwhile. */
  hasGap: boolean;
}

const allAt = '/installations';

export class FleetRows {
  /** The ids of the list that was shown last, in its order. */
  listed: readonly string[] = [];
  /** The address of that list, with its filters and order. */
  listedAt = allAt;
  /** Called when a row in view, or one that comes into view, may have changed since it was loaded. */
  onUnsureInView: () => void = () => {};

  readonly #rows = new Map<string, FleetInstallation>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #changeListeners = new Set<ChangeListener>();
  readonly #loads = new Set<Load>();
  /** Rows that may have changed since they were loaded. */
  readonly #unsure = new Set<string>();

  get(id: string): FleetInstallation | undefined {
    return this.#rows.get(id);
  }

  /** Stores the rows of a response. Live changes that arrived during the request win. */
  async load<A extends Answer>(ask: () => Promise<A>): Promise<A> {
    const { answer, rows } = await this.#ask(ask);
    this.#keep(rows);
    return answer;
  }

  /** As {@link load}, of rows that may have changed since they were loaded, or were purged. */
  async reload(ids: readonly string[], ask: () => Promise<Answer>): Promise<void> {
    const { rows } = await this.#ask(ask);
    const found = new Set(rows.map(({ id }) => id));
    const gone = ids.filter((id) => !found.has(id));
    this.#change({ rows, gone, unknown: [], isPartial: false });
  }

  async #ask<A extends Answer>(ask: () => Promise<A>) {
    const load: Load = { patches: [], hasGap: false };
    this.#loads.add(load);
    try {
      const answer = await ask();
      const rows = answer.installations.map((row) => patchRow(row, load));
      for (const row of rows) {
        if (load.hasGap || load.patches.some(({ patch }) => contradicts(patch, row))) {
          this.#doubtRow(row.id);
        } else this.#unsure.delete(row.id);
      }
      return { answer, rows };
    } finally {
      this.#loads.delete(load);
    }
  }

  /** Takes in what the stream sent. Rows that no list has loaded are not kept. */
  apply({ now, rows: whole, deltas, gone, isPartial }: LiveChanges): void {
    const patches = [...whole, ...deltas].map((patch) => ({ patch, now }));
    for (const load of this.#loads) load.patches.push(...patches);
    const rows: FleetInstallation[] = [];
    const unknown: RowChange[] = [];
    for (const { patch } of patches) {
      const known = this.#rows.get(patch.id);
      const row = replaceEqualDeep(known, applyRowPatch(known, patch, now));
      if (!row) unknown.push(patch);
      else if (row !== known) rows.push(row);
      if (row && contradicts(patch, row)) this.#doubtRow(row.id);
    }
    if (isPartial) this.doubt();
    this.#change({ rows, gone, unknown, isPartial });
  }

  #doubtRow(id: string): void {
    this.#unsure.add(id);
    if (this.#watchers.has(id)) this.onUnsureInView();
  }

  /** Any row may have changed since it was loaded. */
  doubt(): void {
    for (const load of this.#loads) load.hasGap = true;
    for (const id of this.#rows.keys()) this.#unsure.add(id);
  }

  /** Any row may have changed, and the lists learn of it. */
  noteGap(): void {
    this.doubt();
    this.#change({ rows: [], gone: [], unknown: [], isPartial: true });
  }

  /** The ids of the rows in view that may have changed since they were loaded. */
  unsureInView(): string[] {
    return [...this.#watchers.keys()].filter((id) => this.#unsure.has(id));
  }

  /** Drops rows that are in no list and not in view. */
  keepOnly(ids: ReadonlySet<string>): void {
    // The rows of an answer are kept before their list is.
    if (this.#loads.size > 0) return;
    for (const id of this.#rows.keys()) {
      if (!ids.has(id) && !this.#watchers.has(id)) this.#remove(id);
    }
  }

  #change(changes: RowChanges): void {
    for (const listener of this.#changeListeners) listener(changes);
    this.#keep(changes.rows.filter(({ id }) => this.#rows.has(id)));
    for (const id of changes.gone) this.#remove(id);
  }

  #keep(rows: readonly FleetInstallation[]): void {
    for (const row of rows) {
      this.#rows.set(row.id, row);
      this.#tell(row.id);
    }
  }

  #remove(id: string): void {
    this.#rows.delete(id);
    this.#unsure.delete(id);
    this.#tell(id);
  }

  #tell(id: string): void {
    for (const watcher of this.#watchers.get(id) ?? []) watcher();
  }

  watch(id: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(id, watchers);
    if (this.#unsure.has(id)) this.onUnsureInView();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }

  /** The listener is called before changed rows replace the loaded ones. */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => {
      this.#changeListeners.delete(listener);
    };
  }

  clear(): void {
    this.#rows.clear();
    this.#unsure.clear();
    this.listed = [];
    this.listedAt = allAt;
  }
}

function patchRow(row: FleetInstallation, { patches }: Load): FleetInstallation {
  return patches
    .filter(({ patch }) => patch.id === row.id)
    .reduce((last, { patch, now }) => applyRowPatch(last, patch, now) ?? last, row);
}

/** The row and the live change disagree, so the row is reloaded. */
function contradicts(change: RowChange, { id, state }: FleetInstallation): boolean {
  return 'state' in change && change.id === id && change.state !== state;
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
