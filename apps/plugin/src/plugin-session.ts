/**
 * The session with the plug-in's back end. The bearer lives in this closure only: not in storage, not
 * in an address. When the back end no longer knows it, the platform is asked once for a new init JWT.
 */
import type { Connection } from '@dowel/adapter';
import type { SessionRequest, SessionResponse } from '@dowel/schema';
import { ApiError } from './api-error.ts';
import { request } from './request.ts';

interface ColleagueNotification {
  recipientEmail: string;
  message: string;
}

export interface PluginSession {
  /** @throws ApiError, PluginError */
  notify(notification: ColleagueNotification): Promise<void>;
}

export interface OpenSessionOptions {
  signal?: AbortSignal | undefined;
  /** Meets the platform again, for a new init JWT. */
  reconnect: () => Promise<Connection>;
}

/** @throws ApiError */
export async function openSession(
  connection: Connection,
  { signal, reconnect }: OpenSessionOptions,
): Promise<PluginSession> {
  let sessionToken = await createSession(connection, signal);

  async function renew(): Promise<void> {
    const renewed = await reconnect();
    renewed.close();
    if (!isSameUser(renewed, connection)) {
      const message = 'Another person is signed in to the platform now';
      throw new ApiError('SESSION_USER_CHANGED', { message, status: 401 });
    }
    sessionToken = await createSession(renewed);
  }

  function post(body: ColleagueNotification): Promise<unknown> {
    return request('/api/notifications', { body, sessionToken });
  }

  return {
    async notify(notification) {
      try {
        await post(notification);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        await renew();
        await post(notification);
      }
    },
  };
}

async function createSession(connection: Connection, signal?: AbortSignal): Promise<string> {
  const { initJwt, instanceId } = connection;
  const body: SessionRequest = { initJwt, instanceId };
  const answer = (await request('/api/session', { body, signal })) as SessionResponse | undefined;
  if (typeof answer?.sessionToken === 'string') return answer.sessionToken;
  throw new ApiError('ANSWER_INVALID', { message: 'No session', status: 201 });
}

function isSameUser(a: Connection, b: Connection): boolean {
  return a.claims.ctx.userId === b.claims.ctx.userId && a.claims.iss === b.claims.iss;
}
