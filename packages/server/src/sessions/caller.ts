/** The caller, from the verified session and never from the call's input. */
import {
  type FoundPluginSession,
  type Installation,
  lifeIdOf,
  type PageClaims,
} from '@dowel/installation-store';
import type { z } from 'zod';
import { ApiError } from '../base/errors.ts';

/**
 * One plug-in in one tenant. `id` and `lifeId` are ours: `id` stays after another install, `lifeId` does not. Tenant
 * and plug-in are unique only with their issuer.
 */
export type InstallationIdentity = Pick<
  Installation,
  'id' | 'lifeId' | 'issuer' | 'tenantId' | 'pluginId' | 'generation'
>;

/** The user who looks at the page. The platform tells name, address and language if the manifest's `context` asks for them. */
export interface User {
  /** The platform's id, unique in its tenant. */
  id: string;
  name?: string;
  email?: string;
  /** Such as `en` (BCP 47). */
  language?: string;
}

/**
 * Everything but `instanceId` is from the init JWT that opened the session: the platform signed it, and it stays as it was
 * then, for at most 15 minutes.
 */
export interface Caller<Config = Readonly<Record<string, unknown>>> {
  user: User;
  /** The placed widget whose page calls. */
  instanceId: string;
  installation: InstallationIdentity;
  /** The widget's settings, `cfg.*`, as the option `config` reads them. Every viewer of the widget may know them. */
  config: Config;
  /** The other `ctx.*` that the manifest's `context` asks for, such as `spaceId`. */
  context: Readonly<Record<string, unknown>>;
  /** The user edits the page with the widget. */
  isEditing: boolean;
}

/** The plug-in whose page calls. */
export interface CalledPlugin {
  name: string;
  /** Reads the settings of its widgets. Undefined: any are taken. */
  config?: z.ZodType | undefined;
}

/** @throws ApiError `CONFIG_INVALID` if the plug-in's schema refuses the widget's settings */
export function callerOf(
  { config }: Pick<CalledPlugin, 'config'>,
  session: FoundPluginSession,
): Caller {
  const { userId, instanceId, installationId: id, claims } = session;
  const { issuer, tenantId, pluginId, generation } = session;
  const { userName, userEmail, userLanguage, ...context } = membersOf(claims, 'ctx.');
  return {
    user: {
      id: userId,
      ...textOf('name', userName),
      ...textOf('email', userEmail),
      ...textOf('language', userLanguage),
    },
    instanceId,
    installation: {
      id,
      lifeId: lifeIdOf({ id, generation }),
      issuer,
      tenantId,
      pluginId,
      generation,
    },
    config: readConfig(config, membersOf(claims, 'cfg.')) as Caller['config'],
    context: withoutPrototype(context),
    isEditing: claims['stt.edit'] === true || claims['stt.edit'] === 'true',
  };
}

/** The claims that a caller is made of, when nothing else is asked for. */
export const defaultSessionClaims = ['ctx.*', 'cfg.*', 'stt.edit'] as const;

/** They have columns of their own. */
const identityClaims = ['ctx.userId', 'ctx.tenantId'];

/**
 * Returns the claims of an init JWT that its session keeps.
 *
 * @param names such as `ctx.userName`; `cfg.*` stands for all that begin with `cfg.`
 */
export function selectClaims(
  claims: Readonly<Record<string, unknown>>,
  names: readonly string[],
): PageClaims {
  const isWanted = (claim: string) =>
    !identityClaims.includes(claim) &&
    names.some((name) =>
      name.endsWith('.*') ? claim.startsWith(name.slice(0, -1)) : claim === name,
    );
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => isWanted(claim)));
}

/** The members whose claims have this prefix. Without a prototype, because the names are chosen outside. */
function membersOf(claims: PageClaims, prefix: string): Record<string, unknown> {
  const members = Object.entries(claims)
    .filter(([claim]) => claim.startsWith(prefix))
    .map(([claim, value]) => [claim.slice(prefix.length), value]);
  return withoutPrototype(Object.fromEntries(members));
}

function withoutPrototype(members: object): Record<string, unknown> {
  return Object.assign(Object.create(null), members);
}

function textOf(name: keyof User, value: unknown): Partial<User> {
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}

/**
 * Returns the widget's settings as the schema reads them; without a schema, as they are.
 *
 * @throws ApiError `CONFIG_INVALID` with the place, and no value
 */
function readConfig(schema: z.ZodType | undefined, members: Record<string, unknown>): unknown {
  if (!schema) return members;
  const parsed = schema.safeParse(members);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['cfg', ...(issue?.path ?? [])].join('.');
  throw new ApiError('CONFIG_INVALID', `The widget's settings do not fit: ${place}`);
}
