/** Actions that send something to the platform. */
import type { OperatedInstallation } from '@dowel/installation-store';
import { TokenClientError } from '@dowel/token-client';
import {
  type ActionContext,
  type Done,
  done,
  type RequestedAction,
  unchanged,
} from './action-context.ts';
import { ActionFailedError, ActionRefusedError } from './action-errors.ts';

const askInstead = 'Ask for a new event.';
const installInstead = "The tenant's administrator must install the plug-in again.";

/** Presents the refresh token now. */
export async function refresh(
  { tokenClient }: ActionContext,
  { installation }: RequestedAction<'refresh'>,
): Promise<Done> {
  const token = requireToken(installation);
  if (installation.status === 'awaiting_event') {
    throw new ActionRefusedError('awaiting_event', 'Its refresh token is dead.', askInstead);
  }
  if (!token.hasRefreshToken) {
    const why = 'The platform gave no refresh token.';
    throw new ActionRefusedError('no_refresh_token', why, askInstead);
  }
  const tokenVersion = await explained(tokenClient.refreshNow(installation.id));
  return { ...done('refreshed', `Refreshed: token set ${tokenVersion} is stored.`), tokenVersion };
}

/** Asks the platform for a new access_token event, ahead of the pause between two requests. */
export async function ask(
  { tokenClient }: ActionContext,
  { installation }: RequestedAction<'ask'>,
): Promise<Done> {
  requireToken(installation);
  const asked = await explained(tokenClient.askForEvent(installation.id));
  switch (asked.outcome) {
    case 'taken':
      return done('asked', 'The platform accepted the request. Its event may come at any time.');
    case 'too_early': {
      const seconds = Math.ceil(asked.retryInMs / 1_000);
      return unchanged(
        'asked_before',
        `An event was asked for a moment ago, or one is being exchanged. Ask again in ${seconds} s.`,
      );
    }
    case 'not_taken':
      throw notTaken(asked.reason);
  }
}

function notTaken(reason: string): Error {
  if (reason === 'no_trigger_event') {
    const why = 'The last event named no way to ask for another one.';
    return new ActionRefusedError('cannot_ask', why, installInstead);
  }
  if (reason === 'secret_integrity') {
    const why = 'The stored request for an event cannot be read.';
    return new ActionRefusedError('cannot_ask', why, installInstead);
  }
  const why = `The platform did not accept the request: ${reason}.`;
  const instead = 'Test the connection, and ask again later.';
  return new ActionFailedError('not_taken', { why, instead }, { reason });
}

/** Sends one GET to the platform with the stored access token. */
export async function test(
  { tokenClient, now }: ActionContext,
  { installation }: RequestedAction<'test'>,
): Promise<Done> {
  const { expiresAt } = requireToken(installation);
  if (installation.status === 'awaiting_event') {
    throw new ActionRefusedError('awaiting_event', 'Its grant is dead.', askInstead);
  }
  if (expiresAt !== null && expiresAt <= now()) {
    throw new ActionRefusedError('token_ended', 'Its access token has run out.', 'Refresh first.');
  }
  const { url, status, durationMs } = await explained(tokenClient.testConnection(installation.id));
  const message = `GET ${url} answered ${status} after ${Math.round(durationMs)} ms.${adviceFor(status)}`;
  return { ...done('tested', message), call: { method: 'GET', url, status, durationMs } };
}

function adviceFor(status: number): string {
  if (status === 401) return ' The platform refuses the access token: refresh.';
  if (status >= 500) return ' The platform has a problem of its own.';
  return '';
}

/** @throws ActionRefusedError */
function requireToken(
  installation: OperatedInstallation,
): NonNullable<OperatedInstallation['token']> {
  if (installation.status === 'uninstalled') {
    const instead = 'Only the platform can install it again.';
    throw new ActionRefusedError('uninstalled', 'It is uninstalled.', instead);
  }
  if (installation.pause) {
    throw new ActionRefusedError(
      'paused',
      `${installation.pause.by} paused it.`,
      'Resume it first.',
    );
  }
  if (installation.token) return installation.token;
  const instead = 'Wait for the access_token event, or install again.';
  throw new ActionRefusedError('no_tokens', 'It has no tokens yet.', instead);
}

/** Turns what the token client throws into words. Errors of the store stay what they are. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof TokenClientError ? explain(error) : withoutAnswer(error);
  }
}

function explain(error: TokenClientError): Error {
  const { code, retryAfterSeconds = 1 } = error;
  switch (code) {
    case 'GRANT_NOT_FOUND':
      return new ActionRefusedError('no_tokens', 'It has no tokens.', 'Check its events.');
    case 'INSTALLATION_PAUSED':
      return new ActionRefusedError('paused', 'It was paused meanwhile.', 'Resume it first.');
    case 'REFRESH_FAILED': {
      const { reason } = (error.cause ?? {}) as { reason?: string };
      const why = `The token endpoint gave no new tokens: ${reason ?? 'too many refreshes'}.`;
      const failure = reason === undefined ? 'too_many_refreshes' : 'no_new_tokens';
      const instead = `Try again in ${retryAfterSeconds} s.`;
      return new ActionFailedError(failure, { why, instead }, { reason, cause: error });
    }
    case 'TOKEN_UNAVAILABLE': {
      const why = 'The refresh token is dead, and the event that was asked for has not come yet.';
      const instead = 'Wait for the event.';
      return new ActionFailedError('event_awaited', { why, instead }, { cause: error });
    }
    case 'CALL_TIMED_OUT': {
      const why = 'The platform did not answer in time.';
      const instead = 'Check that it is reachable.';
      return new ActionFailedError('timed_out', { why, instead }, { cause: error });
    }
    case 'TOO_MANY_WAITING':
    case 'TOO_MANY_UNANSWERED':
      return new ActionRefusedError(
        'busy',
        'Too many requests wait for this platform.',
        `Try again in ${retryAfterSeconds} s.`,
      );
  }
}

/** `fetch` throws a TypeError with a cause when its connection fails. */
function withoutAnswer(error: unknown): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  const why = 'The platform could not be reached.';
  const instead = 'Check its address and its certificate.';
  return new ActionFailedError('unreachable', { why, instead }, { cause: error });
}
