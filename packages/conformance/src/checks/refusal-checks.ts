/** JWTs that a plug-in must refuse (Spec §5.1). A refusal counts only where a right event was accepted before. */
import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventChange, Exchange, PreparedEvent } from '@dowel/emulator';
import type { LifecycleEventName } from '@dowel/schema';
import { blocked, type CheckRow, checksOf, wrong } from '../check.ts';
import { leaveUnsigned, signByHmac, tamper } from '../world/forge-jwt.ts';
import { isAccepted, requireAcceptance, requireAnswer, type Trial } from '../world/trial.ts';

/** One event, or several spellings of it. */
type Forged = EventChange | readonly EventChange[];
type Forge = (event: PreparedEvent, trial: Trial) => Forged | Promise<Forged>;

interface Forgery {
  id: string;
  claim: string;
  severity?: NonNullable<CheckRow['severity']>;
  /** What is wrong about the event. */
  is: string;
  fix: string;
  /** Default: `access_token`, so that an exchange of its code shows who believed it. */
  event?: LifecycleEventName;
  forge: Forge;
}

const keyRetrySeconds = 12;
const keyRetryMs = 500;

const verifyFirst = 'Verify the signature over the received bytes before you read anything.';
const keyDecides =
  'Allow RS256, RS384 and RS512 by name. The algorithm belongs to the key, never to the token.';
const compareUrls =
  'Compare the parsed URL: scheme, host and port of one allowed address, below its path; no substring.';

/** Signed by the forger, with this address as `jku`. Its path tells the stranger which check is meant. */
const withKeyAt =
  (address: (host: string, mark: string, trusted: string) => string): Forge =>
  async ({ claims, header }, { world, id }) => {
    const jku = address(world.stranger.origin, markOf(id), String(header.jku));
    return { jwt: await world.forger.sign(claims, { ...header, jku }) };
  };

const unknownRule = 'dowel-doctor';

const markOf = (id: string) => id.toLowerCase().replace('.', '-');

