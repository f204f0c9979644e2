/** Plays a fault with a back end, as a person does on the emulator's page, and judges the requests. */
import {
  type FaultName,
  type FaultOptions,
  InstallationFailedError,
  type InstallationKey,
} from '@dowel/emulator';
import {
  badJudgements,
  faultsOf,
  goodJudgements,
  type Judgement,
  plays,
} from '@dowel/emulator/plays';
import type { TestedServer, TestServer } from '@dowel/emulator/test-server';
import { vi } from 'vitest';

export interface World {
  server: TestServer<TestedServer>;
  /** Where the manifest of an installation is. */
  pathOf(mistake: string): string;
  /** Uses a widget, so that the back end calls the platform. */
  useWidget(widget: Widget): Promise<Response>;
}

interface Widget {
  path: string;
  pluginId: string;
  instanceId: string;
}

export interface PlayChoice {
  mistake: string;
  /** In place of those of the play, such as a shorter time. */
  options?: Record<string, unknown>;
  /** How often the widget is used at once. Default 1. */
  uses?: number;
}

export interface Begun {
  name: FaultName;
  key: InstallationKey;
  /** Judges what the platform has seen. @param afterMs as if so much time had passed */
  look(afterMs?: number): Judgement;
  use(): Promise<unknown>;
  end(): void;
}

/** Catches what hangs. */
const limitMs = 120_000;

export const isGood = (judgement: Judgement) =>
  (goodJudgements as readonly string[]).includes(judgement);
const isBad = (judgement: Judgement) => (badJudgements as readonly string[]).includes(judgement);

/** Resolves with the judgement, as soon as there is one. */
export async function finishPlay(
  { server: { platform } }: World,
  { name, key, look, use, end }: Begun,
): Promise<Judgement> {
  let hasUsedAgain = false;
  const lookAndUse = () => {
    const judgement = look();
    if (judgement === 'useAgain' && !hasUsedAgain) void use();
    hasUsedAgain ||= judgement === 'useAgain';
    return isGood(judgement) || isBad(judgement);
  };
  await vi.waitUntil(lookAndUse, { interval: 50, timeout: limitMs });
  const judgement = look();
  end();
  // A back end may not load a key for a while that it could not load.
  if (plays[name].rotatesKey) await platform.rotateKey();
  // Calls that still wait for tokens would delay the end of the back end.
  if (plays[name].start === 'revokeAllTokens') await platform.sendAccessTokenEvent(key);
  return judgement;
}

/** Resolves when the platform and the person have done their part. The widget's answers are not awaited. */
export async function beginPlay(
  world: World,
  name: FaultName,
  { mistake, options, uses = 1 }: PlayChoice,
): Promise<Begun> {
  const { platform } = world.server;
  const { asks, judge } = plays[name];
  const widget = await installWidget(world, { path: world.pathOf(mistake) });
  const { pluginId } = widget;
  await world.useWidget(widget);
  const sinceId = platform.exchanges().at(-1)?.id ?? 0;
  const faults = faultsOf(name, { pluginId, changes: options }).map((fault) =>
    platform.fault(fault.name, fault as FaultOptions<FaultName>),
  );
  const placed = await start(world, name, widget);
  const use = () => world.useWidget(placed).catch(() => undefined);
  const times = asks === 'useTwice' ? 2 : uses;
  if (asks) for (let index = 0; index < times; index += 1) void use();
  return {
    name,
    key: { tenantId: platform.tenants[0]?.tenantId ?? '', pluginId },
    use,
    look(afterMs = 0) {
      const exchanges = platform
        .exchanges()
        .filter((each) => each.id > sinceId && (each.kind === 'key' || each.pluginId === pluginId));
      return judge({ name, exchanges, now: Date.now() + afterMs });
    },
    end() {
      for (const off of faults) off();
    },
  };
}

async function installWidget(
  { server: { platform, url } }: World,
  { path, pluginId }: { path: string; pluginId?: string },
): Promise<Widget> {
  const tenantId = platform.tenants[0]?.tenantId ?? '';
  const installed = await platform.install({
    tenantId,
    manifestUrl: `${url}${path}/manifest.json`,
    ...(pluginId !== undefined && { pluginId }),
  });
  const entryPointId = installed.entryPoints[0]?.id ?? '';
  const key = { tenantId, pluginId: installed.pluginId };
  const { instanceId } = await platform.addInstance({ ...key, entryPointId });
  return { path, pluginId: installed.pluginId, instanceId };
}

/** Resolves with the widget to use. */
async function start(world: World, name: FaultName, widget: Widget): Promise<Widget> {
  const { platform } = world.server;
  const { start: what, firstOptions } = plays[name];
  const key = { tenantId: platform.tenants[0]?.tenantId ?? '', pluginId: widget.pluginId };
  if (what === 'installAgain') return installAgain(world, name, widget);
  if (what === 'sendEvent') {
    await platform.sendAccessTokenEvent(key);
    if (firstOptions) await platform.sendAccessTokenEvent(key);
  }
  if (what === 'revokeAllTokens') platform.revoke({ ...key, what: 'refreshTokens' });
  if (what?.startsWith('revoke')) platform.revoke({ ...key, what: 'accessTokens' });
  return widget;
}

/** An installation that the back end refuses is for the judge. */
async function installAgain(world: World, name: FaultName, widget: Widget): Promise<Widget> {
  const { platform } = world.server;
  const { path, pluginId } = widget;
  const tenantId = platform.tenants[0]?.tenantId ?? '';
  const uninstalled = platform.uninstall({ tenantId, pluginId });
  // A late uninstall waits for the events of the next installation.
  if (name !== 'event.late') await uninstalled;
  await startOfNextSecond();
  try {
    return await installWidget(world, { path, pluginId });
  } catch (error) {
    if (error instanceof InstallationFailedError) return widget;
    throw error;
  } finally {
    await uninstalled;
  }
}

/** Events that are signed in one second have no order. */
async function startOfNextSecond(): Promise<void> {
  const secondOf = () => Math.floor(Date.now() / 1_000);
  const before = secondOf();
  await vi.waitUntil(() => secondOf() > before, { interval: 20, timeout: limitMs });
}
