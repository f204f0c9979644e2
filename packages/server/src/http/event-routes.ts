/** Passes requests that are posted to the address of an event to the core. */
import type { Context, Next } from 'koa';
import { answerEvent, type EventContext } from '../events/answer-event.ts';
import { requestOf, sendAnswer } from '../request/server-exchange.ts';
import { calledEventOf, type EventReceiver } from './mark-events.ts';

/** `markEvents` must get receivers of this type. */
export async function answerEvents(ctx: Context, next: Next): Promise<void> {
  const called = calledEventOf<EventReceiver & EventContext>(ctx);
  if (called === undefined || ctx.method !== 'POST') return next();
  const { receiver, name } = called;
  sendAnswer(ctx, await answerEvent(receiver, requestOf(ctx, receiver.logger), name));
}
