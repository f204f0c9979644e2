/** Turns a caught error into words for the user: what happened, what to do, and the code to quote. */
import { PluginError, type PluginErrorCode } from '@dowel/adapter';
import { ApiError } from './api-error.ts';
import type { ProblemName, Texts } from './texts.ts';

export interface Explanation {
  what: string;
  /** The back end's own message, if it is in the user's language. */
  said?: string | undefined;
  advice: string;
  /** For the person who fixes it: the code and the observed failure. */
  details: string;
}

const byPluginCode: Record<PluginErrorCode, ProblemName> = {
  ERR_OPTIONS: 'other',
  ERR0: 'insecure',
  ERR1: 'keyNotTrusted',
  ERR2: 'untrusted',
  ERR3: 'untrusted',
  ERR4: 'clock',
  ERR5: 'clock',
  ERR6: 'timeout',
  ERR7: 'keyNotLoaded',
  ERR8: 'keyNotTrusted',
  ERR_NOT_EMBEDDED: 'notEmbedded',
  ERR_ABORTED: 'other',
  ERR_DESTROYED: 'other',
  ERR_CONFIG: 'settings',
  ERR_SESSION: 'forbidden',
  ERR_NETWORK: 'network',
};

/** Cases in which the status alone is not enough. */
const byApiCode: Partial<Record<string, ProblemName>> = {
  ACCESS_UNAVAILABLE: 'renewing',
  INSTALLATION_PAUSED: 'other',
  PLATFORM_BUSY: 'other',
};

const byStatus: Partial<Record<number, ProblemName>> = {
  0: 'network',
  400: 'invalid',
  401: 'session',
  403: 'forbidden',
  404: 'forbidden',
  422: 'invalid',
  429: 'tooMany',
  503: 'renewing',
};

export function explainProblem(error: unknown, texts: Texts): Explanation {
  if (error instanceof PluginError) {
    const { code, retryAfterMs } = error;
    const [what, general] = texts.problems[byPluginCode[code]];
    const advice = retryAfterMs ? texts.inSeconds(Math.ceil(retryAfterMs / 1_000)) : general;
    return { what, advice, details: describe(error) };
  }
  if (error instanceof ApiError) return explainApiError(error, texts);
  const [what, advice] = texts.problems.other;
  return { what, advice, details: String(error) };
}

function describe({ code, message, diagnosis }: PluginError): string {
  return message === diagnosis ? `${code}: ${message}` : `${code}: ${message}. ${diagnosis}`;
}

function explainApiError(error: ApiError, texts: Texts): Explanation {
  const { code, message, status, retryAfterSeconds } = error;
  const name = problemOf(error);
  const [what, advice] = texts.problems[name];
  const saysMore = code !== 'ANSWER_INVALID' && name !== 'network' && name !== 'renewing';
  const details = status === 0 ? code : `${code} (HTTP ${status})`;
  // The back end writes English.
  const isForUser = texts.language === 'en';
  return {
    what,
    said: saysMore && isForUser ? message : undefined,
    advice: retryAfterSeconds === undefined ? advice : texts.inSeconds(retryAfterSeconds),
    details: saysMore && !isForUser ? `${details}: ${message}` : details,
  };
}

/** A 503 without a waiting time is an outage, unless the back end reports a renewal. */
function problemOf({ code, status, retryAfterSeconds }: ApiError): ProblemName {
  const isOutage = status === 503 && retryAfterSeconds === undefined;
  return byApiCode[code] ?? (isOutage ? 'other' : byStatus[status]) ?? 'other';
}
