/**
 * Passes the calls of the plug-ins' iframes to the core. An operation runs only if the table names it; nothing is
 * proxied. All paths are fixed, so a map finds them.
 */
import type { Context, Next } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { type OperationsContext, runOperation } from '../operations/run-operation.ts';
import { requestOf, sendAnswer } from '../request/server-exchange.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { openSession, type SessionContext } from '../sessions/open-session.ts';
import { giveNonce } from '../sessions/session-nonce.ts';
import { markRoute } from './request-log.ts';

export type PluginRoutesContext = SessionContext &
  OperationsContext & {
    logger: Pick<Log, 'error'>;
    /** '' or `/polls`. */
    prefix: string;
  };

type Answer = (context: PluginRoutesContext, request: ServerRequest) => Promise<ServerAnswer>;

interface Called {
  receiver: PluginRoutesContext;
  answer: Answer;
}

/** The calls of one plug-in by their paths below `api/`: nonces, sessions and operations. All are posted. */
export function listCalls({ prefix, operations }: PluginRoutesContext): Map<string, Answer> {
  return new Map<string, Answer>([
    [`${prefix}/api/session/nonce`, giveNonce],
    [`${prefix}/api/session`, openSession],
    ...[...operations.keys()].map((name) => [`${prefix}/api/${name}`, runOperation] as const),
  ]);
}

export function answerCalls(receivers: readonly PluginRoutesContext[]) {
  const calls = new Map<string, Called>();
  for (const receiver of receivers) {
    for (const [path, answer] of listCalls(receiver)) calls.set(path, { receiver, answer });
  }
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path, method } = ctx;
    const called = calls.get(path);
    if (!called) return next();
    markRoute(ctx, path);
    if (method !== 'POST') {
      throw new ApiError('METHOD_NOT_ALLOWED', 'Calls are sent by POST', {
        headers: { Allow: 'POST' },
      });
    }
    const { receiver, answer } = called;
    sendAnswer(ctx, await answer(receiver, requestOf(ctx, receiver.logger)));
  };
}
