/** The controls of the BFF's reception (threat groups A, D and I). */
import { type Control, controlsOf } from '../control.ts';

const bff = 'apps/bff/src';
const server = 'packages/server/src';
const reception = [`${server}/events/answer-event.test.ts`];
const keyFloods = [`${server}/events/key-flood.test.ts`];
const floods = [`${server}/events/flood.test.ts`];
const headers = [`${server}/http/answer-headers.test.ts`];
const files = [`${server}/frontend/static-files.test.ts`];
const hostile = [`${server}/http/hostile-requests.test.ts`];
const logFloods = [`${server}/log/log-flood.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${server}/events/answer-event.ts`, reception, [
    ['A14', ' && others.length === 0'],
    [
      'A17',
      "{ code: 401, message: 'The event was not accepted' }",
      '{ code: 401, message: error.reason }',
    ],
    ['A20', 'driftLog.add(event, respelled)', '[]'],
  ]),
  ...controlsOf(`${server}/events/answer-event.ts`, floods, [
    ['I03', 'if (!error.retryable) countRefusal(guard, sender);'],
    ['I10', 'if (error instanceof OverloadError) return shed(error.reason);'],
    [
      'I10',
      'whileDeciding(guard, () => lifecycle.accept(event, facts))',
      'lifecycle.accept(event, facts)',
    ],
    [
      'I07',
      'if (!(error instanceof PlatformJwtError)) return ofStranger(afterFault(logger, error), jwt);',
      'if (!(error instanceof PlatformJwtError)) throw error;',
    ],
  ]),
  ...controlsOf(
    `${server}/log/line-limit.ts`,
    [`${server}/log/line-limit.test.ts`],
    [
      ['I06', 'return window.count <= window.allowed;', 'return true;'],
      ['I06', 'before && isFlood(before) ? 1 : ', ''],
      ['I06', ' || windows.size < maxKinds', ' || true'],
      [
        'I06',
        'const windows = windowsOf(context, line.name);',
        "const windows = windowsOf(context, '');",
      ],
      ['I06', 'else if (ageMs >= windowMs) report(context, window);'],
      ['I06', 'const line = shareName(context, given);', 'const line = given;'],
      ['I06', 'if (windows.size === 0) table.delete(name);'],
    ],
  ),
  ...controlsOf(
    `${server}/log/logger.ts`,
    [`${server}/log/logger.test.ts`],
    [
      ['I06', 'limit.admit(readLine(args, lineLevel))', 'true'],
      [
        'I06',
        'setInterval(() => reportSuppressed(false), windowMs).unref();',
        'setInterval(() => undefined, windowMs).unref();',
      ],
      ['I06', "typeof code !== 'string' || code.startsWith('ERR_')", 'true'],
    ],
  ),
  ...controlsOf(`${server}/http/request-log.ts`, logFloods, [
    ['I06', 'isRefused ? isRecorded(ctx) : !needsProof(ctx)', 'false'],
    ['I06', 'return eventOf(ctx) ?? ', 'return eventOf(ctx) ? ctx.path : '],
    ['I06', '(!isDefect && error.cause === undefined)', 'false'],
    ['I06', "logger[isDefect ? 'error' : 'warn']", "logger['error']"],
    ['I06', 'code === undefined || !goneCodes.includes(code)', 'true'],
    ['I06', "logger[isStream ? 'debug' : 'info']", "logger['info']"],
  ]),
  ...controlsOf(`${server}/events/answer-event.ts`, logFloods, [
    ['I06', 'recordUnreadable(context, posted, error);'],
    ['I03', 'if (!isBrokenOff(error)) countRefusal(guard, sender);'],
    ['I03', "if (isRefusal && isLimited(guard, sender)) return shed('rate_limited');"],
  ]),
  ...controlsOf(
    `${server}/events/reception-guard.ts`,
    [`${server}/events/reception-guard.test.ts`],
    [
      [
        'I03',
        'return countOf(guard, guard.refusals, address) >= guard.limits.refusalsPerMinute;',
        'return false;',
      ],
      ['I03', 'ageMs >= 0 && ageMs < windowMs', 'ageMs < windowMs'],
      ['I03', 'ageMs >= 0 && ageMs < windowMs', 'ageMs >= 0'],
      [
        'I03',
        'refusals: new LRUCache({ max: maxCounted })',
        'refusals: new LRUCache({ max: 20_000 })',
      ],
      ['I03', 'nonces: new LRUCache({ max: maxCounted })', 'nonces: new LRUCache({ max: 20_000 })'],
      ['I10', 'addOne(guard, guard.nonces, address);'],
      ['I10', 'isKnown ? factorOfKnown : 1', '1'],
      ['I10', 'return isGreedy ? ', 'return false ? '],
      ['I10', 'verifying.all -= 1;'],
      ['I10', 'if (!isKnown) addTo(verifying.byStranger, address, -1);'],
      ['I10', 'guard.deciding -= 1;'],
    ],
  ),
  ...controlsOf(
    `${server}/request/sender-address.ts`,
    [`${server}/events/reception-guard.test.ts`],
    [
      ['I03', 'groups.slice(0, 4)', 'groups'],
      ['I03', 'groups.slice(0, 3)', 'groups'],
      ['I03', "groups.slice(0, 6).join(':') === mappedIpv4", 'false'],
    ],
  ),
  ...controlsOf(`${server}/events/answer-event.ts`, keyFloods, [
    ['B08', 'verifier.verifyEvent(jwt, name, { sender, ', 'verifier.verifyEvent(jwt, name, { '],
    ['B08', 'recogniseSender(guard, sender);'],
    ['B10', 'if (!error.retryable) countRefusal', 'countRefusal'],
  ]),
  ...controlsOf(`${server}/sessions/open-session.ts`, keyFloods, [
    ['B08', 'verifier.verifyInit(initJwt, { sender, ', 'verifier.verifyInit(initJwt, { '],
  ]),
  ...controlsOf(`${server}/app-context.ts`, keyFloods, [['B08', '    keyLocationMemory,\n']]),
  ...controlsOf(`${server}/events/key-location-memory.ts`, keyFloods, [
    ['I06', 'if (!hasFailed) logger', 'logger'],
  ]),
  ...controlsOf(`${server}/sessions/open-session.ts`, logFloods, [
    ['I06', 'record(context, asked, { reason, status: error.status });'],
    [
      'I06',
      "record(context, { request, initJwt: '' }, { reason: unreadableReason(error), status });",
    ],
  ]),
  ...controlsOf(
    `${server}/events/refusal-tally.ts`,
    [`${server}/events/refusal-tally.test.ts`],
    [
      ['I11', 'const hasRoom = known.size < maxGroups;', 'const hasRoom = true;'],
      ['I11', 'hasRoom && named < maxIssuersPerSender', 'hasRoom'],
      ['I12', '!before && pending.size >= maxPending', 'false'],
    ],
  ),
  ...controlsOf(
    `${server}/operations/call-limits.ts`,
    [`${server}/operations/call-limits.test.ts`],
    [
      ['H12', 'perProcess === Infinity ? []', 'true ? []'],
      ['H12', 'perTenant),', '1e9),'],
      ['H12', 'perUser),', '1e9),'],
      ['H12', 'perSession >= perUser ? []', 'true ? []'],
      ['H12', 'if (waitMs > 0) return Math.ceil(waitMs);'],
    ],
  ),
  ...controlsOf(
    `${server}/operations/run-operation.ts`,
    [`${server}/operations/operation-platform.test.ts`],
    [['H13', 'if (missing === undefined) return session;', 'return session;']],
  ),
  ...controlsOf(
    `${server}/operations/run-operation.ts`,
    [`${server}/operations/operation-requests.test.ts`],
    [
      ['H12', '  takeTurn(context, operation, session);\n'],
      [
        'G05',
        'return { session: await authorize(context, operation, request), text };',
        'return { session, text };',
      ],
      [
        'I04',
        'isSmall(request) ? await readJsonText(request, maxInputBytes) : undefined',
        'await readJsonText(request)',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/operations/perform-operation.ts`,
    [`${server}/operations/operation-requests.test.ts`],
    [
      ['H12', 'admit: () => admitNotification(context, operation, session),'],
      ['H12', 'if (countedAs === notificationCalls) return;'],
    ],
  ),
  ...controlsOf(
    `${server}/operations/operation-table.ts`,
    [`${server}/operations/define-operation.test.ts`],
    [
      ['G15', 'takenNames.has(name)', 'false'],
      ['G15', '/^[a-z][A-Za-z0-9]{0,63}$/', '/^/'],
      ['H13', '  assertRequested(name, definition, requestedScopes);\n'],
    ],
  ),
  ...controlsOf(
    `${server}/operations/perform-operation.ts`,
    [`${server}/operations/run-operation.test.ts`],
    [['G16', 'if (parsed.success) return parsed.data;', 'return value;']],
  ),
  ...controlsOf(
    `${server}/operations/perform-operation.ts`,
    [`${server}/operations/operation-platform.test.ts`],
    [
      ['H13', 'scopes.length === 0', 'scopes.length < 0'],
      ['I05', 'giveUpUnread(scope);'],
    ],
  ),
  ...controlsOf(
    `${server}/hooks/run-hook.ts`,
    [`${server}/hooks/deliver-hooks.test.ts`],
    [['I05', 'giveUpUnread(scope);']],
  ),
  ...controlsOf(
    `${server}/http/own-routers.ts`,
    [`${server}/http/own-answers.test.ts`],
    [
      ['F09', '!isReadable(body as Readable)', 'false'],
      ['F09', 'noJson.find((each) => body instanceof each)', 'noJson.find(() => false)'],
    ],
  ),
  ...controlsOf(
    `${server}/platform/platform-path.ts`,
    [`${server}/platform/call-platform.test.ts`],
    [
      ['H14', 'return encodeURIComponent(String(value));', 'return String(value);'],
      ['H14', "if (/%(?:2f|5c|00|3f|23)/i.test(plain)) refuse('has an encoded separator');"],
      ['H14', "if (hasDotSegment(plain)) refuse('has a segment that is . or ..');"],
    ],
  ),
  ...controlsOf(
    `${server}/platform/call-platform.ts`,
    [`${server}/platform/server-platform.test.ts`],
    [['H17', '      generation,\n']],
  ),
  ...controlsOf(
    `${server}/platform/call-platform.ts`,
    [`${server}/platform/call-platform.test.ts`],
    [
      ['H15', 'if (!isUnsent(error)) return unanswered(method, error);'],
      ['I09', '      maxBodyBytes: maxBytes,\n'],
    ],
  ),
  ...controlsOf(
    `${server}/platform/platform-answer.ts`,
    [`${server}/operations/operation-platform.test.ts`],
    [
      [
        'answer',
        'if (this.bodyUsed || this.#isLocked()) return work(this.#answer);',
        'return work(this.#answer);',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/operations/operation-fault.ts`,
    [`${server}/operations/run-operation.test.ts`],
    [['answer', 'hasStarted && error instanceof StoreError', 'false']],
  ),
  ...controlsOf(
    `${server}/http/plugin-routes.ts`,
    [`${server}/http/plugin-routes.test.ts`],
    [
      ['method', "if (method !== 'POST') {", 'if (false) {'],
      ['route', 'markRoute(ctx, path);'],
    ],
  ),
  ...controlsOf(
    `${server}/http/node-handler.ts`,
    [`${server}/http/gone-client.test.ts`],
    [['P1', '  if (!hasReader(response)) return;\n']],
  ),
  ...controlsOf(
    `${server}/http/node-handler.ts`,
    [`${server}/http/mounted-paths.test.ts`],
    [['S02', ' || hasOtherCase(first, basePath)']],
  ),
  ...controlsOf(
    `${server}/request/when-closed.ts`,
    [`${server}/http/gone-client.test.ts`],
    [['P1', 'if (isClosed(response)) act();\n  else ']],
  ),
  ...controlsOf(
    `${server}/platform/platform-headers.ts`,
    [`${server}/platform/call-platform.test.ts`],
    [
      ['H16', 'if (!callHeaders.has(name.toLowerCase())) {', 'if (name === "") {'],
      ['H16', 'for (const name of answerHeaders) {', 'for (const name of given.keys()) {'],
    ],
  ),
  ...controlsOf(`${server}/http/koa-app.ts`, floods, [
    ['I03', 'proxy: proxyHops > 0', 'proxy: true'],
  ]),
  ...controlsOf(`${server}/http/answer-errors.ts`, reception, [
    ['A16', 'if (!ctx.body && !isAnswered(ctx)) assertRouted(ctx);'],
    ['A16', 'isFromPlatform(ctx) ? error.status : error.code', 'error.code'],
  ]),
  ...controlsOf(`${server}/request/read-body.ts`, reception, [
    [
      'A15',
      "if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {",
      'if (false) {',
    ],
  ]),
  ...controlsOf(`${server}/request/read-body.ts`, reception, [
    ['A14', 'return parseJsonText(text);', 'return JSON.parse(text);'],
  ]),
  ...controlsOf(`${server}/request/server-exchange.ts`, floods, [
    ['I02', 'readBounded(body, maxBytes)', 'readBounded(body, Infinity)'],
  ]),
  ...controlsOf(
    `${server}/request/server-exchange.ts`,
    [`${server}/request/server-exchange.test.ts`],
    [
      ['body', '!isWhole || '],
      ['body', 'request.resume();'],
    ],
  ),
  ...controlsOf(`${server}/http/http-server.ts`, reception, [
    ['A16', "server.on('clientError'", "server.on('neverHappens'"],
    ['A16', 'requireHostHeader: false', 'requireHostHeader: true'],
    ['A16', "server.on('checkExpectation'", "server.on('neverHappens'"],
  ]),
  ...controlsOf(
    `${server}/http/http-server.ts`,
    [`${server}/http/http-server.test.ts`],
    [
      ['A16', 'count > maxRequests || '],
      ['A16', 'if (count === maxRequests) response.shouldKeepAlive = false;'],
      ['P1', ' || !socket.writable'],
    ],
  ),
  ...controlsOf(`${server}/http/http-server.ts`, floods, [
    ['I01', 'requestTimeout: requestTimeoutMs', 'requestTimeout: 0'],
  ]),
  ...controlsOf(`${server}/http/lingering-close.ts`, floods, [
    ['I01', 'setTimeout(() => socket.destroy(), lingerMs)', 'setTimeout(() => undefined)'],
  ]),
  ...controlsOf(
    `${server}/http/lingering-close.ts`,
    [`${server}/http/lingering-close.test.ts`],
    [['I02', 'if (bytes > maxLingerBytes) socket.pause();']],
  ),
  ...controlsOf(
    `${server}/http/http-server.ts`,
    [`${server}/http/lingering-close.test.ts`],
    [['A16', 'socket.destroySoon = () => closeLingering(socket);']],
  ),
  ...controlsOf(`${server}/http/raw-answer.ts`, hostile, [
    ['A16', 'answers.some(({ headersSent }) => headersSent)', 'false'],
    ['A16', "if (before) before.once('close', () => write(socket, status, headers));\n    else "],
  ]),
  ...controlsOf(
    `${server}/http/raw-answer.ts`,
    [`${server}/http/raw-answer.test.ts`],
    [['A16', 'if (ending.has(socket)) return false;']],
  ),
  ...controlsOf(
    `${server}/http/connection-limit.ts`,
    [`${server}/http/connection-limit.test.ts`],
    [
      ['I01', 'if (ofAddress >= connectionsPerAddress) return true;'],
      ['I01', 'return isScarce && ofAddress >= fewConnections;', 'return false;'],
      ['I01', 'connectionsPerAddress !== Infinity && '],
      ['I01', "socket.once('close', () => release(address));"],
      ['I01', 'server.maxConnections = maxConnections;'],
    ],
  ),
  ...controlsOf(
    `${server}/request/sender-address.ts`,
    [`${server}/request/sender-address.test.ts`],
    [
      ['I01', 'groups.slice(0, 4)', 'groups'],
      ['I03', 'groups.slice(0, 3)', 'groups'],
    ],
  ),
  ...controlsOf(
    `${server}/log/line-limit.ts`,
    [`${server}/http/connection-limit.test.ts`],
    [
      [
        'I01',
        "const oncePerWindow = ['connections.limited', 'healing.failed'];",
        'const oncePerWindow: string[] = [];',
      ],
    ],
  ),
  ...controlsOf(`${server}/http/answer-headers.ts`, headers, [
    ['F09', "'Cache-Control': 'no-store',"],
    ['F09', "'Referrer-Policy': 'no-referrer',"],
    ['F09', "'X-Content-Type-Options': 'nosniff',"],
    ['F09', "'X-Frame-Options': 'DENY',"],
    ['F09', "publicUrl.startsWith('https:')", 'true'],
  ]),
  ...controlsOf(`${server}/http/koa-app.ts`, headers, [
    ['F09', 'res.setHeader(name, value);', '{}'],
  ]),
  ...controlsOf(
    `${server}/http/answer-errors.ts`,
    [`${server}/http/answer-errors.test.ts`],
    [
      ['F09', 'this.set(headers);'],
      ['F09', "this.type = 'json';", "this.type = 'text';"],
      ['F09', 'if (res.headersSent && !res.writableEnded) res.destroy();'],
    ],
  ),
  ...controlsOf('packages/http/src/request-target.ts', hostile, [
    ['A16', 'countHosts(request) > 1 || '],
    ['A16', 'host !== undefined && !plainHost.test(host)', 'false'],
    ['A16', 'if (plainPath.test(target)) return target;', "if (target[0] === '/') return target;"],
    ['A16', "target === '*' && method === 'OPTIONS'", "target === '*'"],
    ['A16', 'https?:\\/\\/[^/?#@]+(?:[/?#]|$)', 'https?:'],
    ['A16', 'request.url = path;'],
  ]),
  ...controlsOf(
    `${server}/http/http-server.ts`,
    [`${server}/http/connection-limit.test.ts`],
    [['I01', 'headersTimeout: headersTimeoutMs', 'headersTimeout: 0']],
  ),
  ...controlsOf(`${server}/http/raw-answer.ts`, headers, [['F09', '    ...headers,\n']]),
  ...controlsOf(`${server}/frontend/frontend-routes.ts`, headers, [
    ['F09', "ctx.remove('X-Frame-Options');", ';'],
    ['F09', 'frameAncestors.length > 0 ? frameAncestors : ["\'none\'"]', 'frameAncestors'],
  ]),
  ...controlsOf(`${server}/dashboard/dashboard-pages.ts`, headers, [
    ['F09', "xFrameOptions: { action: 'deny' },"],
  ]),
  ...controlsOf(`${server}/dashboard/dashboard-pages.ts`, files, [
    ['F09', 'if (!/^\\/admin\\/api(?:\\/|$)/.test(ctx.path)) await next();', 'await next();'],
  ]),
  ...controlsOf(`${server}/frontend/send-page.ts`, files, [['F09', '|| /\\.[^/]*$/.test(path)']]),
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
    `${server}/settings/settings.ts`,
    [`${server}/configuration.test.ts`],
    [['B06', "value !== '0'", 'value !== undefined']],
  ),
  ...controlsOf(
    `${server}/settings/setting-values.ts`,
    [`${server}/configuration.test.ts`],
    [['D02', ')?.host;', ') ? text : undefined;']],
  ),
  ...controlsOf(
    `${server}/frontend/frame-ancestors.ts`,
    [`${server}/frontend/frontend-routes.test.ts`],
    [
      ['G07', 'if (tenants.length > 0) return tenants;'],
      ['G07', 'if (issuers.length > maxTenants) return [];'],
      ['G07', 'trustRules.some((rule) => issuerMatches(rule, issuer))', 'true'],
      ['G07', '.catch(() => [])', ''],
    ],
  ),
];
