import type { TimelineEntry } from '@dowel/admin-api';

/** Consecutive equal entries. Only a run of more than two is folded. */
export interface Run {
  key: string;
  /** Newest first, at least one. */
  entries: readonly [TimelineEntry, ...TimelineEntry[]];
  isFolded: boolean;
}

const maxOpen = 2;

/** @param entries newest first. */
export function foldEntries(entries: readonly TimelineEntry[]): Run[] {
  const runs: [TimelineEntry, ...TimelineEntry[]][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && says(last[0]) === says(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => split(run));
}

/** The newest entry of a long run is shown, the others are folded below it. */
function split(run: [TimelineEntry, ...TimelineEntry[]]): Run[] {
  const [newest, second, ...others] = run;
  if (run.length <= maxOpen || second === undefined) {
    return run.map((entry) => ({ key: keyOf(entry), entries: [entry], isFolded: false }));
  }
  return [
    { key: keyOf(newest), entries: [newest], isFolded: false },
    // By the oldest entry, which stays while newer ones come.
    { key: `${keyOf(run.at(-1) ?? second)} folded`, entries: [second, ...others], isFolded: true },
  ];
}

export function keyOf({ kind, entry }: TimelineEntry): string {
  return `${kind} ${entry.id}`;
}

/** A text that is equal for equal entries, without their times. */
function says(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'event':
      return `${entry.entry.event} ${entry.entry.status} ${entry.entry.reason}`;
    case 'hook':
      return `${entry.entry.hook} ${entry.entry.state}`;
    default:
      return `${entry.entry.operation} ${entry.entry.succeeded} ${entry.entry.reason}`;
  }
}
