/** What all answers of a run show together. These checks run last. */
import type { Exchange } from '@dowel/emulator';
import { checksOf, type Need, skipped, wrong } from '../check.ts';
import type { World } from '../world/world.ts';
import { coreOf } from './exchange-checks.ts';

const tooSlowMs = 5_000;

const needs: readonly Need[] = [];

export const watchChecks = checksOf(needs, [
  {
    id: 'watch.secrets',
    claim: 'No answer of the back end has a secret, a code or a token.',
    reference: 'Spec §5',
    why: 'Answers stand in logs of the platform and in browsers.',
    seen: 'Looks for every secret, code and token of the run in headers and body of every answer. Parts of them, and base64, are not found.',
    fix: 'Answer with what the caller needs, never with stored records.',
    alone: true,
    async run({ world }) {
      const secrets = secretsOf(world);
      for (const { where, text } of answersOf(world)) {
        const found = secrets.find(({ value }) => text.includes(value));
        if (found) throw wrong(`The answer to ${where} has the ${found.name}`);
      }
    },
  },
  {
    id: 'watch.alive',
    claim: 'The back end never ended by itself.',
    reference: 'Spec §5',
    needs: ['start'],
    why: 'One bad request would end the sessions and calls of all tenants.',
    seen: 'Watches the process that it has started.',
    fix: 'Catch errors for each request.',
    alone: true,
    async run(trial) {
      const ends = trial.process().unexpectedEnds();
      if (ends.length > 0) throw wrong(`It ended ${ends.length} times: ${ends[0]}`);
    },
  },
  {
    id: 'watch.time',
    claim: 'Every event is answered within 5 s.',
    reference: 'Spec §4.1',
    severity: 'should',
    why: 'The platform waits for 30 s, and then the installation has failed.',
    seen: 'Measures every answer to an event, except where the doctor disturbs the exchange. Time in which the doctor itself could not run does not count.',
    fix: 'Limit each of your own requests to 5 to 10 s.',
    alone: true,
    async run({ world }) {
      const disturbed = world.platform
        .exchanges({ kind: 'code' })
        .filter(({ fault }) => fault !== null)
        .map(({ tenantId }) => tenantId);
      const times = world.platform
        .exchanges({ kind: 'event' })
        .filter(({ tenantId }) => !disturbed.includes(tenantId))
        .map((exchange) => {
          const { event, at } = exchange;
          const end = world.endOf(exchange);
          return { event, ms: end - at - world.pulse.lostBetween(at, end) };
        });
      const [slowest] = times.sort((one, other) => other.ms - one.ms);
      if (!slowest) throw skipped('The manifest asks for no event.');
      const seconds = (slowest.ms / 1000).toFixed(1);
      if (slowest.ms > tooSlowMs) throw wrong(`${slowest.event} took ${seconds} s`);
      return `The slowest took ${seconds} s.`;
    },
  },
]);

function answersOf(world: World): { where: string; text: string }[] {
  const events = world.platform
    .exchanges({ kind: 'event', reveal: true })
    .map(({ event, answer }) => ({ where: String(event), text: textOf(answer) }));
  return [...events, ...world.answers];
}

/** Its headers and its body. */
function textOf(answer: Exchange['answer']): string {
  return [...Object.values(answer?.headers ?? {}), answer?.body].join('\n');
}

/** Of events and token answers. */
function secretsOf({ platform }: World): { name: string; value: string }[] {
  const ofEvents = platform.exchanges({ kind: 'event', reveal: true }).flatMap(clientSecretsOf);
  const ofAnswers = (['code', 'refresh'] as const)
    .flatMap((kind) => platform.exchanges({ kind, reveal: true }))
    .flatMap(({ answer }) => tokensOf(answer?.body ?? ''));
  return [...ofEvents, ...ofAnswers];
}

interface SentClient {
  client_secret?: string;
  authorization_code?: string;
  trigger_event?: { body?: string };
}

function clientSecretsOf({ jwt }: Exchange): { name: string; value: string }[] {
  const client = Object(jwt?.claims.client) as SentClient;
  const { client_secret: secret, authorization_code: code, trigger_event: trigger } = client;
  const { token } = JSON.parse(trigger?.body ?? '{}') as { token?: string };
  return [
    ...(secret ? [{ name: 'client secret', value: coreOf(secret) }] : []),
    ...(code ? [{ name: 'authorization code', value: code }] : []),
    ...(token ? [{ name: 'trigger token', value: token }] : []),
  ];
}

function tokensOf(body: string): { name: string; value: string }[] {
  const found = [...body.matchAll(/"(access_token|refresh_token)":"([^"]+)"/g)];
  return found.map(([, name = '', value = '']) => ({ name: name.replace('_', ' '), value }));
}