const forgeries: readonly Forgery[] = [
  {
    id: 'refuse.tampered',
    claim: 'An event that was changed after signing is refused.',
    is: 'its claims are changed after signing',
    fix: verifyFirst,
    forge: async ({ sign }) => ({
      jwt: tamper(await sign(), (claims) => ({ ...claims, jti: 'changed', note: 'changed' })),
    }),
  },
  {
    id: 'refuse.foreignKey',
    claim: 'An event that is signed with another key is refused.',
    is: 'another key signs it, and it names the platform’s',
    fix: 'Verify with the key behind `jku`, and refuse when the signature is wrong.',
    forge: async ({ claims, header }, { world }) => ({
      jwt: await world.forger.sign(claims, header),
    }),
  },
  {
    id: 'refuse.unsigned',
    claim: 'An event with `alg: none` is refused.',
    is: '`alg` is `none`, and the signature is empty',
    fix: keyDecides,
    forge: ({ claims, header }) => ({ jwt: leaveUnsigned(header, claims) }),
  },
  {
    id: 'refuse.hmacPem',
    claim: 'An event that is signed by HMAC with the public key as its secret is refused.',
    is: 'HS256 signs it, with the public key’s PEM as secret, in three spellings',
    fix: keyDecides,
    forge: async ({ claims, header }) => {
      const pem = await readPublicPem(header);
      return [pem, pem.trim(), pem.replaceAll('\n', '')].map((secret) => ({
        jwt: signByHmac('HS256', header, { claims, secret }),
      }));
    },
  },
  {
    id: 'refuse.hmacDocument',
    claim: 'An event that is signed by HMAC with the key document as its secret is refused.',
    is: 'HS512 signs it, with the key document as secret',
    fix: keyDecides,
    forge: async ({ claims, header }) => ({
      jwt: signByHmac('HS512', header, { claims, secret: await readKeyDocument(header) }),
    }),
  },
  {
    id: 'refuse.embeddedKey',
    claim: 'A key inside the header is never used.',
    is: 'its header has a key (`jwk`), which signs it',
    fix: 'Ignore `jwk`, `x5c` and `x5u`.',
    forge: async ({ claims, header }, { world }) => ({
      jwt: await world.forger.sign(claims, { ...header, jwk: world.forger.keyDocument.key }),
    }),
  },
  {
    id: 'refuse.certificateClaim',
    claim: 'The claim `certificate` of an install event is never trusted.',
    is: 'an `install` event has the forger’s certificate, whose key signs it',
    fix: 'Ignore `certificate`: it comes from the sender.',
    event: 'install',
    forge: async ({ claims, header }, { world }) => ({
      jwt: await world.forger.sign({ ...claims, certificate: world.forger.oneLinePem }, header),
    }),
  },
  {
    id: 'refuse.jkuForeign',
    claim: 'A key at another host is not used.',
    is: '`jku` is at another host, with a path like the trusted one',
    fix: compareUrls,
    forge: withKeyAt((host, mark) => `${host}/certificates/${mark}.jwk.json`),
  },
  {
    id: 'refuse.jkuQuery',
    claim: 'The trusted address in the query of another one is not trusted.',
    is: '`jku` is at another host, with the trusted address in its query',
    fix: compareUrls,
    forge: withKeyAt((host, mark, trusted) => `${host}/${mark}/key.jwk.json?from=${trusted}`),
  },
  {
    id: 'refuse.jkuPath',
    claim: 'The trusted address in the path of another one is not trusted.',
    is: '`jku` is at another host, with the trusted address in its path',
    fix: compareUrls,
    forge: withKeyAt((host, mark, trusted) => `${host}/${mark}/${trusted}`),
  },
  {
    id: 'refuse.jkuFragment',
    claim: 'The trusted address in the fragment of another one is not trusted.',
    is: '`jku` is at another host, with the trusted address in its fragment',
    fix: compareUrls,
    forge: withKeyAt((host, mark, trusted) => `${host}/${mark}/key.jwk.json#${trusted}`),
  },
  {
    id: 'refuse.jkuUserInfo',
    claim: 'The trusted host as the user name of another one is not trusted.',
    is: '`jku` is at another host, with the trusted one as user name',
    fix: compareUrls,
    forge: withKeyAt((host, mark, trusted) => {
      const user = new URL(trusted).host;
      return `${host.replace('://', `://${user}@`)}/${mark}/key.jwk.json`;
    }),
  },
  {
    id: 'refuse.jkuRedirect',
    claim: 'A redirect of the key host is not followed.',
    severity: 'should',
    is: '`jku` is at the key host, which redirects to another host',
    fix: 'Follow no redirects when you fetch keys.',
    forge: async ({ claims, header }, { world, id }) => ({
      jwt: await world.forger.sign(claims, {
        ...header,
        jku: world.redirectingKeyUrl(markOf(id)),
      }),
    }),
  },
  {
    id: 'refuse.expired',
    claim: 'An event that expired 10 minutes ago is refused.',
    is: '`exp` was 10 minutes ago',
    fix: 'Compare `exp`, in seconds, with your clock. A leeway of 60 s is enough.',
    forge: ({ claims: { iat = 0 } }) => ({ claims: { iat: iat - 660, exp: iat - 600 } }),
  },
  {
    id: 'refuse.noExp',
    claim: 'An event without `exp` is refused.',
    severity: 'should',
    is: 'it has no `exp`',
    fix: 'Require `exp`.',
    forge: () => ({ claims: { exp: undefined } }),
  },
  {
    id: 'refuse.future',
    claim: 'An event of tomorrow is refused.',
    severity: 'should',
    is: '`iat` and `exp` are a day ahead',
    fix: 'Refuse an `iat` that is more than some minutes ahead.',
    forge: ({ claims: { iat = 0 } }) => ({ claims: { iat: iat + 86_400, exp: iat + 86_460 } }),
  },
  {
    id: 'refuse.crit',
    claim: 'An event whose header has an unknown `crit` is refused.',
    severity: 'should',
    is: 'its header names an unknown member in `crit`',
    fix: 'Refuse each JWT with `crit` (RFC 7515 §4.1.11): its sender requires a rule that you do not have.',
    forge: () => ({ header: { crit: [unknownRule], [unknownRule]: true } }),
  },
  {
    id: 'refuse.kindOfEvent',
    claim: 'A JWT of another event is refused.',
    is: '`sub` is `install`, at the address of `access_token`',
    fix: 'Compare `sub` with the last part of the path.',
    forge: () => ({ claims: { sub: 'install' } }),
  },
];

const needs = ['apiAccess'] as const;

