/** What one check works with: its own tenant, and verbs for what is sent and seen there. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Exchange,
  type FaultName,
  type FaultOptions,
  type FaultSwitch,
  InstallationFailedError,
  type PreparedEvent,
} from '@dowel/emulator';
import type { LifecycleEventName, Manifest } from '@dowel/schema';
import type { Browser } from '../browser.ts';
import type { Caller, CallModule } from '../call/caller.ts';
import { createCaller } from '../call/create-caller.ts';
import { blocked, open, requireNoLimit, skipped, wrong } from '../check.ts';
import { keepRequests, type OwnRequest, type OwnRequestInit, sendRequest } from './own-requests.ts';
import { type PlacedWidget, placeWidget } from './place-widget.ts';
import type { Target } from './target.ts';
import type { TargetProcess } from './target-process.ts';
import type { World } from './world.ts';

export interface TrialContext {
  readonly id: string;
  readonly world: World;
  readonly target: Target;
  /** Default: a random one. */
  readonly pluginId?: string;
  readonly call?: CallModule | undefined;
  readonly browser?: Browser | undefined;
  /** Why the run has ended early. Null: it has not. */
  readonly endReason?: () => string | null;
  readonly process?: TargetProcess | undefined;
  /** Of the first trial of a check, for the one of its second tenant. */
  readonly limits?: Limits;
}

/** Whether a call was answered 429. */
interface Limits {
  isMet: boolean;
}

/** Of a whole installation, or of one that failed. */
interface Installed {
  /** Null: it worked. */
  failure: InstallationFailedError | null;
  /** The events that were sent, with their answers, oldest first. Secrets are masked. */
  deliveries: Exchange[];
}

export interface Trial extends Pick<TrialContext, 'id' | 'world' | 'target'> {
  readonly tenantId: string;
  readonly pluginId: string;
  readonly manifest: Manifest;
  /** Begins an installation, which may fail. @throws Finding `open` after the early end of the run, for 429, and without a manifest */
  install(change?: (read: Manifest) => Manifest): Promise<Installed>;
  /** Reads the manifest again. Null: it worked. @throws Finding `open` for 429, and without a manifest */
  update(): Promise<InstallationFailedError | null>;
  /** The same, as the ground of a check: what fails is judged elsewhere. @throws Finding `blocked` */
  installed(change?: (read: Manifest) => Manifest): Promise<void>;
  /** As the ground of a check. @throws Finding `skipped` if the manifest does not ask for it, `blocked`, `open` */
  uninstalled(): Promise<void>;
  uninstall(): Promise<Exchange | undefined>;
  /** An event that is not sent yet. @throws Finding `skipped` if the manifest does not ask for it */
  prepare(event: LifecycleEventName, instanceId?: string): Promise<PreparedEvent>;
  fault<Name extends FaultName>(name: Name, options?: FaultOptions<Name>): FaultSwitch;
  /** The requests of this tenant, oldest first, with their secrets. */
  exchanges(kind: Exchange['kind']): Exchange[];
  /** How often this code was presented at the token endpoint. */
  timesPresented(code: string): number;
  /** Sends a request past the platform. Never rejects. */
  request(url: string, init?: OwnRequestInit): Promise<OwnRequest>;
  /** Those of `request` and of the caller, as they end. */
  readonly ownRequests: readonly OwnRequest[];
  /** Whether the back end has answered 429, which says nothing about what was asked. */
  wasLimited(): boolean;
  /** Resolves when this tenant has been quiet for 200 ms, after at most 8 s. */
  settle(): Promise<void>;
  /** Resolves with true as soon as it holds, and with false after these seconds. */
  until(holds: () => boolean, seconds: number): Promise<boolean>;
  /** Moves the clock of the tenant's authorization server, so that access tokens expire. */
  expireTokens(): void;
  /** @throws Finding `skipped` if the manifest has no entry point */
  placeWidget(): Promise<PlacedWidget>;
  /** Places a widget and opens its page, as the target's call does it. */
  openCaller(): Promise<Caller>;
  /** The same after an installation, and when a call has worked. @throws Finding `blocked` if none does */
  ready(): Promise<Caller>;
  /** The same plug-in id in the second tenant of a check. */
  second(): Trial;
  browser(): Browser;
  /** The back end's process, if the doctor has started it. */
  process(): TargetProcess;
}

