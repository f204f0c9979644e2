/** The controls of the BFF's reception and of the token client's requests (threat groups A, C, D and I). */
import { type Control, controlsOf } from './control.ts';

const bff = 'apps/bff/src';
const tokenClient = 'packages/token-client/src';
const reception = [`${bff}/lifecycle-routes.test.ts`];
const floods = [`${bff}/flood.test.ts`];
const hostile = [`${tokenClient}/hostile-platform.test.ts`];
const tokens = [`${tokenClient}/token-client.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${bff}/lifecycle-routes.ts`, reception, [
    ['A14', ' && others.length === 0'],
    ['A14', 'z.strictObject({ token: z.string() })', 'z.object({ token: z.any() })'],
    [
      'A17',
      "{ code: 401, message: 'The event was not accepted' }",
      '{ code: 401, message: error.reason }',
    ],
    ['A20', 'driftLog.add(event);'],
  ]),
  ...controlsOf(`${bff}/lifecycle-routes.ts`, floods, [
    ['I03', 'if (turnedAway) return comeAgain(turnedAway);'],
    ['I03', 'await guard.countRefusal(ctx.ip, error.retryable);'],
    [
      'I07',
      'if (!(error instanceof PlatformJwtError)) return afterFault(error);',
      'if (!(error instanceof PlatformJwtError)) throw error;',
    ],
  ]),
  ...controlsOf(`${bff}/reception-guard.ts`, floods, [
    ['I03', 'counted.consumedPoints >= limits.refusalsPerMinute', 'false'],
    ['I03', 'askedKeyHost ? keyHostCost : 1', '1'],
    ['I10', "if (lag.currentMs() > limits.maxLagMs) return 'overloaded';"],
    ['I10', 'lagMs += lagSmoothing * (lateMs - lagMs);', 'lagMs += lateMs;'],
  ]),
  ...controlsOf(`${bff}/refusal-log.ts`, floods, [
    ['I06', 'if (window.count <= linesPerMinute)', 'if (window)'],
  ]),
  ...controlsOf(`${bff}/create-app.ts`, floods, [
    ['I03', 'proxy: proxyHops > 0', 'proxy: true'],
    ['I06', "isReception && ctx.status >= 400 ? 'debug' : 'info'", "isReception ? 'info' : 'info'"],
  ]),
  ...controlsOf(`${bff}/create-app.ts`, reception, [
    ['A16', 'if (!ctx.body) assertRouted(ctx);'],
    ['A16', "ctx.path.startsWith('/lifecycle/') ? error.status : error.code", 'error.code'],
  ]),
  ...controlsOf(`${bff}/read-body.ts`, reception, [
    ['A15', "if (encoding !== undefined && encoding !== 'identity') {", 'if (false) {'],
  ]),
  ...controlsOf(`${bff}/read-body.ts`, floods, [['I02', 'if (size > maxBytes) break;']]),
  ...controlsOf(`${bff}/http-server.ts`, reception, [
    ['A16', "server.on('clientError'", "server.on('neverHappens'"],
    ['A16', 'requireHostHeader: false', 'requireHostHeader: true'],
    ['A16', "server.on('checkExpectation'", "server.on('neverHappens'"],
  ]),
  ...controlsOf(`${bff}/http-server.ts`, floods, [
    ['I01', 'headersTimeout: headersTimeoutMs', 'headersTimeout: 0'],
    ['I01', 'requestTimeout: requestTimeoutMs', 'requestTimeout: 0'],
    ['I01', '() => socket.destroy(),', '() => undefined,'],
  ]),
  ...controlsOf(
    `${bff}/config.ts`,
    [`${bff}/config.test.ts`],
    [['B06', "value !== '0'", 'value !== undefined']],
  ),
  ...controlsOf(`${tokenClient}/token-request.ts`, hostile, [
    ['C17', "throw new TokenRequestError('token_tenant_mismatch', true);"],
    ['C19', 'Math.min(expires_in, maxLifetimeSeconds)', 'expires_in'],
    ['D02', "if (cause?.code === 'ADDRESS_NOT_ALLOWED') {", 'if (code === 7) {'],
    ['D06', "redirect: 'error'", "redirect: 'follow'"],
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
  ...controlsOf(`${tokenClient}/token-request.ts`, hostile, [
    ['Basic', "if (access.clientId.includes(':'))", 'if (false)'],
  ]),
  ...controlsOf(`${tokenClient}/token-request.ts`, tokens, [
    ['§4.2', 'target.searchParams.append(name, value);'],
    ['§4.2', 'plainBasic(access)', 'undefined'],
    ['R9', 'response.refresh_token ?? refreshToken', 'response.refresh_token ?? null'],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, hostile, [
    ['D06', "redirect: 'error'", "redirect: 'follow'"],
    [
      'D08',
      'fetch(joinPlatformUrl(grant.baseUrl, path), {',
      'fetch(new URL(path, grant.baseUrl), {',
    ],
  ]),
  ...controlsOf(`${tokenClient}/token-client.ts`, tokens, [
    ['R4', 'if (running) return running;'],
    ['R4', 'if (grant.tokenVersion !== usedVersion) return grant;'],
    ['R8', '(expiresAt - issuedAt) / 2', 'maxExpiryMarginMs'],
    ['R3', 'if (error.rejected) return recover', 'return recover'],
    ['H07', 'await assertMayRefresh(installationId);'],
  ]),
  ...controlsOf(`${tokenClient}/recovery.ts`, tokens, [
    ['C20', 'return;\n    }\n    triggers.set', '}\n    triggers.set'],
    ['T7', "if (last.failed) throw unavailable('The platform did not take the last trigger');"],
    ['R10', 'if (!isDead) return loadGrant(store, installationId);'],
  ]),
  ...controlsOf(`${tokenClient}/trigger.ts`, hostile, [
    [
      'D10',
      'body: trigger.body?.reveal() ?? null',
      'body: JSON.stringify(JSON.parse(trigger.body?.reveal() ?? "{}"))',
    ],
  ]),
];
