/** The controls of the token client and of the lease beneath it (threat groups C, D and H, fault groups R and T). */
import { type Control, controlsOf } from '../control.ts';

const tokenClient = 'packages/token-client/src';
const store = 'packages/installation-store/src';
const unsent = [`${tokenClient}/unsent-request.test.ts`];
const answers = [`${tokenClient}/token-answer.test.ts`];
const requests = [`${tokenClient}/sent-requests.test.ts`];
const exchange = [`${tokenClient}/code-exchange.test.ts`];
const renewal = [`${tokenClient}/renewal.test.ts`];
const trigger = [`${tokenClient}/trigger.test.ts`];
const calls = [`${tokenClient}/calls.test.ts`];
const callRequest = [`${tokenClient}/call-request.test.ts`];
const ending = [`${tokenClient}/ending-calls.test.ts`];
const cache = [`${tokenClient}/grant-cache.test.ts`];
const heard = [`${tokenClient}/heard-changes.test.ts`];
const healing = [`${store}/stores/healing.test.ts`];
const away = [`${tokenClient}/database-away.test.ts`];
const damaged = [`${tokenClient}/damaged-values.test.ts`];
const events = [`${tokenClient}/accept-event.test.ts`];
const policy = [`${tokenClient}/policy.test.ts`];
const places = [`${tokenClient}/fair-gate.test.ts`, `${tokenClient}/fair-places.test.ts`];
const bodies = [`${tokenClient}/places-of-bodies.test.ts`];
const slow = [`${tokenClient}/slow-lease.test.ts`];
const passing = ['proof/simulator/simulator.test.ts'];
const late = ['proof/simulator/simulator.test.ts'];
const refused = ['proof/simulator/simulator.test.ts'];
const recovery = [`${tokenClient}/recovery.test.ts`];
const uncertain = [`${tokenClient}/uncertain-attempt.test.ts`];
const contract = [`${store}/store-contract.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${tokenClient}/token-request.ts`, answers, [
    ['C17', "throw new TokenRequestError('token_tenant_mismatch', failure);"],
    [
      'R2',
      'const mayBeSpent = error.mayBeSpent && refusedTokens.has(reason);',
      'const mayBeSpent = false;',
    ],
    ['R2', 'error.mayBeSpent && refusedTokens.has(reason)', 'error.mayBeSpent'],
    ['C19', 'Math.min(expires_in, maxLifetimeSeconds)', 'expires_in'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, requests, [
    ['D02', "if (faultOf(error).code === 'ADDRESS_NOT_ALLOWED') {", 'if (false) {'],
    ['D06', "redirect: 'manual'", "redirect: 'follow'"],
    ['T2', "redirect: 'manual'", "redirect: 'error'"],
    ['Basic', "access.clientId.includes(':')", 'false'],
  ]),
  ...controlsOf(`${tokenClient}/unsent-request.ts`, requests, [
    ['T3', 'fault instanceof AggregateError', 'false'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, exchange, [
    ['§4.2', ', String(body)]', ']'],
    ['§4.2', '? plainBasic(access)', '? undefined'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, renewal, [
    ['R9', 'response.refresh_token ?? before.refreshToken', 'response.refresh_token ?? null'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, events, [
    ['R2', 'mayBeSpent: !isNotSent', 'mayBeSpent: false'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, unsent, [
    ['T3', 'isKnownUnsent || isUnsent(error)', 'isUnsent(error)'],
  ]),
  ...controlsOf(`${tokenClient}/unsent-request.ts`, unsent, [
    ['T3', "return syscall === 'connect';", 'return true;'],
    ['T3', '|ERR_TLS_|', '|ERR_SSL_|ERR_TLS_|'],
  ]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, unsent, [
    ['H15', "if (!isUnsent || sent.ending !== 'timed out') throw cause;", 'throw cause;'],
  ]),
  ...controlsOf(`${tokenClient}/context.ts`, requests, [
    ['D02', '?? createGuardedFetch(guard)', '?? globalThis.fetch'],
    [
      'D02',
      'createGuardedFetch({ ...guard, ',
      'createGuardedFetch({ internalOrigins: ["https://localhost"], ',
    ],
  ]),
  ...controlsOf(
    `${tokenClient}/context.ts`,
    [`${tokenClient}/slow-answers.test.ts`],
    [['limits', 'headersTimeoutMs: 0', 'headersTimeoutMs: 30_000']],
  ),
  ...controlsOf(`${tokenClient}/token-answer.ts`, answers, [
    [
      'D12',
      'return isOAuthErrorCode(code) ? code :',
      'return true ? (JSON.stringify(answer) as "invalid_grant") :',
    ],
    ['D13', 'readBounded(body, maxAnswerBytes)', 'readBounded(body, Infinity)'],
    ['T2', 'canBeFinal(response) && isFinal', 'isFinal'],
    ['T2', ": text.catch(() => '')", ': text'],
    ['T2', '&& isFinal(reason)', '&& true'],
    ['T2', "  'unauthorized_client',"],
    ['C19', 'seconds >= 1;', 'seconds > 0;'],
    ['code', 'new TextDecoder()', 'new TextDecoder("utf-8", { ignoreBOM: true })'],
    ['code', '([, value]) => value !== null', '() => true'],
    ['code', '!optionalMembers.has(name) || !invalid.has(name)', 'true'],
    ['code', 'isTexts(scope) ? joinScopes(scope) : scope', 'scope'],
    [
      'code',
      'const { normal, respelled } = normalizeAnswer(answer);',
      'const normal = answer;\n    const respelled: Respelling[] = [];',
    ],
  ]),
  ...controlsOf(`${tokenClient}/token-answer.ts`, passing, [
    ['T2', "parseRetryAfter(headers.get('retry-after'), now)", 'undefined'],
  ]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, requests, [
    ['D06', "redirect: 'error'", "redirect: 'follow'"],
    [
      'H06',
      'if (response.status !== 401) {',
      'if (response.status < 500 && response.status !== 401) {',
    ],
  ]),
  ...controlsOf(`${tokenClient}/call-request.ts`, callRequest, [
    ['D08', '!callPath.test(plain) || '],
    ['D08', ' || hasDotSegment(plain)'],
    ['D08', "all.set('authorization',", "all.append('authorization',"],
    ['query', 'url.search = query;'],
    ['query', 'if (plainQuery.test(query)) return', 'if (true) return'],
    ['streams', 'Symbol.asyncIterator in body', 'false'],
  ]),
  ...controlsOf(`${tokenClient}/single-flight.ts`, calls, [
    ['R4', 'if (running) return join(', 'if (running && !running) return join('],
  ]),
  ...controlsOf('packages/schema/src/token-expiry.ts', renewal, [
    ['R8', 'Math.max(0, (expiresAt - issuedAt) / 2)', 'marginMs'],
  ]),
  ...controlsOf(`${tokenClient}/usable-grant.ts`, calls, [
    ['R4', 'if (known.grant.tokenVersion !== tokenVersion) return', 'if (false) return'],
  ]),
  ...controlsOf(`${tokenClient}/wait-for-tokens.ts`, ending, [
    ['I05', 'own >= Math.max(1, Math.floor(free / 4))', 'false'],
  ]),
  ...controlsOf(`${tokenClient}/fair-gate.ts`, places, [
    ['I05', 'taken >= size ||'],
    ['I05', 'Math.max(1, Math.floor(share.size / 2))', 'share.size'],
    ['I05', 'if (!mayTake(gate, share)) return undefined;'],
    ['I05', 'lane.takenBy.suspect < figures.suspectPlaces', 'true'],
    ['I05', 'lane.takenBy.new < figures.newPlaces', 'true'],
    ['I05', 'lane.takenBy.new < figures.suspectPlaces', 'true'],
    ['I05', "return taken === 0 ? 'first' : 'further';", "return 'first';"],
    ['I05', "signal?.addEventListener('abort', leaveLine);"],
    ['I05', 'for (const leaveLine of leavers) leaveLine();'],
    ['I05', 'Math.min(share.size + 1, figures.maxPlaces)', 'share.size + 1'],
  ]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, places, [
    ['I05', "sent.ending = 'timed out';"],
    ['I05', 'return warm ?? waitForTokens(', 'return waitForTokens('],
    ['I05', ' || isConnectTimeout(error)'],
  ]),
  ...controlsOf(
    `${tokenClient}/call-platform.ts`,
    ['packages/server/src/operations/operation-platform.test.ts'],
    [['I05', 'isTimeout(init.signal) || ']],
  ),
  ...controlsOf(`${tokenClient}/call-platform.ts`, bodies, [
    ['I05', "sent.ending = 'answered';"],
    ['I05', "if (sent.ending === 'answered') giveBack(callGate, share);"],
    ['I05', 'if (sent.isBodyOver) '],
    ['I05', "report(callGate, share, 'answered');"],
  ]),
  ...controlsOf(`${tokenClient}/context.ts`, bodies, [['I05', 'onBodyEnd?.();']]),
  ...controlsOf(`${tokenClient}/wait-for-tokens.ts`, places, [['I05', '(calls - own)', 'calls']]),
  ...controlsOf(`${tokenClient}/refused-paths.ts`, calls, [
    ['H07', 'known.acceptedVersion !== grant.tokenVersion', 'false'],
    ['H07', '|| known.accepting.has(withoutQuery(path))'],
    ['H07', 'known.accepting.set(withoutQuery(path), true);'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, passing, [['T2', '.catch(keepRefreshToken)']]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, calls, [
    [
      'H17',
      'if (generation !== undefined && grant.generation !== generation) throw grantNotFound();',
    ],
    ['H07', 'if (response.status < 500) noteAccepted(', 'noteAccepted('],
    ['H07', 'if (await isOfPath.catch(() => false)) return response;'],
  ]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, ending, [
    ['late', 'untilHeaders,\n        onBodyEnd', 'onBodyEnd'],
    ['I05', 'init.signal?.throwIfAborted();'],
    ['I05', 'signal?.aborted || timer.monotonic() >= endsAt', 'timer.monotonic() >= endsAt'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, ending, [['drain', '  closing.abort();']]),
  ...controlsOf(`${tokenClient}/token-client.ts`, away, [
    ['drain', 'while (flights.size + background.size > 0) await', 'await'],
  ]),
  ...controlsOf(`${tokenClient}/grant-cache.ts`, cache, [
    ['heard', 'stored.delete(installationId);'],
    ['D2', 'isUnsaved ? [unsaved, stored]', 'false ? [unsaved, stored]'],
    ['heard', 'if (count.changes === 0) return', 'return'],
    ['heard', 'else for (const each of [...stored.keys(), ...counts.keys()]) forget(state, each);'],
  ]),
  ...controlsOf(`${tokenClient}/grant-cache.ts`, heard, [['living', 'if (!ofTokens) return;']]),
  ...controlsOf(`${tokenClient}/save-tokens.ts`, heard, [
    ['heard', 'if (count.changes <= 1) return', 'return'],
  ]),
  ...controlsOf(`${tokenClient}/single-flight.ts`, damaged, [
    [
      'E12',
      'return recover(context, version, {',
      'if (true) throw error; return recover(context, version, {',
    ],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, renewal, [
    ['R3', 'if (rejected) return recover(', 'return recover('],
    ['H07', "if (wanted.cause === 'refused' || !isUseless(context, wanted) || ", 'if ('],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, trigger, [
    ['§5', 'if (!isUseless(context, wanted)) {', 'if (false) {'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, away, [
    ['D2', 'if (current.tokenVersion !== tokenVersion) return {', 'if (true) return {'],
  ]),
  ...controlsOf(`${tokenClient}/save-tokens.ts`, away, [
    ['D2', 'runInBackground(context, saveLater(context, answered));'],
    ['D3', 'if (storedBefore) return storedBefore;'],
    ['D3', "if (isStored) observe({ type: 'saved'", "observe({ type: 'saved'"],
    ['D2', 'const kept = cache.put(unsaved, true);', 'const kept = unsaved;'],
    ['D2', 'if (isOver) throw error;', 'throw error;'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, trigger, [
    ['T7', 'if (result?.taken === false) throw notTaken(result);'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, renewal, [
    ['R10', 'if (storedReason === undefined) return true;'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, recovery, [
    ['T7', 'if (dead.isStored) return false;'],
    ['T7', 'if (refusal && !(await isReplaced(context, version))) throw', 'if (refusal) throw'],
  ]),
  ...controlsOf(`${tokenClient}/usable-grant.ts`, recovery, [
    ['T7', 'if (diedOf(context, grant) !== undefined) return false;'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, recovery, [
    ['heal', 'if (due.length < healedPerPage) break;', 'break;'],
    ['heal', 'const maxPages = 10;', 'const maxPages = 100;'],
  ]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, late, [['R2', ' && !grant.isInDoubt']]),
  ...controlsOf(`${tokenClient}/call-platform.ts`, renewal, [
    ['R7', 'isNewlyRenewed = !renewal.isFound &&', 'isNewlyRenewed ='],
  ]),
  ...controlsOf(`${tokenClient}/usable-grant.ts`, renewal, [
    ['R4', '{ grant: cached, isFound: true }', '{ grant: cached, isFound: false }'],
  ]),
  ...controlsOf(`${tokenClient}/single-flight.ts`, trigger, [
    ['§5', "if (cause === 'refused' && running.cause === 'expiring') return renewAgain();"],
  ]),
  ...controlsOf(`${tokenClient}/usable-grant.ts`, passing, [
    ['R2', 'if (first) return first.grant;', 'return (first ?? (await renewal)).grant;'],
  ]),
  ...controlsOf(`${tokenClient}/usable-grant.ts`, refused, [
    ['R4', 'if (flight.isRefused || !isAlive(context, known))', 'if (!isAlive(context, known))'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, late, [
    ['R2', 'unanswered === 0 ? attemptTimeoutMs : repeatTimeoutMs', 'repeatTimeoutMs'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, slow, [
    ['R2', 'if (!isExtended) return', 'if (false) return'],
    ['R2', 'const isSettled = !(await hasLapsed(answer)) ||', 'const isSettled = true ||'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, uncertain, [
    ['R2', 'if (mayBeStored(error)) takeBackLease(context, wanted.grant, owner);'],
    [
      'R2',
      '      takeBackLease(context, wanted.grant, owner);\n      throw error;',
      'throw error;',
    ],
    ['R2', 'runInBackground(context, retryUntilStored(context, write, retry));'],
  ]),
  ...controlsOf(`${tokenClient}/take-back.ts`, uncertain, [
    ['R2', 'if (!(await first)) await lookAgain(', 'if (false) await lookAgain('],
  ]),
  ...controlsOf(`${tokenClient}/accept-event.ts`, uncertain, [
    ['R2', 'if (mayBeStored(error)) takeBackLater(context, installation.id, takeBack);'],
  ]),
  ...controlsOf(`${tokenClient}/renewal.ts`, ending, [
    ['drain', 'onRespelled, signal };', 'onRespelled };'],
  ]),
  ...controlsOf(`${tokenClient}/token-answer.ts`, late, [
    ['T2', 'status === 504 ||', 'status === 505 ||'],
  ]),
  ...controlsOf(`${tokenClient}/accept-event.ts`, late, [
    ['T8', 'isInDoubt: begun.unanswered > 0', 'isInDoubt: false'],
  ]),
  ...controlsOf(`${tokenClient}/save-tokens.ts`, late, [
    ['R2', 'cache.put({ ...refreshed, isInDoubt, isPaused', 'cache.put({ ...refreshed, isPaused'],
  ]),
  ...controlsOf(`${tokenClient}/save-tokens.ts`, away, [
    ['R2', 'isInDoubt = lease.unanswered > 0', 'isInDoubt = false'],
  ]),
  ...controlsOf(`${tokenClient}/policy.ts`, policy, [
    ['T2', 'Math.min(retryAfterMs, maxRetryAfterMs)', 'retryAfterMs'],
    ['C20', 'trigger.takenMs * factor', 'trigger.takenMs'],
    ['T7', 'trigger.failedMs * factor', 'trigger.failedMs'],
    ['T2', 'Math.min(backOff.maxMs, ', '('],
    ['R2', 'mayBeSpent ? unansweredPauseMs : 0', '0'],
    ['C19', 'if (value > mostMs) throw', 'if (false) throw'],
    ['R2', 'if (leaseMs > leastMs) return;', 'return;'],
  ]),
  ...controlsOf(`${tokenClient}/accept-event.ts`, events, [
    ['C16', 'assertGranted(redeemed, essentialScopes);'],
    ['R2', 'begun.presented > policy.maxPresentations', 'false'],
    ['R2', "presented === 1 ? 'over' : 'unknown'", "'over'"],
    ['T2', "return error.mayArrive ? 'deferred' : 'unspent';", "return 'unknown';"],
  ]),
  ...controlsOf(`${tokenClient}/trigger.ts`, requests, [
    ['D06', "redirect: 'manual'", "redirect: 'follow'"],
    ['T7', "redirect: 'manual'", "redirect: 'error'"],
    [
      'D10',
      'trigger.body?.reveal() ?? null',
      'JSON.stringify(JSON.parse(trigger.body?.reveal() ?? "{}"))',
    ],
  ]),
  ...controlsOf(`${store}/stores/refresh-lease.ts`, contract, [
    [
      'R2',
      ".where('lease_owner', '=', owner)\n    .executeTakeFirst();\n  if (numUpdatedRows === 0n)",
      '.executeTakeFirst();\n  if (numUpdatedRows === 0n)',
    ],
    ['R5', ".where(hasLapsed(now, 'lease_until'))"],
    [
      'T8',
      ".where(hasLapsed(now, 'held_until'))\n    .where(hasLapsed(now, 'next_refresh_at'))",
      ".where(hasLapsed(now, 'next_refresh_at'))",
    ],
    [
      'T2',
      ".where(hasLapsed(now, 'held_until'))\n    .where(hasLapsed(now, 'next_refresh_at'))",
      ".where(hasLapsed(now, 'held_until'))",
    ],
    [
      'R5',
      ".where('lease_sequence', '=', sequence)\n    .where(hasLapsed(now, 'held_until'))",
      ".where(hasLapsed(now, 'held_until'))",
    ],
    [
      'T8',
      ".where('lease_sequence', '=', sequence)\n    .where(hasLapsed(now, 'held_until'))",
      ".where('lease_sequence', '=', sequence)",
    ],
    ['R2', '  await takeBack(context, lease, intervalMs);\n  return false;', '  return false;'],
    ['R2', ".where('presented', '<', maxPresentations)"],
    [
      'R7',
      ".where('lease_owner', '=', owner)\n    .where('lease_sequence', '=', sequence)\n    .executeTakeFirst();\n  if (numUpdatedRows > 0n) {",
      ".where('lease_owner', '=', owner)\n    .executeTakeFirst();\n  if (numUpdatedRows > 0n) {",
    ],
    ['R2', 'mayArrive ? sql`unanswered` : sql`unanswered - 1`', 'sql`unanswered - 1`'],
    ['R2', 'mayArrive ? sql`unanswered` : sql`unanswered - 1`', 'sql`unanswered`'],
  ]),
  ...controlsOf(`${store}/stores/exchange-intent.ts`, contract, [
    ['C09', 'await endUnprovenLife(context, installationId);'],
    ['T8', "const arrived = ending === 'unspent' ? 1 : 0;", 'const arrived = 1;'],
    ['T8', 'then exchange_intents.unanswered + 1 else 1 end', 'then 1 else 1 end'],
    ['T8', 'and exchange_intents.iat > excluded.iat', 'and 1 = 0'],
    ['R2', ".where('attempt', '=', attempt)"],
  ]),
  ...controlsOf(`${store}/stores/healing.ts`, contract, [
    ['heal', 'claimMs = 5_000;', 'claimMs = 0;'],
    ['heal', 'and intent.generation = installations.generation)', 'and 1 = 0)'],
  ]),
  ...controlsOf(
    `${store}/stores/healing.ts`,
    [`${store}/postgres/postgres-engine.test.ts`],
    [
      ['heal', '.$if(skipsLocked, (query) => query.forNoKeyUpdate().skipLocked())'],
      ['heal', 'forNoKeyUpdate().skipLocked()', 'forNoKeyUpdate()'],
    ],
  ),
  ...controlsOf(`${store}/stores/healing.ts`, healing, [
    ['heal', "'<=', readOnce(now))\n        .orderBy", "'<=', now())\n        .orderBy"],
  ]),
  ...controlsOf(`${store}/stores/triggers.ts`, contract, [
    ['heal', 'case when heal_at is not null then', 'case when 1 = 0 then'],
    ['T8', ".where(not(hasLapsed(now, 'held_until')))", ".where('generation', '<', 0)"],
  ]),
  ...controlsOf(`${store}/stores/grant-store.ts`, contract, [
    ['R7', ".where('token_version', '=', refreshed)"],
    ['R2', 'grants.unanswered > 1', '1 = 0'],
    ['T8', '= 1 or grants.held_for', '= 1 or 1 = 0 and grants.held_for'],
    ['T8', 'tokens.isInDoubt ||', ''],
    ['H07', 'triggerRestMs = 30_000;', 'triggerRestMs = 0;'],
  ]),
  ...controlsOf(`${store}/stores/mark-awaiting-event.ts`, contract, [
    [
      'R10',
      ".where('token_version', '=', tokenVersion)\n    .where('status', 'not in'",
      ".where('status', 'not in'",
    ],
    ['E12', "reason !== 'secret_integrity'", 'true'],
  ]),
];
