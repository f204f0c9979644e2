/** The controls of the token client and of the lease beneath it (threat groups C, D and H, fault groups R and T). */
import { type Control, controlsOf } from './control.ts';

const tokenClient = 'packages/token-client/src';
const store = 'packages/installation-store/src';
const hostile = [`${tokenClient}/hostile-platform.test.ts`];
const tokens = [`${tokenClient}/token-client.test.ts`];
const calls = [`${tokenClient}/calls.test.ts`];
const away = [`${tokenClient}/database-away.test.ts`];
const events = [`${tokenClient}/accept-event.test.ts`];
const policy = [`${tokenClient}/policy.test.ts`];
const passing = [`${tokenClient}/scenarios/passing-failures.test.ts`];
const recovery = [`${tokenClient}/recovery.test.ts`];
const transport = [`${tokenClient}/transport.test.ts`];
const contract = [`${store}/store-contract.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${tokenClient}/token-request.ts`, hostile, [
    ['C17', "throw new TokenRequestError('token_tenant_mismatch', { rejected: true });"],
    ['C19', 'Math.min(expires_in, maxLifetimeSeconds)', 'expires_in'],
    ['D02', "if (code === 'ADDRESS_NOT_ALLOWED') {", 'if (code === "7") {'],
    ['D06', "redirect: 'error'", "redirect: 'follow'"],
    ['T3', 'fault instanceof AggregateError', 'false'],
    ['Basic', "access.clientId.includes(':')", 'false'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, tokens, [
    ['§4.2', 'target.searchParams.append(name, value);'],
    ['§4.2', '? plainBasic(access)', '? undefined'],
    ['R9', 'response.refresh_token ?? refreshToken', 'response.refresh_token ?? null'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, events, [
    ['R2', 'mayBeSpent: !isUnsent', 'mayBeSpent: false'],
  ]),
  ...controlsOf(`${tokenClient}/transport.ts`, transport, [
    ['T3', 'connect: { timeout: connectTimeoutMs },'],
  ]),
  ...controlsOf(`${tokenClient}/token-answer.ts`, hostile, [
    ['D12', 'return isCode ? code : `token', 'return true ? JSON.stringify(answer) : `token'],
    ['D13', 'if (size > maxAnswerBytes)', 'if (size < 0)'],
    ['T2', 'response.status >= 500 ||'],
    ['T2', 'passingStatuses.has(response.status)', 'false'],
    ['C19', 'seconds >= 0', 'true'],
    ['code', '([name, value]) => value !== null &&', '([name, value]) =>'],
    ['C16', "(name === 'refresh_token' && value === '')", "(value === '')"],
    ['code', 'return Response.json(forgive(answer));', 'return Response.json(answer);'],
  ]),
  ...controlsOf(`${tokenClient}/token-answer.ts`, passing, [
    ['T2', "parseRetryAfter(response.headers.get('retry-after'), now)", 'undefined'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, hostile, [
    ['D06', "redirect: 'error'", "redirect: 'follow'"],
  ]),
  ...controlsOf(`${tokenClient}/call-request.ts`, hostile, [
    ['D08', 'return joinPlatformUrl(baseUrl, path).href;', 'return new URL(path, baseUrl).href;'],
  ]),
  ...controlsOf(`${tokenClient}/call-request.ts`, calls, [
    ['D08', "all.set('authorization',", "all.append('authorization',"],
    ['query', 'url.search = path.slice(queryAt);'],
    ['streams', 'Symbol.asyncIterator in body', 'false'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, calls, [['R4', 'if (running) return running;']]),
  ...controlsOf(`${tokenClient}/token-client.ts`, tokens, [
    ['R8', '(expiresAt - issuedAt) / 2', 'policy.expiryMarginMs'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, calls, [
    ['R4', 'known.tokenVersion === tokenVersion ? renew', 'true ? renew'],
    ['I05', 'if (waitingCalls >= policy.maxWaitingCalls) {', 'if (false) {'],
    ['abort', 'AbortSignal.any([inTime, init.signal])', 'inTime'],
    ['drain', '      closing.abort();'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, away, [
    ['N1', 'if (known && !(error instanceof TokenClientError) && isAlive(known)) return known;'],
    ['E12', "return recovery.recover(version, 'secret_integrity', policy.waitMs);", 'throw error;'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, tokens, [
    ['R3', 'if (rejected) return recovery.recover(', 'return recovery.recover('],
    ['§5', 'if (!isUseless()) {', 'if (false) {'],
    ['H07', "if (cause === 'refused' || !isUseless() ||", 'if ('],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, away, [
    ['D2', 'if (current.tokenVersion !== grant.tokenVersion) return', 'return'],
  ]),
  ...controlsOf(`${tokenClient}/save-tokens.ts`, away, [
    ['D2', 'inBackground(saveLater(save, refreshed));'],
    ['D3', 'if (!isStored && (await isStoredBefore(grants, grant, tokens))) return true;'],
    ['D3', "if (isStored) observe({ type: 'saved'", "observe({ type: 'saved'"],
    ['D2', 'return cache.put(refreshed, true);', 'return cache.read(installationId);'],
    ['D2', 'if (closing.aborted || !isPassing(error)) throw error;', 'throw error;'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, tokens, [
    ['T7', 'if (result?.taken === false) throw notTaken(result);'],
    ['R10', 'if (diedOf === undefined) return cache.read(installationId);'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, recovery, [
    ['T7', 'if (!death.isTold) {', 'if (true) {'],
    ['T7', 'if (refusal && (await isCurrent(version))) throw', 'if (refusal) throw'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, recovery, [
    ['T7', 'if (recovery.diedOf(grant) !== undefined) return false;'],
  ]),
  ...controlsOf(`${tokenClient}/policy.ts`, policy, [
    ['T2', 'Math.min(retryAfterMs, maxRetryAfterMs)', 'retryAfterMs'],
    ['C20', 'trigger.takenMs * factor', 'trigger.takenMs'],
    ['T7', 'trigger.failedMs * factor', 'trigger.failedMs'],
    ['T2', 'Math.min(backOff.maxMs, ', '('],
  ]),
  ...controlsOf(`${tokenClient}/accept-event.ts`, events, [
    ['C16', 'assertGranted(received.tokens, options.essentialScopes ?? options.requestedScopes);'],
    ['R2', 'presented > policy.maxPresentations', 'false'],
    ['R2', "presented === 1 ? 'over' : 'unknown'", "'over'"],
    ['T2', "error.mayBeSpent ? 'unknown' : 'unspent'", "'unknown'"],
  ]),
  ...controlsOf(`${tokenClient}/trigger.ts`, hostile, [
    [
      'D10',
      'trigger.body?.reveal() ?? null',
      'JSON.stringify(JSON.parse(trigger.body?.reveal() ?? "{}"))',
    ],
  ]),
  ...controlsOf(`${store}/renewal-store.ts`, contract, [
    ['R5', ".where(isPast('lease_until'))"],
    ['T8', ".where(isPast('held_until'))"],
    ['T2', ".where(isPast('next_refresh_at'))"],
    ['R2', ".where('presented', '<', maxPresentations)"],
    [
      'R7',
      ".where('lease_owner', '=', owner)\n        .where('lease_sequence', '=', sequence)",
      ".where('lease_owner', '=', owner)",
    ],
    ['T8', 'and exchange_intents.iat > excluded.iat', 'and 1 = 0'],
    ['T8', ".where(not(isPast('held_until')))", ".where('generation', '<', 0)"],
  ]),
  ...controlsOf(`${store}/grant-store.ts`, contract, [
    [
      'R7',
      ".$if(ifVersion !== undefined, (query) => query.where('token_version', '=', ifVersion ?? 0))",
    ],
    [
      'R10',
      ".where('token_version', '=', tokenVersion)\n        .where('status', 'not in'",
      ".where('status', 'not in'",
    ],
    ['H07', 'triggerRestMs = 30_000;', 'triggerRestMs = 0;'],
    ['E12', "reason !== 'secret_integrity'", 'true'],
  ]),
];
