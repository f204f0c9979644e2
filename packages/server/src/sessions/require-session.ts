/** Finds the session of a request by its bearer token. */
import type { FoundPluginSession, Store } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import type { OwnPlugins } from '../events/own-plugins.ts';
import type { ServerRequest } from '../request/server-request.ts';
import type { CalledPlugin } from './caller.ts';
import { hashToken } from './opaque-token.ts';

export interface SessionCheck {
  store: Pick<Store, 'sessions'>;
  ownPlugins: Pick<OwnPlugins, 'has'>;
  /** The plug-in whose URL was called. */
  plugin: CalledPlugin;
  /** Epoch milliseconds. */
  now: () => number;
}

/** The session of a request. */
export interface CallingSession extends FoundPluginSession {
  /** The session's id, not its secret. */
  sessionId: string;
}

/**
 * The store answers as the database is in this turn of the event loop, so a session ends on every process.
 *
 * @throws ApiError `SESSION_INVALID`
 */
export async function requireSession(
  { store, ownPlugins, plugin, now }: SessionCheck,
  { header }: Pick<ServerRequest, 'header'>,
): Promise<CallingSession> {
  const [, bearer] = /^bearer ([A-Za-z0-9_-]{1,128})$/i.exec(header('authorization') ?? '') ?? [];
  const sessionId = bearer && hashToken(bearer);
  const session = sessionId && (await store.sessions.findPluginSession(sessionId, now()));
  if (!session || !ownPlugins.has(session.pluginId)) throw sessionInvalid();
  // A page of another plug-in would act with this one's scopes.
  if (session.plugin !== plugin.name) throw sessionInvalid();
  return { ...session, sessionId };
}

function sessionInvalid(): ApiError {
  return new ApiError('SESSION_INVALID', 'The session has ended', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
