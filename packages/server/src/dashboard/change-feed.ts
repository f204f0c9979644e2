/**
 * The changes, for all open dashboards of this process: they are read once a second, and each stream sends the same
 * text. A stream that was interrupted continues where it ended.
 */
import { randomUUID } from 'node:crypto';
import {
  type InstallationState,
  type LiveMessage,
  type RowDelta,
  type RowPatch,
  stateOf,
  toRowDelta,
  toRowPatch,
} from '@dowel/admin-api';
import type { FleetRow, Store } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

/** With more changed rows, the message contains none: each page fetches the rows that it shows. */
const maxRows = 60;
const everyMs = 1_000;
/** The first change after a pause is sent after this time. */
const soonMs = 50;
/** The counts change without a write, too: tokens end, installs wait too long. */
const countEveryMs = 15_000;
const defaultMaxKept = 600;
const maxKeptLength = 2_000_000;
/** So many rows are remembered as they were sent. */
const maxSent = 5_000;
/** The feed continues for this time after the last dashboard closed, because it may reconnect. */
const keepMs = 60_000;

export interface ChangeFeedContext {
  store: { onChange: Store['onChange']; reports: FeedReports };
  logger: Pick<Log, 'warn'>;
  /** Aborting it ends the feed. */
  closing: AbortSignal;
  now: () => number;
  /** How many messages are kept for streams that reconnect. Default 600. */
  maxKept?: number;
}

type FeedReports = Pick<Store['reports'], 'readRows' | 'countFleet' | 'listPluginIds'>;

/** Sends an event of the stream. */
export type Send = (text: string) => void;

export interface ChangeFeed {
  /**
   * @param lastEventId of the stream that was interrupted; undefined: there was none.
   * @returns a function that ends the subscription.
   */
  subscribe(send: Send, lastEventId: string | undefined): () => void;
}

interface Feed extends Required<ChangeFeedContext> {
  /** Part of each position: positions of other processes, and from before a pause, are unknown here. */
  name: string;
  position: number;
  streams: Set<Send>;
  /** The newest messages; the last one has the position `position`. */
  kept: string[];
  keptLength: number;
  /** Ids of the changed installations. */
  changed: Set<string>;
  /** Rows as all streams have them, by id. */
  sent: Map<string, { row: FleetRow; state: InstallationState }>;
  /** The counts that were sent last. */
  counts: string;
  /** The plug-in ids that were sent last. */
  pluginIds: string;
  timer: NodeJS.Timeout | undefined;
  toldAt: number;
  isTelling: boolean;
  /** The last read failed. */
  isFailing: boolean;
  counting: NodeJS.Timeout | undefined;
  stopListening: (() => void) | undefined;
  stopping: NodeJS.Timeout | undefined;
}

/** Reads nothing while no dashboard is open. */
export function createChangeFeed(context: ChangeFeedContext): ChangeFeed {
  const feed: Feed = {
    maxKept: defaultMaxKept,
    ...context,
    name: randomUUID(),
    position: 0,
    streams: new Set(),
    kept: [],
    keptLength: 0,
    changed: new Set(),
    sent: new Map(),
    counts: '',
    pluginIds: '',
    timer: undefined,
    toldAt: 0,
    isTelling: false,
    isFailing: false,
    counting: undefined,
    stopListening: undefined,
    stopping: undefined,
  };
  context.closing.addEventListener('abort', () => stop(feed));
  return { subscribe: (send, lastEventId) => subscribe(feed, send, lastEventId) };
}

function subscribe(feed: Feed, send: Send, lastEventId: string | undefined): () => void {
  clearTimeout(feed.stopping);
  feed.stopListening ??= feed.store.onChange((id) => {
    if (id === null) sendGap(feed);
    else note(feed, id);
  });
  feed.counting ??= setInterval(() => schedule(feed), countEveryMs).unref();
  // What this page has loaded may be older than what the other streams have sent.
  if (lastEventId === undefined) {
    feed.sent.clear();
    feed.pluginIds = '';
  }
  for (const text of missedSince(feed, lastEventId)) send(text);
  feed.streams.add(send);
  return () => {
    feed.streams.delete(send);
    if (feed.streams.size > 0) return;
    clearTimeout(feed.stopping);
    feed.stopping = setTimeout(() => stop(feed), keepMs).unref();
  };
}

function stop(feed: Feed): void {
  feed.stopListening?.();
  feed.stopListening = undefined;
  clearInterval(feed.counting);
  feed.counting = undefined;
  clearTimeout(feed.timer);
  feed.timer = undefined;
  forget(feed);
}

/** Earlier positions are unknown from now on. */
function forget(feed: Feed): void {
  feed.name = randomUUID();
  feed.kept = [];
  feed.keptLength = 0;
  feed.changed.clear();
  feed.sent.clear();
  feed.counts = '';
  feed.pluginIds = '';
}

