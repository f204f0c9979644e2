/** The controls of the BFF's reception (threat groups A, D and I). */
import { type Control, controlsOf } from '../control.ts';

const bff = 'apps/bff/src';
const reception = [`${bff}/lifecycle-routes.test.ts`];
const keyFloods = [`${bff}/key-flood.test.ts`];
const floods = [`${bff}/flood.test.ts`];
const headers = [`${bff}/answer-headers.test.ts`];
const files = [`${bff}/static-files.test.ts`];
const hostile = [`${bff}/hostile-requests.test.ts`];
const logFloods = [`${bff}/log-flood.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${bff}/lifecycle-routes.ts`, reception, [
    ['A14', ' && others.length === 0'],
    [
      'A17',
      "{ code: 401, message: 'The event was not accepted' }",
      '{ code: 401, message: error.reason }',
    ],
    ['A20', 'driftLog.add(event);'],
  ]),
  ...controlsOf(`${bff}/lifecycle-routes.ts`, floods, [
    ['I03', 'if (!error.retryable) countRefusal(guard, sender);'],
    ['I10', 'if (error instanceof OverloadError) return retryLater(error.reason);'],
    ['I10', 'whileDeciding(guard, () => lifecycle.accept(event))', 'lifecycle.accept(event)'],
    [
      'I07',
      'if (!(error instanceof PlatformJwtError)) return afterFault(logger, error);',
      'if (!(error instanceof PlatformJwtError)) throw error;',
    ],
  ]),
  ...controlsOf(
    `${bff}/line-limit.ts`,
    [`${bff}/line-limit.test.ts`],
    [
      ['I06', 'return window.count <= window.allowed;', 'return true;'],
      ['I06', 'before && isFlood(before) ? 1 : ', ''],
      ['I06', ' || windows.size < maxKinds', ' || true'],
      ['I06', 'const windows = windowsOf(line.name);', "const windows = windowsOf('');"],
      ['I06', 'else if (ageMs >= windowMs) report(window);'],
    ],
  ),
  ...controlsOf(
    `${bff}/logger.ts`,
    [`${bff}/logger.test.ts`],
    [
      ['I06', 'limit.admit(readLine(args, lineLevel))', 'true'],
      ['I06', 'setInterval(() => reportSuppressed(false), windowMs).unref();'],
      ['I06', 'return isSurprise ? described', 'return true ? described'],
    ],
  ),
  ...controlsOf(`${bff}/request-log.ts`, logFloods, [
    ['I06', 'isRefused ? isRecorded(ctx) : !needsProof(ctx)', 'false'],
    ['I06', 'return eventOf(ctx) ?? ', 'return eventOf(ctx) ? ctx.path : '],
    ['I06', '(!isOurFault && error.cause === undefined)', 'false'],
    ['I06', "logger[isOurFault ? 'error' : 'warn']", "logger['error']"],
    ['I06', 'code === undefined || !goneCodes.includes(code)', 'true'],
    ['I06', "logger[isStream ? 'debug' : 'info']", "logger['info']"],
  ]),
  ...controlsOf(`${bff}/lifecycle-routes.ts`, logFloods, [
    ['I06', 'recordUnreadable(deps, request, error);'],
    ['I03', 'if (!isBrokenOff(error)) countRefusal(guard, sender);'],
    ['I03', "if (isRefusal && isLimited(guard, sender)) return retryLater('rate_limited');"],
  ]),
  ...controlsOf(
    `${bff}/reception-guard.ts`,
    [`${bff}/reception-guard.test.ts`],
    [
      ['I03', 'counted !== undefined && counted.count >= guard.limits.refusalsPerMinute', 'false'],
      ['I03', 'ageMs >= 0 && ageMs < windowMs', 'ageMs < windowMs'],
      ['I03', 'ageMs >= 0 && ageMs < windowMs', 'ageMs >= 0'],
      ['I03', '{ max: maxCounted }', '{ max: maxCounted * 2 }'],
      ['I10', 'isKnown ? factorOfKnown : 1', '1'],
      ['I10', 'return isGreedy ? ', 'return false ? '],
      ['I10', 'verifying.all -= 1;'],
      ['I10', 'if (!isKnown) addTo(verifying.byStranger, address, -1);'],
      ['I10', 'guard.deciding -= 1;'],
    ],
  ),
  ...controlsOf(
    `${bff}/sender-address.ts`,
    [`${bff}/reception-guard.test.ts`],
    [
      ['I03', 'groups.slice(0, 4)', 'groups'],
      ['I03', 'groups.slice(0, 3)', 'groups'],
      ['I03', "groups.slice(0, 6).join(':') === mappedIpv4", 'false'],
    ],
  ),
  ...controlsOf(`${bff}/lifecycle-routes.ts`, keyFloods, [
    ['B08', 'verifier.verifyEvent(jwt, name, { sender })', 'verifier.verifyEvent(jwt, name)'],
    ['B08', 'recogniseSender(guard, sender);'],
    ['B10', 'if (!error.retryable) countRefusal', 'countRefusal'],
  ]),
  ...controlsOf(`${bff}/plugin-routes.ts`, keyFloods, [
    ['B08', 'verifier.verifyInit(initJwt, { sender })', 'verifier.verifyInit(initJwt)'],
  ]),
  ...controlsOf(`${bff}/create-app.ts`, keyFloods, [['B08', '    keyLocationMemory,\n']]),
  ...controlsOf(`${bff}/key-location-memory.ts`, keyFloods, [
    ['I06', 'if (!hasFailed) logger', 'logger'],
  ]),
  ...controlsOf(`${bff}/plugin-routes.ts`, logFloods, [
    ['I06', 'record(deps, ctx, { reason, status: error.status });'],
    ['I06', 'record(deps, ctx, { reason: unreadableReason(error), status });'],
  ]),
  ...controlsOf(
    `${bff}/notification-limits.ts`,
    [`${bff}/notification-limits.test.ts`],
    [
      ['H12', 'perProcess),', '1e9),'],
      ['H12', 'perTenant),', '1e9),'],
      ['H12', 'perUser),', '1e9),'],
      ['H12', 'if (waitMs > 0) return Math.ceil(waitMs / 1_000);'],
    ],
  ),
  ...controlsOf(
    `${bff}/plugin-routes.ts`,
    [`${bff}/notification-limits.test.ts`],
    [['H12', 'limitNotifications(deps, await requireSession(deps, ctx));', '']],
  ),
  ...controlsOf(`${bff}/create-app.ts`, floods, [['I03', 'proxy: proxyHops > 0', 'proxy: true']]),
  ...controlsOf(`${bff}/answer-errors.ts`, reception, [
    ['A16', 'if (!ctx.body) assertRouted(ctx);'],
    ['A16', 'isFromPlatform(ctx) ? error.status : error.code', 'error.code'],
  ]),
  ...controlsOf(`${bff}/read-body.ts`, reception, [
    ['A15', "if (encoding !== undefined && encoding !== 'identity') {", 'if (false) {'],
  ]),
  ...controlsOf(`${bff}/read-body.ts`, reception, [
    ['A14', 'return parseJsonText(text);', 'return JSON.parse(text);'],
  ]),
  ...controlsOf(`${bff}/read-body.ts`, floods, [
    ['I02', 'readBounded(request, maxBytes)', 'readBounded(request, Infinity)'],
  ]),
  ...controlsOf(`${bff}/http-server.ts`, reception, [
    ['A16', "server.on('clientError'", "server.on('neverHappens'"],
    ['A16', 'requireHostHeader: false', 'requireHostHeader: true'],
    ['A16', "server.on('checkExpectation'", "server.on('neverHappens'"],
  ]),
  ...controlsOf(
    `${bff}/http-server.ts`,
    [`${bff}/http-server.test.ts`],
    [
      ['A16', 'count > maxRequests || '],
      ['A16', 'if (count === maxRequests) response.shouldKeepAlive = false;'],
      ['P1', ' || !socket.writable'],
    ],
  ),
  ...controlsOf(`${bff}/http-server.ts`, floods, [
    ['I01', 'requestTimeout: requestTimeoutMs', 'requestTimeout: 0'],
  ]),
  ...controlsOf(`${bff}/lingering-close.ts`, floods, [
    ['I01', 'setTimeout(() => socket.destroy(), lingerMs)', 'setTimeout(() => undefined)'],
  ]),
  ...controlsOf(
    `${bff}/lingering-close.ts`,
    [`${bff}/lingering-close.test.ts`],
    [['I02', 'if (bytes > maxLingerBytes) socket.pause();']],
  ),
  ...controlsOf(
    `${bff}/http-server.ts`,
    [`${bff}/lingering-close.test.ts`],
    [['A16', 'socket.destroySoon = () => closeLingering(socket);']],
  ),
  ...controlsOf(`${bff}/raw-answer.ts`, hostile, [
    ['A16', 'answers.some(({ headersSent }) => headersSent)', 'false'],
    ['A16', "if (before) before.once('close', () => write(socket, status, headers));\n    else "],
  ]),
  ...controlsOf(
    `${bff}/raw-answer.ts`,
    [`${bff}/raw-answer.test.ts`],
    [['A16', 'if (ending.has(socket)) return false;']],
  ),
  ...controlsOf(
    `${bff}/connection-limit.ts`,
    [`${bff}/connection-limit.test.ts`],
    [
      ['I01', 'if (ofAddress >= connectionsPerAddress) return true;'],
      ['I01', 'return isScarce && ofAddress >= fewConnections;', 'return false;'],
      ['I01', 'connectionsPerAddress !== Infinity && '],
      ['I01', "socket.once('close', () => release(address));"],
      ['I01', 'server.maxConnections = maxConnections;'],
    ],
  ),
  ...controlsOf(
    `${bff}/sender-address.ts`,
    [`${bff}/sender-address.test.ts`],
    [
      ['I01', 'groups.slice(0, 4)', 'groups'],
      ['I03', 'groups.slice(0, 3)', 'groups'],
    ],
  ),
  ...controlsOf(
    `${bff}/line-limit.ts`,
    [`${bff}/connection-limit.test.ts`],
    [
      [
        'I01',
        "const oncePerWindow = ['connections.limited', 'healing.failed'];",
        'const oncePerWindow: string[] = [];',
      ],
    ],
  ),
  ...controlsOf(`${bff}/answer-headers.ts`, headers, [
    ['F09', "'Cache-Control': 'no-store',"],
    ['F09', "'Referrer-Policy': 'no-referrer',"],
    ['F09', "'X-Content-Type-Options': 'nosniff',"],
    ['F09', "'X-Frame-Options': 'DENY',"],
    ['F09', "publicUrl.startsWith('https:')", 'true'],
  ]),
  ...controlsOf(`${bff}/create-app.ts`, headers, [['F09', 'ctx.set(headers);']]),
  ...controlsOf(
    `${bff}/answer-errors.ts`,
    [`${bff}/answer-errors.test.ts`],
    [
      ['F09', 'this.set(headers);'],
      ['F09', "this.type = 'json';", "this.type = 'text';"],
      ['F09', 'if (res.headersSent && !res.writableEnded) res.destroy();'],
    ],
  ),
  ...controlsOf('packages/http/src/request-target.ts', hostile, [
    ['A16', 'hosts.length > 1 || '],
    ['A16', 'host !== undefined && !plainHost.test(host)', 'false'],
    ['A16', 'if (plainPath.test(target)) return target;', "if (target[0] === '/') return target;"],
    ['A16', "target === '*' && method === 'OPTIONS'", "target === '*'"],
    ['A16', 'https?:\\/\\/[^/?#@]+(?:[/?#]|$)', 'https?:'],
    ['A16', 'request.url = path;'],
  ]),
  ...controlsOf(
    `${bff}/http-server.ts`,
    [`${bff}/connection-limit.test.ts`],
    [['I01', 'headersTimeout: headersTimeoutMs', 'headersTimeout: 0']],
  ),
  ...controlsOf(`${bff}/raw-answer.ts`, headers, [['F09', '    ...headers,\n']]),
  ...controlsOf(`${bff}/static-routes.ts`, headers, [
    ['F09', "ctx.remove('X-Frame-Options');", ';'],
    ['F09', 'frameAncestors.length > 0 ? frameAncestors : ["\'none\'"]', 'frameAncestors'],
    ['F09', "xFrameOptions: { action: 'deny' },"],
  ]),
  ...controlsOf(`${bff}/static-routes.ts`, files, [
    ['F09', 'if (!/^\\/admin\\/api(?:\\/|$)/.test(ctx.path)) await next();', 'await next();'],
    ['F09', '|| /\\.[^/]*$/.test(path)'],
  ]),
  ...controlsOf('packages/page-files/src/page-files.ts', files, [
    ['F10', 'path = decodeURIComponent(encoded);', 'path = encoded;'],
    ['F10', " && !steps.includes('..')"],
    ['F10', "if (path.split('/').includes('')) return false;"],
    ['F09', "ctx.vary('Accept-Encoding');"],
    ['F09', 'extname(file)', "''"],
    ['F09', 'if (ctx.fresh) {', 'if (false) {'],
    ['F09', 'if (/\\.(?:br|gz)$/.test(path)) return false;'],
  ]),
  ...controlsOf(
    `${bff}/start-guard.ts`,
    [`${bff}/start-guard.test.ts`],
    [
      ['H03', '...execArgv.map', '...[].map'],
      ['H03', "environment.NODE_OPTIONS ?? ''", "''"],
      ['H03', "name.replaceAll('_', '-')", 'name'],
      ['H03', 'isProduction ? [...always, ...inProduction] : always', 'always'],
      ['E01', "if (process.env.NODE_ENV === 'production') process.on('SIGUSR1', tell);"],
      [
        'E01',
        'if (url && isLoopback(url) && !isProduction) return undefined;',
        'return undefined;',
      ],
    ],
  ),
  ...controlsOf(
    `${bff}/main.ts`,
    [`${bff}/start-guard.test.ts`],
    [['H03', 'assertSafeStart(readStart());']],
  ),
  ...controlsOf(
    `${bff}/config.ts`,
    [`${bff}/config.test.ts`],
    [
      ['B06', "value !== '0'", 'value !== undefined'],
      ['D02', ')?.host;', ') ? text : undefined;'],
    ],
  ),
];
