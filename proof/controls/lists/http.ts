/** The controls of packages/http (threats B03, B06, D02, D03, D06, fault T3). */
import { type Control, controlsOf } from '../control.ts';

const http = 'packages/http/src';
const guardedFetch = [`${http}/guarded-fetch.test.ts`];
const keyDownload = ['packages/platform-jwt/src/keys/key-download.test.ts'];

export const controls: Control[] = [
  ...controlsOf(
    `${http}/guarded-fetch.ts`,
    [...keyDownload, ...guardedFetch],
    [
      ['B06', '    rejectUnauthorized: true,\n'],
      ['T3', '    timeout: connectTimeoutMs,\n'],
      ['T3', 'headersTimeout: headersTimeoutMs,', 'headersTimeout: 300_000,'],
      ['T3', 'bodyTimeout: idleTimeoutMs,', 'bodyTimeout: 300_000,'],
      ['forms', 'if (!(body instanceof FormData)) return undefined;', 'return undefined;'],
      ['connections', 'connections: connectionsPerOrigin ?? null,'],
      ['B03', "protocol !== 'https:' ||"],
      ['D02', '(isIP(hostname) !== 0 && isPrivate(hostname))', 'false'],
      ['D03', '!error && addresses.some(isPrivate)', '!error && isPrivate(addresses[0] ?? "")'],
      ['D03', 'lookup: guardLookup(lookup, isPrivate)', 'lookup'],
      [
        'D02',
        'internalOrigins.includes(',
        'internalOrigins.length > 0 || internalOrigins.includes(',
      ],
    ],
  ),
  ...controlsOf(
    `${http}/guarded-fetch.ts`,
    [`${http}/unsent-request.test.ts`],
    [
      ['T3', 'throw toUnsent(error);', 'throw error;'],
      ['T3', 'if (isSent) throw error;'],
      ['T3', 'init.onUnsent?.();'],
    ],
  ),
  ...controlsOf(
    `${http}/guarded-fetch.ts`,
    [`${http}/shared-lookup.test.ts`],
    [['I05', 'shareLookups(ownLookup, slowLookup)', 'ownLookup']],
  ),
  ...controlsOf(
    `${http}/shared-lookup.ts`,
    [`${http}/shared-lookup.test.ts`],
    [
      ['I05', 'now() - running.startedAt < slowMs', 'true'],
      ['I05', 'if (slow && now() < slow.keptUntil) return callback(...slow.answer);'],
      ['I05', 'Math.min(2 * last.keptForMs, keptMs.max)', '2 * last.keptForMs'],
    ],
  ),
  ...controlsOf(
    `${http}/plain-request.ts`,
    [`${http}/plain-request.test.ts`],
    [
      ['D06', "init.redirect === 'error' && redirects.has(head.status)", 'false'],
      ['words', 'toReasonPhrase(statusText)', 'statusText'],
      ['abort', 'exchange.ended ? exchange.ended.reason : ', ''],
      ['connection', 'exchange.end(cause);'],
      ['I09', 'maxBytes: maxBodyBytes,', 'maxBytes: Infinity,'],
      ['I09', ' && bytes.byteLength <= maxBodyBytes', ''],
    ],
  ),
  ...controlsOf(
    `${http}/plain-exchange.ts`,
    [`${http}/plain-request.test.ts`, `${http}/plain-exchange.test.ts`],
    [
      ['abort', 'this.#settle.reject(fault);'],
      ['rejection', 'promise.catch(() => undefined);'],
      ['abort', 'if (this.#fault) controller.abort(this.#fault);'],
      ['abort', 'this.#controller?.abort(reason as Error);'],
      ['broken', 'else if (this.#fault) stream.destroy(this.#fault);'],
      ['broken', 'this.#stream?.destroy(fault);'],
    ],
  ),
  ...controlsOf(
    `${http}/plain-exchange.ts`,
    [`${http}/watch-body.test.ts`],
    [['memory', 'controller.pause();', '{}']],
  ),
  ...controlsOf(
    `${http}/keep-while-open.ts`,
    [`${http}/keep-while-open.test.ts`],
    [['memory', 'answers.splice(answers.lastIndexOf(response), 1);']],
  ),
  ...controlsOf(
    `${http}/derived-response.ts`,
    [`${http}/derived-response.test.ts`],
    [
      ['answer', 'if (this.bodyUsed || this.#source) return super.text();'],
      ['answer', 'if (this.#isTextRead) void this.#source.arrayBuffer();'],
    ],
  ),
  ...controlsOf(
    `${http}/follow-signals.ts`,
    [`${http}/plain-request.test.ts`],
    [
      ['abort', "first?.addEventListener('abort', abort);"],
      ['abort', "second?.addEventListener('abort', abort);"],
      ['released', "() => second?.removeEventListener('abort', abort)", '() => {}'],
      ['released', "first?.removeEventListener('abort', abort);"],
    ],
  ),
  ...controlsOf(
    `${http}/decode-body.ts`,
    [`${http}/plain-request.test.ts`],
    [
      ['coding', "['deflate', () => Duplex.from(inflate)],"],
      ['coding', 'hasHeader ? createInflate(zlibOptions) :'],
      ['coding', 'known.length < codings.length', 'known.length === 0'],
      ['coding', 'codings.length > maxCodings', 'false'],
    ],
  ),
  ...controlsOf(
    `${http}/timer.ts`,
    [`${http}/timer.test.ts`],
    [
      [
        'late',
        'if (performance.now() - dueAt <= maxLatenessMs) return callback();',
        'if (true) return callback();',
      ],
      ['late', 'clearImmediate(immediate);'],
      ['negative', 'Math.max(0, Math.min(ms, maxDelayMs))', 'Math.min(ms, maxDelayMs)'],
    ],
  ),
  ...controlsOf(
    `${http}/read-bounded.ts`,
    [`${http}/read-bounded.test.ts`],
    [
      ['I02', 'if (size > maxBytes) throw new BodyTooLargeError(maxBytes);'],
      ['I05', 'cancel: () => stop()', 'cancel() {}'],
      ['I05', '(reader ?? response.body).cancel()', 'response.body.cancel()'],
      ['I05', 'void response.body.cancel().catch(() => {});'],
    ],
  ),
  ...controlsOf(
    `${http}/plain-request.ts`,
    [`${http}/watch-body.test.ts`],
    [['I05', 'stop: () => void source.destroy(),', 'stop() {},']],
  ),
  ...controlsOf(
    `${http}/watch-body.ts`,
    [`${http}/watch-body.test.ts`],
    [
      ['T3', 'this.#unread = setTimeout(giveUp, this.#watch.idleTimeoutMs).unref();'],
      ['I05', 'this.#watch.onBodyEnd?.();'],
    ],
  ),
  ...controlsOf(`${http}/private-address.ts`, guardedFetch, [
    ['D02', "!global.check(address, 'ipv6') ||"],
    ['D02', "|| ipv6.check(address, 'ipv6')"],
    ['D02', "'169.254.0.0/16',"],
    ['D02', "'100.64.0.0/10',"],
    ['D02', "!isIPv6(address) || address.includes('%')", 'false'],
  ]),
];