/** The first event of a stream has its position, so that the browser can name it when it comes back. */
function missedSince(feed: Feed, lastEventId: string | undefined): string[] {
  const here = eventOf(feed, lastEventId === undefined ? 'position' : 'gap', '{}');
  const [, position = ''] = lastEventId?.split(`${feed.name}.`) ?? [];
  const missed = /^\d+$/.test(position) ? feed.position - Number(position) : Number.NaN;
  if (!(missed >= 0 && missed <= feed.kept.length)) return [here];
  return missed === 0 ? [] : feed.kept.slice(-missed);
}

function eventOf({ name, position }: Feed, event: string, data: string): string {
  return `id: ${name}.${position}\nevent: ${event}\ndata: ${data}\n\n`;
}

function note(feed: Feed, id: string): void {
  // With more than `maxRows`, the message contains no ids.
  if (feed.changed.size <= maxRows) feed.changed.add(id);
  schedule(feed);
}

function schedule(feed: Feed): void {
  if (feed.timer || feed.isTelling || !feed.stopListening) return;
  const waitMs = Math.max(soonMs, feed.toldAt + everyMs - performance.now());
  feed.timer = setTimeout(() => void sendChanges(feed), waitMs).unref();
}

async function sendChanges(feed: Feed): Promise<void> {
  feed.timer = undefined;
  feed.isTelling = true;
  feed.toldAt = performance.now();
  const { name } = feed;
  const ids = [...feed.changed];
  feed.changed.clear();
  try {
    const message = await describe(feed, ids);
    feed.isFailing = false;
    // A gap was reported meanwhile: every page reloads everything.
    if (name !== feed.name) feed.sent.clear();
    else if (message) publish(feed, JSON.stringify(message));
  } catch (err) {
    if (feed.stopListening && !feed.isFailing) feed.logger.warn({ err }, 'change_feed.not_read');
    feed.isFailing = true;
    for (const id of ids) feed.changed.add(id);
  }
  feed.isTelling = false;
  if (feed.changed.size > 0) schedule(feed);
}

/** Undefined: nothing has changed. */
async function describe(feed: Feed, ids: readonly string[]): Promise<LiveMessage | undefined> {
  const { store, now: clock } = feed;
  const now = clock();
  const isPartial = ids.length > maxRows;
  const rows = isPartial ? [] : await store.reports.readRows(ids);
  const found = new Set(rows.map(({ id }) => id));
  const gone = isPartial ? [] : ids.filter((id) => !found.has(id));
  const fleet = await readMoved(feed, now);
  if (ids.length === 0 && !fleet) return undefined;
  if (isPartial) feed.sent.clear();
  return {
    now,
    ...patchesOf(feed, rows, now),
    ...(gone.length > 0 && { gone }),
    ...(isPartial && { isPartial }),
    ...(fleet && { fleet }),
  };
}

/** The counts, and the plug-in ids only if they have changed; undefined: neither has. */
async function readMoved(feed: Feed, now: number): Promise<LiveMessage['fleet']> {
  const { reports } = feed.store;
  const fleet = await reports.countFleet(now);
  const pluginIds = await reports.listPluginIds();
  const counts = JSON.stringify(fleet);
  const ids = JSON.stringify(pluginIds);
  const hasOtherIds = ids !== feed.pluginIds;
  if (counts === feed.counts && !hasOtherIds) return undefined;
  feed.counts = counts;
  feed.pluginIds = ids;
  return { ...fleet, ...(hasOtherIds && { pluginIds }) };
}

/** While state and cause stay, a row is sent as what has changed of it: in an outage most changes are further tries. */
function patchesOf({ sent }: Feed, found: readonly FleetRow[], now: number) {
  const rows: RowPatch[] = [];
  const deltas: RowDelta[] = [];
  for (const row of found) {
    const before = sent.get(row.id);
    const state = stateOf(row, now);
    const isAsBefore = before?.state === state && before.row.cause === row.cause;
    if (isAsBefore) deltas.push(toRowDelta({ ...row, state }, before.row));
    else rows.push(toRowPatch(row, now));
    sent.delete(row.id);
    sent.set(row.id, { row, state });
  }
  for (const id of [...sent.keys()].slice(0, Math.max(0, sent.size - maxSent))) sent.delete(id);
  return { ...(rows.length > 0 && { rows }), ...(deltas.length > 0 && { deltas }) };
}

function publish(feed: Feed, data: string): void {
  feed.position += 1;
  const text = eventOf(feed, 'changed', data);
  feed.kept.push(text);
  feed.keptLength += text.length;
  while (feed.kept.length > feed.maxKept || feed.keptLength > maxKeptLength) {
    feed.keptLength -= feed.kept.shift()?.length ?? 0;
  }
  for (const send of feed.streams) send(text);
}

/** Changes of any installation may have been missed. */
function sendGap(feed: Feed): void {
  forget(feed);
  const text = eventOf(feed, 'gap', '{}');
  for (const send of feed.streams) send(text);
}
