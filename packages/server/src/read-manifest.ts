/** Reads our own manifest. Refuses one that this back end cannot serve, with one line for each problem. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseManifest,
} from '@dowel/schema';
import { describeFileError } from '@dowel/settings';
import { type Config, ConfigError } from './configuration.ts';
import {
  type EventAddress,
  listEventAddresses,
  listForeignAddresses,
} from './events/event-addresses.ts';
import type { Log } from './log/log.ts';

type ManifestConfig = Pick<Config, 'manifestPath' | 'publicUrl' | 'eventPath' | 'essentialScopes'>;

export interface OwnManifest {
  manifest: Manifest;
  manifestText: string;
  addresses: EventAddress[];
}

/** A field's name may contain a line break or a terminal command. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Warnings go to the log, with the place in a form that terminals show as a link.
 *
 * @throws ConfigError
 */
export async function readManifest(
  config: ManifestConfig,
  logger: Pick<Log, 'warn'>,
): Promise<OwnManifest> {
  const { manifestPath, publicUrl, eventPath, essentialScopes } = config;
  const manifestText = await readFile(manifestPath, 'utf8').catch((cause: Error) => {
    throw new ConfigError(
      `DOWEL_MANIFEST: the manifest ${manifestPath} cannot be read: ${describeFileError(cause)}.`,
    );
  });
  const path = relative(process.cwd(), manifestPath);
  const describe = ({ line, column, pointer, message, fix }: ManifestProblem | ManifestWarning) =>
    `${path}:${line}:${column} ${pointer} ${message} — ${fix}`.replace(unprintable, '\uFFFD');
  const parsed = parseManifest(manifestText, `${publicUrl}/manifest.json`);
  for (const warning of parsed.warnings) {
    logger.warn({ code: warning.code }, `manifest.warning ${describe(warning)}`);
  }
  if (!parsed.ok) throw new ConfigError(parsed.problems.map(describe).join('\n'));
  const { manifest } = parsed;
  const addresses = listEventAddresses(manifest, publicUrl);
  const problems = [
    ...describeQueries(manifest, path),
    ...(eventPath === undefined ? describeForeign(addresses, { path, publicUrl }) : []),
    ...describeUnrequested(manifest, essentialScopes),
  ];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { manifest, manifestText, addresses };
}

/** Spec §4.1: the event's name would be appended to a query or a fragment, not to the path. */
function describeQueries({ lifecycle, apiAccess }: Manifest, path: string): string[] {
  return Object.entries({ lifecycle, apiAccess }).flatMap(([name, section]) =>
    section && /[?#]/.test(section.url)
      ? `${path}: ${name}.url has a query or a fragment, and the platform appends the event's name to the URL: the name would become a part of the query or fragment. Remove everything from "?" or "#" on.`
      : [],
  );
}

function describeForeign(
  addresses: readonly EventAddress[],
  { path, publicUrl }: { path: string; publicUrl: string },
): string[] {
  return listForeignAddresses(addresses, publicUrl).map(
    ({ event, url }) =>
      `${path}: the platform would post ${event} to ${url.href}, and this back end is at ${publicUrl}. Change the URL in the manifest or DOWEL_PUBLIC_URL; or, if a proxy sends the events here, say to which path in DOWEL_EVENT_PATH.`,
  );
}

/** Spec §4.1: an essential scope that is not requested would refuse every installation. */
function describeUnrequested({ apiAccess }: Manifest, essentialScopes: string[] = []): string[] {
  const requested: readonly string[] = apiAccess?.client.scope ?? [];
  const unrequested = essentialScopes.filter((scope) => !requested.includes(scope));
  if (unrequested.length === 0) return [];
  return [
    `DOWEL_ESSENTIAL_SCOPES: the manifest does not ask for ${unrequested.join(', ')}: add it to apiAccess.client.scope, or remove it here.`,
  ];
}
