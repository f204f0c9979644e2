/** Opens a page of the plug-in in the tenant of a check, and calls the back end from there. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, maskSecrets, type Platform } from '@dowel/emulator';
import { requireNoLimit } from '../check.ts';
import { readStart } from '../read-start.ts';
import type { Caller, CallModule, PageContext, SendMessage, SentCall } from './caller.ts';

interface Place extends Omit<PageContext, 'base' | 'initJwt'> {
  platform: Platform;
  manifestUrl: string;
  /** Called with headers and body of each answer, as one text. */
  onAnswer(text: string, status: number): void;
}

const keptCharacters = 120;
const healStepMs = 500;

/** Lets `module` open the page of a widget. @throws what `prepare` throws */
export async function createCaller(module: CallModule, place: Place): Promise<Caller> {
  const send = await module.prepare(await contextOf(place));
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

async function contextOf(place: Place): Promise<PageContext> {
  const { tenantId, pluginId, manifestUrl, createInitJwt, fetch } = place;
  const { instanceId, userId, recipientId } = place;
  const base = new URL('.', manifestUrl).href.replace(/\/$/, '');
  const ids = { tenantId, pluginId, instanceId, userId, recipientId };
  return { ...ids, base, createInitJwt, fetch, initJwt: await createInitJwt() };
}

async function sendCall(send: SendMessage, onAnswer: Place['onAnswer']): Promise<SentCall> {
  const message = `dowel doctor ${randomUUID()}`;
  try {
    const response = await send(message);
    const text = await readStart(response);
    onAnswer([...response.headers.values(), text].join('\n'), response.status);
    // Half a secret would not be recognized.
    const answer = maskSecrets(text).slice(0, keptCharacters);
    return { message, status: response.status, answer };
  } catch (error) {
    return { message, status: null, answer: (error as Error).message.slice(0, keptCharacters) };
  }
}
