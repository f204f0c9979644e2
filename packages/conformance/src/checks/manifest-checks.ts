/** The manifest, and the page that it names (Spec §2.1). */
import { resolveUrl } from '@dowel/schema';
import { type Check, open, wrong } from '../check.ts';
import { readTarget } from '../world/target.ts';
import type { Trial } from '../world/trial.ts';

export const manifestChecks: readonly Check[] = [
  {
    id: 'manifest.valid',
    claim: 'The manifest is reachable without a redirect, and it is valid.',
    reference: 'Spec §2.1',
    severity: 'must',
    needs: [],
    why: 'The platform cannot install a plug-in whose manifest it cannot read.',
    seen: 'Reads the URL without following redirects, and checks each member.',
    fix: 'Correct the member that is named; `dowel validate` shows its line.',
    async run({ target }) {
      const { status, failure, problems } = await readTarget(target.manifestUrl);
      if (failure !== null) throw open(`It cannot be read: ${failure}`);
      if (status !== 200) throw wrong(`It answers with status ${status}`);
      const [first] = problems;
      if (first) throw wrong(`Line ${first.line} ${first.pointer}: ${first.message}`);
      return undefined;
    },
  },
  {
    id: 'page.framing',
    claim: 'The page may be shown in a frame of the platform.',
    reference: 'Spec §1',
    severity: 'must',
    needs: [],
    why: 'The browser shows an empty frame, and says why only in its console.',
    seen: 'Asks for the page of the first entry point, and reads `X-Frame-Options` and `Content-Security-Policy`.',
    fix: 'Remove `X-Frame-Options`, and name the tenant’s origin in `frame-ancestors`. helmet() sets SAMEORIGIN by default.',
    run: requireFraming,
  },
];

async function requireFraming(trial: Trial): Promise<string | undefined> {
  const { manifest, target, world, id } = trial;
  const page = manifest.entryPoints[0];
  if (!page) return 'There is no entry point.';
  const url = resolveUrl(page.url, target.manifestUrl);
  url.searchParams.set('src', `${trial.tenantId}_${world.tenantOf(id).users[0]?.userId}`);
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  await response.body?.cancel();
  if (!response.ok) throw wrong(`The page answers with status ${response.status}`);
  const policy = response.headers.get('content-security-policy') ?? '';
  const [, ancestors] = /frame-ancestors([^;]*)/i.exec(policy) ?? [];
  const option = response.headers.get('x-frame-options');
  if (ancestors === undefined && option !== null) {
    throw wrong(`It answers with X-Frame-Options: ${option}`);
  }
  if (ancestors !== undefined && !allows(ancestors, world.origin)) {
    throw wrong(`It answers with frame-ancestors${ancestors}`);
  }
  return undefined;
}

/** Whether a list of sources has the origin, by its full name, its scheme, its host or `*`. */
function allows(sources: string, origin: string): boolean {
  const { protocol, host, hostname } = new URL(origin);
  const names = [
    '*',
    protocol,
    origin,
    host,
    hostname,
    `${protocol}//*`,
    `${protocol}//${hostname}:*`,
  ];
  const [, ...parents] = hostname.split('.');
  const wildcards = parents.map((_, index) => `*.${parents.slice(index).join('.')}`);
  const wanted = [...names, ...wildcards, ...wildcards.map((each) => `${protocol}//${each}`)];
  return sources
    .trim()
    .split(/\s+/)
    .some((source) => wanted.includes(source.replace(/\/$/, '')));
}
