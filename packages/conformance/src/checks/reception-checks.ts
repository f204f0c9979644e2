/** The forms in which events arrive, and the form of their answers (Spec §4.1, §4.4, §7). */
import { randomUUID } from 'node:crypto';
import type { Exchange } from '@dowel/emulator';
import { refusalSchema } from '@dowel/schema';
import { blocked, checksOf, open, requireNoLimit, skipped, wrong } from '../check.ts';
import { tamper } from '../world/forge-jwt.ts';
import type { OwnRequest } from '../world/own-requests.ts';
import { readTarget } from '../world/target.ts';
import {
  asksFor,
  describeRefusal,
  isAccepted,
  isJsonType,
  requireAcceptance,
  requireAnswer,
  type Trial,
} from '../world/trial.ts';
import { codeOf } from './order-checks.ts';

const needs = ['apiAccess'] as const;

export const receptionChecks = checksOf(needs, [
  {
    id: 'reception.form',
    claim: '`install` and `access_token` in a form are answered 201 with JSON.',
    reference: 'Spec §4.1',
    needs: [],
    why: 'Every other answer fails the installation, and the platform sends `uninstall`.',
    seen: 'Installs the plug-in, and reads status, content type and body of both answers. This check alone judges 201; elsewhere any status of success counts.',
    fix: 'Read the field `token` of the form, and answer 201 with `application/json`.',
    async run(trial) {
      requireEvents(trial);
      const { failure, deliveries } = await trial.install();
      for (const delivery of deliveries) requireCreated(delivery);
      if (failure) throw wrong(failure.message);
    },
  },
  {
    id: 'reception.json',
    claim: 'The same events in a JSON body are answered with success.',
    reference: 'Spec §4.4',
    severity: 'should',
    needs: [],
    why: 'The specification allows both forms; a platform that sends JSON could not install the plug-in.',
    seen: 'Sends `install` and `access_token` as `{"token": …}`.',
    fix: 'Read `{"token": "…"}` when the content type is `application/json`.',
    async run(trial) {
      requireEvents(trial);
      await trial.installed();
      for (const event of eventsOfInstallation) {
        if (!asksFor(trial.manifest, event)) continue;
        const { url, sign } = await trial.prepare(event);
        const token = await sign();
        const answer = await trial.request(url, json(JSON.stringify({ token })));
        requireAnswer(answer);
        if (!isAccepted(answer)) throw wrong(`${event} was answered with status ${answer.status}`);
      }
    },
  },
  {
    id: 'reception.instances',
    claim: '`instance_add` and `instance_remove` are answered with success.',
    reference: 'Spec §2.2',
    severity: 'should',
    needs: [],
    why: 'The platform sends these for each widget. An error appears in its logs, and the event is sent again.',
    seen: 'Sends those of the two that the manifest asks for.',
    fix: 'Answer 201 with JSON, also for events that you do not use.',
    async run(trial) {
      const events = (['instance_add', 'instance_remove'] as const).filter((event) =>
        asksFor(trial.manifest, event),
      );
      if (events.length === 0) throw skipped('The manifest asks for neither of them.');
      await trial.installed();
      const instanceId = randomUUID();
      for (const event of events) {
        requireAcceptance(await (await trial.prepare(event, instanceId)).send());
      }
    },
  },
  {
    id: 'reception.unknownClaims',
    claim: 'An event with claims that the specification does not name is accepted.',
    reference: 'Spec §2.2',
    why: 'A platform adds claims with any release, and each installation would fail from that day on.',
    seen: 'Sends `access_token` with unknown claims, and with unknown members of `client`.',
    fix: 'Ignore claims and members that you do not know.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('access_token');
      const client = { ...Object(event.claims.client), note: 'unknown', limits: { calls: [1, 2] } };
      const claims = { edition: 'enterprise', features: { preview: true }, client };
      requireAcceptance(await event.send({ claims }));
    },
  },
  {
    id: 'reception.noJti',
    claim: 'An event without `jti` is accepted.',
    reference: 'Spec §2.2',
    severity: 'should',
    why: 'The specification does not promise a `jti`.',
    seen: 'Sends `access_token` without `jti`.',
    fix: 'Do not require `jti`. Recognize a repetition by its code.',
    async run(trial) {
      await trial.installed();
      requireAcceptance(
        await (await trial.prepare('access_token')).send({ claims: { jti: undefined } }),
      );
    },
  },
  {
    id: 'reception.joinedUrls',
    claim: '`base_url` and a relative path are joined with exactly one slash.',
    reference: 'Spec §4.2',
    why: 'The token request goes to an address that does not exist, and the installation fails.',
    seen: 'Installs with a path without a slash, sends `access_token` with slashes at both sides, and reads the path of each token request.',
    fix: 'Remove the slashes at the joint, and put one there.',
    async run(trial) {
      const { tenantOf, origin } = trial.world;
      await trial.installed();
      requireOneSlash(trial);
      const event = await trial.prepare('access_token');
      const base_url = `${origin}/t/${tenantOf(trial.id).slug}/`;
      const client = { ...Object(event.claims.client), token_endpoint_url: '/api/oauth/token' };
      const answer = await event.send({ claims: { base_url, client } });
      await trial.settle();
      requireOneSlash(trial);
      if (trial.timesPresented(codeOf(event)) > 0) {
        requireAcceptance(answer);
        return undefined;
      }
      // A back end that exchanges no event without a trigger has another mistake.
      const usual = await trial.prepare('access_token');
      await usual.send();
      await trial.settle();
      if (trial.timesPresented(codeOf(usual)) === 0) {
        throw blocked('No event without a trigger is exchanged', 'unasked.exchanged');
      }
      requireAcceptance(answer);
      throw wrong('Its code was not presented');
    },
  },
  {
    id: 'reception.refusalsAreJson',
    claim: 'A refusal is JSON with `code` and `message`.',
    reference: 'Spec §7',
    severity: 'should',
    why: 'The platform shows only INVALID_RESPONSE, and the reason is lost.',
    seen: 'Sends a changed event, a text that is no JWT, and a form without `token`.',
    fix: 'Answer errors with `application/json` and `{code, message}`, also those of your framework.',
    async run(trial) {
      await trial.installed();
      const { url, sign } = await trial.prepare('access_token');
      const changed = tamper(await sign(), (claims) => ({ ...claims, iat: 1 }));
      const bodies = [new URLSearchParams({ token: changed }).toString(), 'token=abc', ''];
      const answers = await Promise.all(bodies.map((body) => trial.request(url, form(body))));
      for (const answer of answers) requireNoLimit(answer);
      const refusals = answers.filter(({ status }) => status !== null && status >= 400);
      const unclear = refusals.find((answer) => !isRefusal(answer));
      if (unclear) {
        const type = unclear.answerHeaders['content-type'] ?? 'no content type';
        throw wrong(`Status ${unclear.status} came with ${type}, without code and message`);
      }
      if (refusals.length === 0) throw open('Nothing was refused');
    },
  },
  {
    id: 'reception.garbage',
    claim: 'Garbage and bodies of 2 MB are refused, and the back end stays up.',
    reference: 'Spec §5',
    severity: 'should',
    why: 'The address of events is public: everybody can send anything there.',
    seen: 'Sends an empty body, half of a JSON text, `null`, and 2 MB; then asks for the manifest.',
    fix: 'Limit the body (64 KB is plenty), and answer 400 or 413.',
    alone: true,
    run: sendGarbage,
  },
]);