export const refusalChecks = checksOf(needs, [
  ...forgeries.map(toCheck),
  {
    id: 'refuse.twoTokens',
    claim: 'Of two tokens in one form, a forged one is never used.',
    reference: 'Spec §5.1',
    why: 'If one part verifies the first token and another part reads the last, an attacker who has seen one right event can add a forged one.',
    seen: 'Sends a right and a forged token in one form, in both orders. It fails if the code of the forged one is presented.',
    fix: 'Use the claims that the verification returns, and refuse a form with two tokens.',
    run: sendTwoTokens,
  },
  {
    id: 'refuse.pageTokenAsUninstall',
    claim: 'The init JWT of a page is no uninstall event.',
    reference: 'Spec §2.2',
    needs: [],
    why: 'Every user has such a JWT, and could end the installation of the whole tenant.',
    seen: 'Sends an init JWT to the address of `uninstall`.',
    fix: 'Compare `sub` with the last part of the path.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('uninstall');
      const { createInitJwt } = await trial.placeWidget();
      const answer = await event.send({ jwt: await createInitJwt() });
      requireAnswer(answer);
      if (isAccepted(answer)) throw wrong(`It was answered with status ${answer.status}`);
    },
  },
  {
    id: 'key.rotated',
    claim: 'A new key at a new address of the same key host is accepted.',
    reference: 'Spec §5.1',
    severity: 'should',
    why: 'On the day when the platform changes its key, each event is refused.',
    seen: 'Sends `access_token` by a second key with its own address.',
    fix: 'Choose the key by `jku`; do not pin one.',
    async run(trial) {
      await trial.installed();
      requireAcceptance(await (await trial.prepare('access_token')).send({ key: 'next' }));
    },
  },
  {
    id: 'key.downThenUp',
    claim: 'A key that could not be loaded is asked for again soon.',
    reference: 'Spec §5.1',
    severity: 'should',
    why: 'After a short failure of the key host each event would be refused until the back end starts again.',
    seen: `Sends an event by another new key while the key host gives no answer. Then the host is back, and the same event is sent for up to ${keyRetrySeconds} s.`,
    fix: 'Do not remember for long that a key could not be loaded.',
    // All tenants have the same key host.
    alone: true,
    run: loadLater,
  },
]);

async function sendTwoTokens(trial: Trial): Promise<void> {
  await trial.installed();
  const { world } = trial;
  const right = await trial.prepare('access_token');
  const { url, header, claims } = await trial.prepare('access_token');
  const jwt = await right.sign();
  const forged = await world.forger.sign(claims, header);
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  const isUsed = async (...tokens: string[]) => {
    const body = tokens.map((token) => `token=${token}`).join('&');
    const answer = await trial.request(url, { method: 'POST', headers, body });
    await trial.settle();
    if (isPresented(trial, claims)) return true;
    requireAnswer(answer);
    return false;
  };
  if (await isUsed(forged)) throw blocked('It believes the forged one alone', 'refuse.foreignKey');
  if ((await isUsed(jwt, forged)) || (await isUsed(forged, jwt))) {
    throw wrong('The code of the forged token was presented at the token endpoint');
  }
}

async function loadLater(trial: Trial): Promise<void> {
  await trial.installed();
  const { platform } = trial.world;
  // The next key may be known already.
  await platform.rotateKey();
  const event = await trial.prepare('access_token');
  const off = platform.fault('key.down', { times: 'always' });
  await event.send({ key: 'next' });
  off();
  if (off.hits === 0) throw blocked('The new key was not asked for', 'key.rotated');
  const end = Date.now() + keyRetrySeconds * 1000;
  let answer = await event.send({ key: 'next' });
  while (!isAccepted(answer) && Date.now() < end) {
    await sleep(keyRetryMs);
    answer = await event.send({ key: 'next' });
  }
  requireAcceptance(answer);
}

function toCheck({ id, claim, severity = 'must', is, fix, event, forge }: Forgery): CheckRow {
  return {
    id,
    claim,
    reference: 'Spec §5.1',
    severity,
    ...(event === 'install' && { needs: [] }),
    why: 'An attacker could give the plug-in tokens and addresses of their choice.',
    seen: `After a right installation, sends an event that is wrong in one way: ${is}. It fails if the answer is a success, if the event’s code is presented, or if a foreign host is asked for a key.`,
    fix,
    async run(trial) {
      await trial.installed();
      const prepared = await trial.prepare(event ?? 'access_token');
      for (const change of [await forge(prepared, trial)].flat()) {
        const answer = await prepared.send(change);
        await trial.settle();
        requireRefusal(trial, prepared, answer);
      }
    },
  };
}

function requireRefusal(trial: Trial, { claims }: PreparedEvent, answer: Exchange): void {
  if (isPresented(trial, claims)) {
    throw wrong('The code of the event was presented at the token endpoint');
  }
  if (trial.world.stranger.wasAsked(markOf(trial.id))) {
    throw wrong('The foreign host was asked for its key');
  }
  requireAnswer(answer);
  if (isAccepted(answer)) throw wrong(`It was answered with status ${answer.status}`);
}

function isPresented(trial: Trial, { client }: PreparedEvent['claims']): boolean {
  const { authorization_code: code } = Object(client) as { authorization_code?: string };
  return code !== undefined && trial.timesPresented(code) > 0;
}

async function readKeyDocument({ jku }: PreparedEvent['header']): Promise<string> {
  return (await fetch(String(jku), { redirect: 'error' })).text();
}

async function readPublicPem(header: PreparedEvent['header']): Promise<string> {
  const { key } = JSON.parse(await readKeyDocument(header)) as { key: Record<string, string> };
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