const quietMs = 200;
const maxSettleMs = 8_000;
const stepMs = 20;
const hourSeconds = 3_600;
const readySeconds = 3;

export function createTrial(context: TrialContext): Trial {
  const { id, world, target } = context;
  const { platform } = world;
  const { tenantId } = world.tenantOf(id);
  const key = { tenantId, pluginId: context.pluginId ?? randomUUID() };
  const ownRequests: OwnRequest[] = [];
  const limits = context.limits ?? { isMet: false };
  const exchanges = (kind: Exchange['kind']) =>
    platform.exchanges({ tenantId, kind, reveal: true });
  const life = createLife(context, key);
  const pages = createPages(context, { key, ownRequests, limits });
  return {
    id,
    world,
    target,
    ...key,
    manifest: target.manifest,
    ...life,
    fault: (name, options) => platform.fault(name, { ...options, tenantId } as typeof options),
    exchanges,
    timesPresented: (code) =>
      exchanges('code').filter((each) => parametersOf(each).includes(code)).length,
    async request(url, init) {
      const sent = await sendRequest(url, init, world.closed);
      ownRequests.push(sent);
      const text = [...Object.values(sent.answerHeaders), sent.answer].join('\n');
      world.answers.push({ where: `${sent.method} of ${id}`, text });
      return sent;
    },
    ownRequests,
    wasLimited: () =>
      limits.isMet || [...ownRequests, ...exchanges('event')].some(({ status }) => status === 429),
    settle: () => settle(() => platform.exchanges({ tenantId })),
    until,
    expireTokens: () => void platform.changeLab(tenantId, { advanceSeconds: hourSeconds + 60 }),
    ...pages,
    async ready() {
      await life.installed();
      const caller = await pages.openCaller();
      if (await caller.heals(readySeconds)) return caller;
      throw blocked('The first call did not work', 'call.bearer');
    },
    second: () => createTrial({ ...context, id: secondName(id), pluginId: key.pluginId, limits }),
    browser: () => context.browser ?? notGiven('--browser'),
    process: () => context.process ?? notGiven('--start'),
  };
}

/** Widgets of the plug-in, and pages that make the back end call. */
function createPages(
  { id, world, target, call }: TrialContext,
  {
    key,
    ownRequests,
    limits,
  }: { key: Pick<Trial, 'tenantId' | 'pluginId'>; ownRequests: OwnRequest[]; limits: Limits },
): Pick<Trial, 'placeWidget' | 'openCaller'> {
  const { platform, closed } = world;
  const { manifest, manifestUrl } = target;
  const place = () => placeWidget(world, { ...key, name: id, manifest });
  return {
    placeWidget: place,
    async openCaller() {
      const fetch = keepRequests(ownRequests, closed);
      return createCaller(call ?? notGiven('--call'), {
        ...key,
        ...(await place()),
        manifestUrl,
        fetch,
        platform,
        onAnswer(text, status) {
          world.answers.push({ where: 'a call', text });
          if (status === 429) limits.isMet = true;
        },
      });
    },
  };
}

