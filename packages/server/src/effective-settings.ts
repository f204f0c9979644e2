/** The settings that are in effect, for operators. No value is a secret. */
import { createHash } from 'node:crypto';
import { Secret, type Setting } from '@dowel/schema';
import type { HookPolicy } from './hooks/policy.ts';
import { readHookPolicy } from './hooks/policy.ts';
import { findOption, findSource } from './read-options.ts';
import { type EffectiveFacts, type SettingValue, settingRows } from './setting-rows.ts';

export function describeSettings(facts: EffectiveFacts): Setting[] {
  const settings = Object.entries(settingRows).map(([name, row]): Setting => {
    const isUnused = row.isOfStart && facts.port === undefined;
    const value = isUnused ? undefined : row.read(facts);
    return {
      name,
      group: row.group,
      option: findOption(facts.options, name) ?? null,
      values: textsOf(value),
      unit: row.unit ?? (typeof value === 'number' ? 'count' : null),
      secret: value instanceof Secret ? { fingerprint: fingerprintOf(name, value) } : null,
      source: findSource(facts.options, name),
      note: (isUnused ? 'hostListens' : row.note?.(facts)) ?? null,
    };
  });
  return [...settings, ...describeHookPolicy(facts)];
}

/** The hook policy has no variables, only options. */
function describeHookPolicy({ options: { hookPolicy = {} } }: EffectiveFacts): Setting[] {
  return Object.entries(readHookPolicy(hookPolicy)).map(([name, value]) => ({
    name: `hookPolicy.${name}`,
    group: 'hooks',
    option: `hookPolicy.${name}`,
    values: textsOf(typeof value === 'number' ? value : value.map(String)),
    unit: name.endsWith('Ms') ? 'ms' : 'count',
    secret: null,
    source: hookPolicy[name as keyof HookPolicy] === undefined ? 'default' : 'option',
    note: null,
  }));
}

export function textsOf(value: SettingValue): string[] {
  if (value === undefined || value instanceof Secret) return [];
  return typeof value === 'object' ? [...value] : [String(value)];
}

/** A person may have chosen a shorter secret. */
const minRandomLength = 32;
const minDifferent = 16;

/**
 * Tells operators whether two processes have the same secret. Null for one that somebody may have chosen: with
 * its fingerprint, anybody who sees the page could check guesses without Dowel (docs/decisions/0047).
 */
export function fingerprintOf(name: string, secret: Secret): string | null {
  const text = secret.reveal();
  if (text.length < minRandomLength || new Set(text).size < minDifferent) return null;
  const digest = createHash('sha256').update(`dowel setting ${name}\0`).update(text).digest('hex');
  return digest.slice(0, 8);
}
