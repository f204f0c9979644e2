/** The platform of one run: a tenant for each check, strict rules, and a record of all requests. */
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import {
  createPlatform,
  type Exchange,
  generateSigningKey,
  type Platform,
  type SigningKey,
  type TenantSeed,
} from '@dowel/emulator';
import { freshFetch } from '../fresh-fetch.ts';
import { createHostPages, type HostPages } from './host-pages.ts';
import { type ListenerOptions, openListener } from './listener.ts';
import { type Pulse, startPulse } from './pulse.ts';
import { type Stranger, startStranger } from './stranger.ts';

export interface WorldOptions extends ListenerOptions {
  /** One tenant for each name. */
  tenants: readonly string[];
  /** Length of the platform's key. Default 4096. */
  keyBits?: number | undefined;
}

export interface World {
  readonly platform: Platform;
  readonly origin: string;
  /** The key of somebody who is not the platform. */
  readonly forger: SigningKey;
  readonly stranger: Stranger;
  readonly hostPages: HostPages;
  readonly pulse: Pulse;
  /** When the request was over, with or without an answer. Now, if it is not. */
  endOf(exchange: Pick<Exchange, 'id'>): number;
  /** By name. */
  tenantOf(name: string): TenantSeed;
  /** Paths that the back end asked for, and the platform does not have, oldest first. */
  strayPaths(): readonly string[];
  /** Headers and bodies of answers to calls, and to what checks sent past the platform. */
  readonly answers: { where: string; text: string }[];
  /** An address of the key host that answers with a redirect to the stranger's key. */
  redirectingKeyUrl(name: string): string;
  /** Ends the requests that still run. */
  readonly closed: AbortSignal;
  close(): void;
}

const redirectPath = /^\/certificates\/redirect-(.+)\.jwk\.json$/;

/** Its key is made: that takes seconds on a busy machine. @throws DoctorError `OPTION_INVALID`, `PORT_TAKEN` */
export async function createWorld({
  tenants: names,
  keyBits = 4096,
  ...place
}: WorldOptions): Promise<World> {
  const listener = await openListener(place);
  const { origin } = listener;
  const run = randomUUID().slice(0, 8);
  const tenants = new Map(names.map((name) => [name, createTenant(name, run)]));
  const forger = await generateSigningKey(origin, 2048);
  const ends = new Map<number, number>();
  const stranger = await startStranger(forger, listener.port);
  const platform = createPlatform({
    origin,
    fetch: freshFetch,
    keyBits,
    keyMark: `${run}_`,
    onExchange: ({ id }) => void ends.set(id, Date.now()),
    tenants: [...tenants.values()],
    tolerate: ['basic.encoding', 'status.2xx'],
    // An uninstall is sent once: a check says so when it is not answered.
    resendDelaysMs: [],
  });
  const hostPages = createHostPages(origin, run);
  await platform.sign({});
  const pulse = startPulse();
  const strays: string[] = [];
  const closing = new AbortController();
  const answer = createAnswer(platform, stranger, strays);
  listener.answerWith((request, response) => {
    if (!hostPages.answer(request, response)) answer(request, response);
  }, run);
  return {
    platform,
    origin,
    forger,
    stranger,
    hostPages,
    pulse,
    endOf: ({ id }) => ends.get(id) ?? Date.now(),
    tenantOf: (name) => tenants.get(name) ?? missing(name),
    strayPaths: () => strays,
    answers: [],
    redirectingKeyUrl: (name) => `${origin}/certificates/redirect-${run}-${name}.jwk.json`,
    closed: closing.signal,
    close() {
      closing.abort();
      pulse.stop();
      platform.close();
      stranger.close();
      listener.close();
    },
  };
}

/** @param strays gets the paths that the platform does not have. */
function createAnswer(platform: Platform, stranger: Stranger, strays: string[]): RequestListener {
  const answer = platform.callback();
  return (request, response) => {
    const path = request.url ?? '';
    const [, redirected] = redirectPath.exec(path) ?? [];
    if (redirected !== undefined) {
      response.writeHead(302, { location: `${stranger.origin}/redirected/${redirected}` }).end();
      return;
    }
    request.url = path.replace(/^\/+(t\/[^/]+)\/*(api\/)/, '/$1/$2');
    if (request.url !== path || !/^\/(?:t\/[^/]+\/api|certificates)\//.test(path)) {
      strays.push(path.replace(/\?.*/s, ''));
    }
    answer(request, response);
  };
}

/** Its URL is another one in each run, because back ends remember issuers. */
function createTenant(name: string, run: string): TenantSeed {
  const slug = `${name.toLowerCase().replaceAll('.', '-')}-${run}`;
  const createUser = (first: string, language: string) => ({
    userId: randomUUID(),
    name: `${first} ${name}`,
    email: `${first.toLowerCase()}.${slug}@doctor.example`,
    language,
    jobTitle: 'Patient',
  });
  return {
    tenantId: randomUUID(),
    slug,
    name: `Check ${name}`,
    users: [createUser('Ada', 'en'), createUser('Ben', 'de')],
  };
}

function missing(name: string): never {
  throw new Error(`No tenant for ${name}`);
}