/** The verbs that begin and end an installation, and prepare its events. */
function createLife(
  { world: { platform }, target, endReason }: TrialContext,
  key: Pick<Trial, 'tenantId' | 'pluginId'>,
): Pick<Trial, 'install' | 'installed' | 'update' | 'uninstall' | 'uninstalled' | 'prepare'> {
  const { tenantId } = key;
  const { manifest, manifestUrl } = target;
  const readEvents = () => platform.exchanges({ tenantId, kind: 'event' });
  const install: Trial['install'] = async (change) => {
    const ended = endReason?.() ?? null;
    if (ended !== null) throw open(ended);
    return follow(() =>
      platform.install({ ...key, manifestUrl, ...(change && { manifest: change }) }),
    );
  };
  const follow = async (begin: () => Promise<unknown>): Promise<Installed> => {
    const sentBefore = readEvents().length;
    const failure = await begin().then(() => null, catchFailure);
    const deliveries = readEvents().slice(sentBefore);
    for (const delivery of deliveries) requireNoLimit(delivery);
    // `manifest.valid` judges the manifest. A limit of requests may be the reason.
    if (failure?.code.startsWith('MANIFEST_')) throw open(failure.message);
    return { failure, deliveries };
  };
  const uninstall: Trial['uninstall'] = async () => {
    await platform.uninstall(key);
    return readEvents().findLast(({ event }) => event === 'uninstall');
  };
  return {
    install,
    async installed(change) {
      const { failure } = await install(change);
      if (failure) throw blocked(`The installation failed: ${failure.message}`, 'reception.form');
    },
    update: async () => (await follow(() => platform.update(key))).failure,
    uninstall,
    async uninstalled() {
      const event = await uninstall();
      if (!event) throw skipped('The manifest does not ask for uninstall.');
      requireAnswer(event);
      if (!isAccepted(event)) throw blocked('uninstall was refused', 'repeat.uninstall');
    },
    async prepare(event, instanceId) {
      if (!asksFor(manifest, event)) throw skipped(`The manifest does not ask for ${event}.`);
      return platform.prepareEvent({ ...key, instanceId }, event);
    },
  };
}

/** Of the second tenant of a check. */
export const secondName = (id: string): string => `${id}.second`;

function notGiven(option: string): never {
  throw skipped(`Not asked: give ${option}`);
}

function catchFailure(error: unknown): InstallationFailedError {
  if (error instanceof InstallationFailedError) return error;
  throw error;
}

/** The same manifest without `apiAccess`. */
export function withoutAccess(manifest: Manifest): Manifest {
  const { apiAccess: _, ...rest } = manifest;
  return rest;
}

/** Whether the manifest requests the event. */
export function asksFor({ apiAccess, lifecycle }: Manifest, event: LifecycleEventName): boolean {
  if (event === 'access_token') return apiAccess !== undefined;
  return lifecycle?.events.includes(event) ?? false;
}

/** All values of a token request's query and form. */
function parametersOf({ url, body }: Exchange): string[] {
  const query = new URL(url).searchParams;
  return [...query.values(), ...new URLSearchParams(body).values()];
}

/** Resolves when no request has begun or ended for a while. Counts steps, as `until` does. */
async function settle(read: () => Exchange[]): Promise<void> {
  let before = '';
  let quiet = 0;
  for (let waited = 0; waited < maxSettleMs && quiet < quietMs; waited += stepMs) {
    const state = read()
      .map(({ status }) => status)
      .join();
    quiet = state === before ? quiet + stepMs : 0;
    before = state;
    await sleep(stepMs, undefined, { ref: false });
  }
}

/** Counts its own steps, not the time: on a busy machine the back end has more of it. */
async function until(holds: () => boolean, seconds: number): Promise<boolean> {
  for (let waited = 0; waited < seconds * 1000; waited += stepMs) {
    if (holds()) return true;
    await sleep(stepMs, undefined, { ref: false });
  }
  return holds();
}

/** Any status of success: `reception.form` alone judges 201. */
export function isAccepted({ status }: { status: number | null }): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Also `application/problem+json` and the like. */
export function isJsonType(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

/** An answer that says nothing about what was asked. @throws Finding `open` */
export function requireAnswer({ status, error }: Pick<OwnRequest, 'status' | 'error'>): void {
  if (status === null) throw open(`No answer came: ${error?.message}`);
  requireNoLimit({ status });
}

/** @throws Finding unless the event was accepted */
export function requireAcceptance(exchange: Exchange): void {
  requireAnswer(exchange);
  if (!isAccepted(exchange)) throw wrong(describeRefusal(exchange));
}

/** The back end's own words, without secrets. */
export function describeRefusal({ event, error, status }: Exchange): string {
  return `${event} was refused: ${error?.message ?? `status ${status}`}`;
}
