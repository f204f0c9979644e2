/** The controls of the BFF's reception (threat groups A, D and I). */
import { type Control, controlsOf } from './control.ts';

const bff = 'apps/bff/src';
const reception = [`${bff}/lifecycle-routes.test.ts`];
const floods = [`${bff}/flood.test.ts`];

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
];
