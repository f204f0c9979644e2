/**
 * What a back end calls platforms and receivers of alerts with. It records that in the database, without a secret, so
 * that a command that acts beside it can refuse to act otherwise (docs/decisions/0050-commands-beside.md).
 */
import type { HookEvent, Stores } from '@dowel/installation-store';
import { describeRules } from '@dowel/platform-jwt';
import { Secret } from '@dowel/schema';
import { z } from 'zod';
import { internalOrigins } from './app-context.ts';
import { listHooks } from './hooks/hooks.ts';
import { namePlugins } from './served-plugin.ts';
import { ConfigError } from './settings/config-error.ts';
import {
  type EffectiveFacts,
  fingerprintOf,
  shownValue,
  textsOf,
} from './settings/describe-settings.ts';
import { findSource } from './settings/read-configuration.ts';
import { moveUrl } from './settings/setting-values.ts';
import { settings } from './settings/settings.ts';

/** The settings that decide where a request may go. */
const addressNames = ['DOWEL_TRUST', 'DOWEL_API_ORIGINS', 'DOWEL_INTERNAL_HOSTS'] as const;
/** The settings that decide how a platform is called. `fetch` is an option without a variable. */
export const callNames = [
  ...addressNames,
  'DOWEL_REFRESH_PLACEMENT',
  'DOWEL_BASIC_ENCODING',
  'fetch',
] as const;
/** The settings that decide how alerts are sent. */
export const alertNames = [
  ...addressNames,
  'DOWEL_PUBLIC_URL',
  'DOWEL_ADMIN_ORIGIN',
  'DOWEL_ALERT_WEBHOOK_URL',
  'DOWEL_ALERT_WEBHOOK_SECRET',
  'DOWEL_ALERT_SMTP_URL',
  'DOWEL_ALERT_MAIL_FROM',
  'DOWEL_ALERT_MAIL_TO',
] as const;

type FactName = (typeof callNames)[number] | (typeof alertNames)[number];

const recordSchema = z.object({
  pluginName: z.string(),
  settings: z.record(
    z.string(),
    z.object({
      /** Never secrets; for a secret at most its fingerprint. */
      values: z.array(z.string()),
      source: z.enum(['option', 'environment', 'default']),
    }),
  ),
  /** The hooks of each plug-in, by the plug-in's name. */
  hooks: z.record(z.string(), z.array(z.string())),
});

export type BackEndRecord = z.infer<typeof recordSchema>;
type RecordedSetting = BackEndRecord['settings'][string];

/** Returns the row for the table `back_end`. */
export function describeBackEnd(facts: EffectiveFacts): string {
  const { plugins } = facts;
  const names = [...new Set<FactName>([...callNames, ...alertNames])];
  const record: BackEndRecord = {
    pluginName: namePlugins(plugins),
    settings: Object.fromEntries(names.map((name) => [name, describeFact(name, facts)])),
    hooks: Object.fromEntries(plugins.map(({ name, hooks = {} }) => [name, listHooks(hooks)])),
  };
  return JSON.stringify(record);
}

/** Undefined: no back end has recorded anything, or another version did. */
export async function readBackEnd(
  stores: Pick<Stores, 'backEnd'>,
): Promise<BackEndRecord | undefined> {
  const text = await stores.backEnd.last();
  return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
}

/**
 * The address below which the dashboard of the back end is that has opened this database last, with its base path and
 * without a slash at the end.
 *
 * @returns undefined if none has, or if that was another version
 */
export async function readAdminUrl(stores: Pick<Stores, 'backEnd'>): Promise<string | undefined> {
  const record = await readBackEnd(stores);
  const [publicUrl] = record?.settings.DOWEL_PUBLIC_URL?.values ?? [];
  const [origin] = record?.settings.DOWEL_ADMIN_ORIGIN?.values ?? [];
  return publicUrl && origin ? moveUrl(publicUrl, origin) : publicUrl;
}

/** Whether the back end has a hook for an event. */
export function hasRecordedHook(
  { hooks }: BackEndRecord,
  plugin: string,
  event: HookEvent,
): boolean {
  return Object.hasOwn(hooks, plugin) && hooks[plugin]?.includes(event) === true;
}

/**
 * Returns one line for each setting that differs from the back end's, or one line if the back end has recorded
 * nothing.
 */
export function listDifferences(
  record: BackEndRecord | undefined,
  own: EffectiveFacts,
  names: readonly FactName[],
): string[] {
  if (!record) {
    return [
      'No back end of this version has opened this database yet, so its settings are not known here. Start it once, or do this on its dashboard.',
    ];
  }
  return names.flatMap((name) => {
    const recorded = record.settings[name] ?? { values: [], source: 'default' };
    const { values } = describeFact(name, own);
    const isSame = String(values.toSorted()) === String(recorded.values.toSorted());
    return isSame ? [] : [describeDifference(name, recorded)];
  });
}

/** Call it before anything is sent. @throws ConfigError for any difference. */
export function assertSame(differences: readonly string[]): void {
  if (differences.length === 0) return;
  throw new ConfigError([...differences, 'Nothing was sent.'].join('\n'));
}

function describeDifference(name: FactName, { values, source }: RecordedSetting): string {
  if (name === 'fetch') {
    return 'The back end calls platforms with a fetch of its own (option fetch), which no command has. Do this on its dashboard.';
  }
  const isSecret = name.endsWith('_SECRET') || name === 'DOWEL_ALERT_WEBHOOK_URL';
  const shown = isSecret ? 'another one' : values.join(',') || 'none';
  const place = {
    option: ` in its code (option ${settings[name].option})`,
    environment: ' in its environment',
    default: ' by default',
  }[source];
  return `${name} is not what the back end has: it has ${values.length === 0 ? 'none' : shown}${place}. Set the same here, or do this on its dashboard.`;
}

function describeFact(name: FactName, facts: EffectiveFacts): RecordedSetting {
  if (name === 'fetch') {
    const isOwn = facts.options.fetch !== undefined;
    return { values: isOwn ? ['its own'] : [], source: isOwn ? 'option' : 'default' };
  }
  return { values: valuesOf(name, facts), source: findSource(name, facts.options) };
}

function valuesOf(name: Exclude<FactName, 'fetch'>, facts: EffectiveFacts): string[] {
  const { trust, alerts } = facts.configuration;
  if (name === 'DOWEL_TRUST') {
    // Only rules with private addresses decide where a request may go.
    const local = trust.filter(
      (rule) => internalOrigins({ trust: [rule], apiOrigins: [], internalHosts: [] }).length > 0,
    );
    return describeRules(local);
  }
  // Its path may be the receiver's secret.
  const url = name === 'DOWEL_ALERT_WEBHOOK_URL' ? alerts.webhook?.url : undefined;
  return [...plainTexts(name, shownValue(name, facts)), ...(url ? plainTexts(name, url) : [])];
}

function plainTexts(name: string, value: ReturnType<typeof shownValue>): string[] {
  return value instanceof Secret ? [fingerprintOf(name, value) ?? 'set'] : textsOf(value);
}
