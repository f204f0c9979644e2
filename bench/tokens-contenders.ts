/** The compared contenders and their features. */
import { readFileSync } from 'node:fs';
import type { CreateContender } from './peers/contender.ts';

export interface ContenderEntry {
  id: string;
  /** Absent for code of this repository. */
  packageName?: string;
  /** Notes about this set-up of the package: a long one for a table, and a short one. */
  note?: { long: string; short: string };
  /** Printed after the name in the tables, and explained below them. */
  footnote?: string;
  /** Cases, by their id. */
  cannotExpress?: string[];
  load: () => Promise<CreateContender>;
}

export const dowelId = 'dowel';
export const floorId = 'floor';

export const contenders: ContenderEntry[] = [
  {
    id: dowelId,
    load: async () => (await import('./peers/dowel.ts')).createContender,
  },
  {
    id: floorId,
    load: async () => (await import('./peers/floor.ts')).createContender,
  },
  {
    id: 'badgateway',
    packageName: '@badgateway/oauth2-client',
    load: async () => (await import('./peers/badgateway.ts')).createContender,
  },
  {
    id: 'google',
    packageName: 'google-auth-library',
    footnote: '³',
    load: async () => (await import('./peers/google-auth-library.ts')).createContender,
  },
  {
    id: 'undici-oidc',
    packageName: 'undici-oidc-interceptor',
    load: async () => (await import('./peers/undici-oidc-interceptor.ts')).createContender,
  },
  {
    id: 'axios',
    packageName: 'axios-auth-refresh',
    load: async () => (await import('./peers/axios-auth-refresh.ts')).createContender,
  },
  {
    id: 'axios-each',
    packageName: 'axios-auth-refresh',
    note: { long: '`deduplicateRefresh: false`', short: 'no dedupe' },
    load: async () => (await import('./peers/axios-auth-refresh.ts')).createWithoutDeduplication,
  },
  {
    id: 'simple-oauth2',
    packageName: 'simple-oauth2',
    footnote: '¹',
    cannotExpress: ['late'],
    load: async () => (await import('./peers/simple-oauth2.ts')).createContender,
  },
  {
    id: 'slack',
    packageName: '@slack/oauth',
    footnote: '¹',
    cannotExpress: ['late', 'omitted'],
    load: async () => (await import('./peers/slack-oauth.ts')).createContender,
  },
];

export function findContender(id: string): ContenderEntry {
  const found = contenders.find((contender) => contender.id === id);
  if (!found) throw new Error(`There is no contender ${id}`);
  return found;
}

const ownNames: Record<string, string> = {
  [dowelId]: 'Dowel',
  [floorId]: 'hand-written floor',
};

export function nameOf({ id, packageName, note }: ContenderEntry): string {
  if (packageName === undefined) return ownNames[id] ?? id;
  const name = `${packageName} ${versionOf(packageName)}`;
  return note === undefined ? name : `${name}, ${note.long}`;
}

export function shortNameOf({ id, packageName, note }: ContenderEntry): string {
  const name = packageName ?? ownNames[id] ?? id;
  return note === undefined ? name : `${name}, ${note.short}`;
}

function versionOf(packageName: string): string {
  const manifest = new URL(`./node_modules/${packageName}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
