/** Opens a page of the plug-in in the tenant of a check, and calls the back end from there. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, maskSecrets, type Platform } from '@dowel/emulator';
import type { Manifest } from '@dowel/schema';
import { requireNoLimit, skipped } from '../check.ts';
import type { Caller, CallModule, PageContext, SendMessage, SentCall } from './caller.ts';

interface Place {
  platform: Platform;
  tenantId: string;
  pluginId: string;
  /** Who opens the page, and who gets the notifications. */
  userIds: readonly string[];
  manifestUrl: string;
  manifest: Manifest;
  /** Called with the body of each answer. */
  onAnswer(text: string): void;
}

const keptCharacters = 120;
const healStepMs = 500;

/** Places a widget, and lets `module` open its page. @throws what `prepare` throws */
export async function createCaller(module: CallModule, place: Place): Promise<Caller> {
  const send = await module.prepare(await openPage(place));
  const { platform, tenantId } = place;
  const call = () => sendCall(send, place.onAnswer);
  const arrivals = ({ message }: Pick<SentCall, 'message'>): Exchange[] =>
    platform
      .exchanges({ tenantId, kind: 'api', reveal: true })
      .filter(({ body }) => body.includes(message));
  const hasArrived: Caller['hasArrived'] = (sent) =>
    arrivals(sent).some(({ status }) => status !== null && status < 300);
  return {
    call,
    calls: (count) => Promise.all(Array.from({ length: count }, call)),
    arrivals,
    hasArrived,
    async heals(seconds) {
      const end = Date.now() + seconds * 1000;
      let sent: SentCall;
      do {
        sent = await call();
        if (hasArrived(sent)) return true;
        await sleep(healStepMs, undefined, { ref: false });
      } while (Date.now() < end);
      requireNoLimit(sent);
      return false;
    },
  };
}

async function openPage(place: Place): Promise<PageContext> {
  const { platform, tenantId, pluginId, manifest, manifestUrl } = place;
  const [userId = '', recipientId = userId] = place.userIds;
  const entryPointId = manifest.entryPoints[0]?.id;
  if (entryPointId === undefined) throw skipped('The manifest has no entry point.');
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  const createInitJwt = (jti: string = randomUUID()) =>
    platform.createInitJwt({ userId, instanceId, jti });
  return {
    createInitJwt,
    initJwt: await createInitJwt(),
    base: manifestUrl.replace(/\/[^/]*$/, ''),
    instanceId,
    pluginId,
    tenantId,
    userId,
    recipientId,
  };
}

async function sendCall(send: SendMessage, onAnswer: Place['onAnswer']): Promise<SentCall> {
  const message = `dowel doctor ${randomUUID()}`;
  try {
    const response = await send(message);
    const text = await response.text();
    onAnswer(text);
    // Half a secret would not be recognized.
    const answer = maskSecrets(text).slice(0, keptCharacters);
    return { message, status: response.status, answer };
  } catch (error) {
    return { message, status: null, answer: (error as Error).message.slice(0, keptCharacters) };
  }
}
