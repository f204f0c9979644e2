/** Ends an answer that is still being sent when its session ends, on every process (rows G05 and S15). */
import { systemTimer } from '@dowel/http';
import type { FoundPluginSession, Store } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { requireSession, type SessionCheck } from './require-session.ts';

export interface SessionWatchContext extends SessionCheck {
  store: Pick<Store, 'sessions' | 'onChange'>;
}

export interface WatchedAnswer {
  request: Pick<ServerRequest, 'header'>;
  session: FoundPluginSession;
  /** Called once, when the session has ended. */
  end: () => void;
}

interface Watch extends WatchedAnswer {
  context: SessionWatchContext;
  isOver: boolean;
  isLooking: boolean;
  /** A change was announced during the check. */
  isStale: boolean;
}

/** If the database is unavailable, the check is repeated after this time. */
const againMs = 500;

/**
 * Checks at once, and after each change of the installation. The store announces changes to all processes within
 * about a second.
 *
 * @returns a function that stops it.
 */
export function watchSession(context: SessionWatchContext, answer: WatchedAnswer): () => void {
  const watch: Watch = { ...answer, context, isOver: false, isLooking: false, isStale: false };
  const { installationId, expiresAt } = answer.session;
  const stops = [
    context.store.onChange((changed) => {
      if (changed === null || changed === installationId) void look(watch);
    }),
    systemTimer.after(Math.max(0, expiresAt - context.now()), () => finish(watch)),
  ];
  void look(watch);
  return () => {
    watch.isOver = true;
    for (const stop of stops) stop();
  };
}

async function look(watch: Watch): Promise<void> {
  watch.isStale = true;
  if (watch.isLooking) return;
  watch.isLooking = true;
  while (watch.isStale && !watch.isOver) {
    watch.isStale = false;
    const found = await findSession(watch);
    if (found === 'ended') finish(watch);
    if (found === 'unknown') systemTimer.after(againMs, () => void look(watch));
  }
  watch.isLooking = false;
}

async function findSession({ context, request }: Watch): Promise<'open' | 'ended' | 'unknown'> {
  try {
    await requireSession(context, request);
    return 'open';
  } catch (error) {
    return error instanceof ApiError ? 'ended' : 'unknown';
  }
}

function finish(watch: Watch): void {
  if (watch.isOver) return;
  watch.isOver = true;
  watch.end();
}
