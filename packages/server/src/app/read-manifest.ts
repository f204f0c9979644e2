/** Reads our own manifest. Refuses one that this back end cannot serve, with one line for each problem. */
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseServedManifest,
  type ServedManifest,
} from '@dowel/schema';
import { describeFileError } from '@dowel/settings';
import {
  type EventAddress,
  listEventAddresses,
  listForeignAddresses,
} from '../events/event-addresses.ts';
import type { Log } from '../log/log.ts';
import { ConfigError } from '../settings/config-error.ts';

export interface ManifestOptions {
  /** A file, or the manifest itself. */
  source: string | URL | Manifest;
  /** The URL of the plug-in, without a slash at its end. */
  publicUrl: string;
  /** All addresses are below this URL, without a slash at its end. */
  baseUrl: string;
  /** The path to which a proxy sends the events. Then the manifest's addresses may be anywhere. */
  eventPath: string | undefined;
}

export interface OwnManifest {
  manifest: ServedManifest;
  manifestText: string;
  addresses: EventAddress[];
}

/** A field's name may contain a line break or a terminal command. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * What only the platform reads may have any form (Spec §2.1 is for the linter): each finding is a warning in the log,
 * with its place in a form that terminals show as a link.
 *
 * @throws ConfigError
 */
export async function readManifest(
  { source, publicUrl, baseUrl, eventPath }: ManifestOptions,
  logger: Pick<Log, 'warn'>,
): Promise<OwnManifest> {
  const { text: manifestText, name } = await readSource(source);
  const describe = ({ line, column, pointer, message, fix }: ManifestProblem | ManifestWarning) =>
    `${name}:${line}:${column} ${pointer} ${message} — ${fix}`.replace(unprintable, '\uFFFD');
  const parsed = parseServedManifest(manifestText, `${publicUrl}/manifest.json`);
  for (const warning of parsed.warnings) {
    logger.warn({ code: warning.code }, `manifest.warning ${describe(warning)}`);
  }
  if (!parsed.ok) throw new ConfigError(parsed.problems.map(describe).join('\n'));
  const { manifest } = parsed;
  const addresses = listEventAddresses(manifest, publicUrl);
  const problems = [
    ...describeQueries(manifest, name),
    ...(eventPath === undefined ? describeForeign(addresses, { path: name, baseUrl }) : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { manifest, manifestText, addresses };
}

/** @returns the text, and a name for messages: the path, in a form that terminals show as a link. */
async function readSource(source: ManifestOptions['source']) {
  if (typeof source === 'object' && !(source instanceof URL)) {
    return { text: JSON.stringify(source, null, 2), name: 'the manifest' };
  }
  const path = typeof source === 'string' ? source : fileURLToPath(source);
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new ConfigError(
      `DOWEL_MANIFEST, or the option manifest: the manifest ${resolve(path)} cannot be read: ${describeFileError(cause)}.`,
    );
  });
  return { text, name: relative(process.cwd(), path) };
}

/** Spec §4.1: the event's name would be appended to a query or a fragment, not to the path. */
function describeQueries({ lifecycle, apiAccess }: ServedManifest, path: string): string[] {
  return Object.entries({ lifecycle, apiAccess }).flatMap(([name, section]) =>
    section && /[?#]/.test(section.url)
      ? `${path}: ${name}.url has a query or a fragment, and the platform appends the event's name to the URL: the name would become a part of the query or fragment. Remove everything from "?" or "#" on.`
      : [],
  );
}

function describeForeign(
  addresses: readonly EventAddress[],
  { path, baseUrl }: { path: string; baseUrl: string },
): string[] {
  return listForeignAddresses(addresses, baseUrl).map(
    ({ event, url }) =>
      `${path}: the platform would post ${event} to ${url.href}, and this back end is at ${baseUrl}. Change the URL in the manifest, or DOWEL_PUBLIC_URL or the option publicUrl; or, if a proxy sends the events here, say to which path in DOWEL_EVENT_PATH or the option eventPath.`,
  );
}

/**
 * Spec §4.1: an essential scope that is not requested would refuse every installation.
 *
 * @throws ConfigError
 */
export function assertRequested(
  manifests: readonly ServedManifest[],
  essentialScopes: readonly string[] = [],
): void {
  const requested = manifests.flatMap(({ apiAccess }) => apiAccess?.client.scope ?? []);
  const unrequested = essentialScopes.filter((scope) => !requested.includes(scope));
  if (unrequested.length === 0) return;
  throw new ConfigError(
    `DOWEL_ESSENTIAL_SCOPES, or the option essentialScopes: the manifest does not ask for ${unrequested.join(', ')}: add it to apiAccess.client.scope, or remove it here.`,
  );
}