async function sendGarbage(trial: Trial): Promise<void> {
  await trial.installed();
  const { url } = await trial.prepare('access_token');
  const small = [form(''), json('{"token":'), json('null')];
  for (const init of small) {
    const answer = await trial.request(url, init);
    if (answer.status === null)
      throw wrong(`No answer to ${shown(init.body)}: ${answer.error?.message}`);
    requireNoLimit(answer);
    if (isAccepted(answer)) throw wrong(`Status ${answer.status} came for ${shown(init.body)}`);
    if (answer.status >= 500 && answer.status !== 503) {
      throw wrong(`Status ${answer.status} came for ${shown(init.body)}: a defect, not a refusal`);
    }
  }
  // A connection that closes in the middle is a limit, too.
  const large = await trial.request(url, form(`token=${'a'.repeat(2_000_000)}`));
  requireNoLimit(large);
  if (isAccepted(large)) throw wrong(`2 MB were answered with status ${large.status}`);
  if ((await readTarget(trial.target.manifestUrl)).status === null) {
    throw wrong('The back end does not answer any more');
  }
}

const eventsOfInstallation = ['install', 'access_token'] as const;

function requireEvents({ manifest }: Trial): void {
  if (eventsOfInstallation.some((event) => asksFor(manifest, event))) return;
  throw skipped('The manifest asks for neither of them.');
}

const shown = (body: string) => (body === '' ? 'an empty body' : `the body ${body}`);

function requireCreated(delivery: Exchange): void {
  const { event, status, answer } = delivery;
  if (!isAccepted(delivery)) throw wrong(describeRefusal(delivery));
  if (status !== 201) throw wrong(`${event} was answered with status ${status}, not 201`);
  const type = answer?.headers['content-type'] ?? '';
  if (!isJsonType(type)) {
    throw wrong(`${event} was answered with ${type ? `content type ${type}` : 'no content type'}`);
  }
  if (!isJsonText(answer?.body ?? '')) throw wrong(`The body of the answer to ${event} is no JSON`);
}

function requireOneSlash({ world, id }: Trial): void {
  const { slug } = world.tenantOf(id);
  const stray = world.strayPaths().find((path) => path.includes(slug));
  if (stray !== undefined) {
    throw wrong(`The token request went to ${stray.replace(slug, '<tenant>')}`);
  }
}

function isRefusal({ answerHeaders, answer }: OwnRequest): boolean {
  const type = answerHeaders['content-type'] ?? '';
  if (!isJsonType(type) || !isJsonText(answer)) return false;
  return refusalSchema.safeParse(JSON.parse(answer)).success;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function form(body: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  return { method: 'POST', headers, body };
}

function json(body: string) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}
