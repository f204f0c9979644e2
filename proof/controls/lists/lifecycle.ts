/** The controls of packages/lifecycle and of the store behind it (threat groups C and D). */
import { type Control, controlsOf } from '../control.ts';

const lifecycle = 'packages/lifecycle/src';
const store = 'packages/installation-store/src';
const repeated = [`${lifecycle}/repeated-events.test.ts`];
const late = [`${lifecycle}/late-events.test.ts`];
const apart = [`${lifecycle}/separate-installations.test.ts`];
const addresses = [`${lifecycle}/address-threats.test.ts`];
const events = [`${lifecycle}/lifecycle.test.ts`];

const order = [`${lifecycle}/order-threats.test.ts`];
const contract = [`${store}/store-contract.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${lifecycle}/delivery.ts`, order, [
    [
      'C09',
      "(sub === 'uninstall' ? await installations.uninstall(keyOf(event), iat) : undefined)",
      'undefined',
    ],
    ['C09', 'await stores.inbox.decide(key, answer, receivedAt, event.iat)', 'true'],
    [
      'C09',
      "answer.reason === 'after_uninstall' ? null : installation.generation",
      'installation.generation',
    ],
  ]),
  ...controlsOf(`${lifecycle}/apply-event.ts`, order, [
    ['C09', "await stores.inbox.retireCodes(ended.id, refuse('after_uninstall'), codes);"],
  ]),
  ...controlsOf(`${store}/stores/lives.ts`, contract, [
    ['C09', '.where(isLaterThanEnd(iat, isOfInstall)),', ','],
    ['C10', "        .where('installations.status', '=', 'uninstalled')\n"],
    ['C08', 'begun !== undefined && begun.ended_iat !== null', 'false'],
    ['C09', "    .where('began_iat', '=', 0)\n"],
    [
      'C09',
      "    .where('ended_iat', 'is not', null)\n    .where('began_iat'",
      "    .where('began_iat'",
    ],
    ['C10', 'coalesce(installed_iat, 0)', '0'],
    ['C10', "    .where('began_code', '=', code)\n    .where('began_iat', '>', iat)\n"],
  ]),
  ...controlsOf(`${store}/stores/find-installation.ts`, contract, [
    ['B12', ', issuer: canonicalIssuer(key.issuer) ?? key.issuer }', ' }'],
  ]),
  ...controlsOf(`${store}/stores/life-rules.ts`, contract, [
    ['C09', 'installations.generation > ', '-1 < '],
    ['C10', 'installations.began_iat <=', '0 <='],
    ['C10', 'or installations.applied_iat <=', 'or 0 <='],
    [
      'C09',
      'and (installations.ended_iat is null or installations.ended_iat =',
      'and (installations.ended_iat is null or 0 <',
    ],
    ['C08', '`(installations.ended_iat <', '`(0 >'],
  ]),
  ...controlsOf(`${store}/sql/database.ts`, contract, [
    ['D07', 'if (!locksRows) return;', 'return;'],
  ]),
  ...controlsOf(`${store}/stores/session-store.ts`, contract, [
    ['G05', '.$if(locksRows, (query) => query.forShare())'],
    ['G05', '!(placed || isUnmatched)', 'false'],
  ]),
  ...controlsOf(
    `${lifecycle}/delivery.ts`,
    [`${lifecycle}/life-order.test.ts`],
    [
      ['C09', 'event.iat <= (endedIat ?? 0)', 'false'],
      ['C09', '|| event.iat <= (endedIat ?? 0)'],
      ['C09', "retryLater('not_installed')", '{ status: 201, body: {}, reason: null }'],
      ['C09', 'await stores.installations.giveUp(installation, digest);'],
    ],
  ),
  ...controlsOf(
    `${lifecycle}/exchange-event.ts`,
    [`${lifecycle}/life-order.test.ts`],
    [
      ['C08', 'event.iat > (current.endedIat ?? event.iat)', 'false'],
      ['C10', 'return isLater && !(await isRetired(stores, delivery));', 'return isLater;'],
    ],
  ),
  ...controlsOf(`${store}/stores/grant-store.ts`, contract, [
    [
      'C06',
      '  await lockInstallation(context, id);\n  await beginNextLife',
      '  await beginNextLife',
    ],
    ['C08', 'await beginNextLife(context, id, iat);'],
    ['doubt', 'tokens.isInDoubt || hold.held_for !== null', 'tokens.isInDoubt'],
    ['doubt', '...values, ...hold }', '...values }'],
    ['C06', "eb('applied_iat', '<=', newestIat)", "eb('applied_iat', '>', -1)"],
  ]),
  ...controlsOf(
    `${store}/sql/merge-issuers.ts`,
    [`${store}/sql/merge-issuers.test.ts`],
    [
      ['E03', 'sealed_issuer = issuer, '],
      ['issuer', 'await merge(db, kept, others);', 'void kept;'],
    ],
  ),
  ...controlsOf(
    'packages/schema/src/claims.ts',
    ['packages/platform-jwt/src/keys/key-location.test.ts'],
    [['B12', '.overwrite((text) => canonicalIssuer(text) ?? text)']],
  ),
  ...controlsOf(
    'packages/schema/src/issuer-pattern.ts',
    [
      'packages/platform-jwt/src/keys/key-location.test.ts',
      'packages/platform-jwt/src/keys/trust-rules.test.ts',
    ],
    [
      ['B11', 'if (!url) return false;', 'if (!url) return true;'],
      ['B11', 'if (url.protocol !== pattern.scheme) return false;'],
      ['B11', '&& /^(?:[a-z0-9_-]+\\.)+$/.test(labels)'],
      ['B11', 'url.host.endsWith(pattern.host) &&'],
    ],
  ),
  ...controlsOf(
    'packages/schema/src/api-origins.ts',
    ['packages/schema/src/api-origins.test.ts'],
    [
      ['D01', 'issuerMatches(rule, issuer) && '],
      ['D01', '&& /^[a-z0-9_-]+\\.$/.test(label)'],
      ['D01', '|| (includesSubdomains && !domain.test(url.host))'],
      ['D01', "&& !url.host.includes('*')"],
      ['D01', ' && isSecure(url);', ';'],
    ],
  ),
  ...controlsOf(`${lifecycle}/event-digest.ts`, repeated, [
    ['C02', '? [event.sub, event.client.authorization_code.reveal()]', '? [event.sub, event.jti]'],
  ]),
  ...controlsOf(
    `${lifecycle}/delivery.ts`,
    [`${lifecycle}/event-order.test.ts`],
    [['C09', "await stores.renewals.endExchange(installation.id, codeDigestOf(event), 'over');"]],
  ),
  ...controlsOf(`${lifecycle}/judge-event.ts`, late, [
    ['C06', 'return isOvertaken(event, installation)', 'return false'],
    ['C06', 'const orderToleranceSeconds = 5;', 'const orderToleranceSeconds = 3600;'],
    ['C07', 'appliedIat > orderOf(event).newestIat', 'appliedIat >= event.iat'],
  ]),
  ...controlsOf(`${lifecycle}/judge-event.ts`, addresses, [
    ['D01', '!base || !isApiOrigin(context.apiOrigins, { issuer: iss, url: base })', '!base'],
    ['D01', "canonicalIssuer(baseUrl) ?? ''", 'baseUrl'],
    ['D04', "return refuse('relative_url_not_allowed');", 'return undefined;'],
    ['D05', ' || hasOwnParameter(endpoint)'],
    [
      'D07',
      "return pinned && isMoved(pinned, base_url) ? refuse('base_url_changed') : undefined;",
      'return undefined;',
    ],
    ['D07', ".replace(/(?<!\\/)\\/+$/, '')"],
  ]),
  ...controlsOf(`${lifecycle}/settle-addresses.ts`, addresses, [
    ['D04', 'if (resolveAddress(context, event, trigger.url)) {', 'if (trigger) {'],
  ]),
  ...controlsOf(`${lifecycle}/delivery.ts`, addresses, [
    ['E09', '&& describeBaseUrl(event.base_url)', '&& { base_url: event.base_url }'],
  ]),
  ...controlsOf(`${lifecycle}/event-claim.ts`, repeated, [
    [
      'C03',
      'if (!(await stores.inbox.claim(key, claim))) {',
      'if (!(await stores.inbox.claim(key, claim)) && false) {',
    ],
    ['C04', 'if (answer.retryAfterSeconds !== undefined) {', 'if (answer.status === 0) {'],
    ['claim', 'claimMs, receivedAt', 'claimMs: 3_600_000, receivedAt'],
  ]),
  ...controlsOf(
    `${lifecycle}/event-claim.ts`,
    [`${lifecycle}/exchange-event.test.ts`],
    [['claim', 'if (!isSettled) return undefined;', 'if (!isSettled) return answer;']],
  ),
  ...controlsOf(
    `${lifecycle}/event-claim.ts`,
    [`${lifecycle}/life-order.test.ts`],
    [
      ['C10', "isOfEnd(verdict) ? 'ended' : verdict === undefined", 'true'],
      ['C10', "isOfEnd(verdict) ? 'ended' : verdict === undefined", 'verdict === undefined'],
    ],
  ),
  ...controlsOf(`${lifecycle}/exchange-event.ts`, repeated, [
    ['C04', "retryLater('exchange_failed')", "refuse('exchange_rejected')"],
  ]),
  ...controlsOf(`${lifecycle}/exchange-event.ts`, apart, [
    ['C15', 'if (!(await mayExchange(context, delivery))) {', 'if (false) {'],
  ]),
  ...controlsOf(
    `${lifecycle}/exchange-event.ts`,
    [`${lifecycle}/exchange-event.test.ts`],
    [
      ['claim', 'mayBegin: (stores) => renewClaim(context, stores, delivery),'],
      ['claim', 'mayStillSend: () => mayStillExchange(context, delivery),'],
      ['claim', 'mayStore: (stores) => mayStillDecide(stores, delivery),'],
      ['claim', 'claimant: null,'],
    ],
  ),
  ...controlsOf(`${lifecycle}/lifecycle.ts`, events, [
    [
      'events',
      "if (event.sub === 'access_token') {",
      "if (event.sub === 'access_token' && context === undefined) {",
    ],
  ]),
  ...controlsOf(
    `${store}/sealing/sealed-columns.ts`,
    [`${store}/quarantine.test.ts`],
    [
      [
        'E03',
        'return [issuer, tenantId, pluginId, String(generation), column];',
        'return [issuer, tenantId, pluginId, String(generation)];',
      ],
      [
        'E03',
        'return [issuer, tenantId, pluginId, String(generation), column];',
        'return [issuer, String(generation), column];',
      ],
    ],
  ),
  ...controlsOf(
    `${store}/stores/inbox-store.ts`,
    [`${store}/store-contract.test.ts`],
    [
      ['C03', 'inbox.owner is null or', 'inbox.owner is null or inbox.claimed_until > 0 or'],
      ['C01', ".where('inbox.status', 'is', null)"],
      ['C10', 'inbox.code_iat <', '1 = 0 and 0 <'],
      ['C10', "eb('code_iat', '<=', signedBy)", "eb('code_iat', '>', -1)"],
      ['C10', "...(withAccepted ? [eb('status', '=', acceptedStatus)] : []),"],
      ['claim', "      .where('owner', '=', claim('owner')),\n"],
      [
        'claim',
        ".$if(owner !== null, (query) => query.where('owner', '=', owner))\n    .executeTakeFirst();",
        '.executeTakeFirst();',
      ],
    ],
  ),
  ...controlsOf(`${store}/stores/life-rules.ts`, late, [
    ['C09', "stored('ended_iat')} >", "stored('ended_iat')} < 0 and 0 <"],
  ]),
  ...controlsOf(`${store}/stores/find-installation.ts`, apart, [
    ['B12', ".where('installations.issuer', '=', key('issuer'))\n"],
    [
      'B13',
      ".where('issuer', '=', canonicalIssuer(issuer) ?? issuer)\n    .where('tenant_id'",
      ".where('tenant_id'",
    ],
    ['C12', "\n    .where('installations.plugin_id', '=', key('pluginId'))"],
  ]),
  ...controlsOf('packages/schema/src/claims.ts', apart, [
    ['C13', 'z.guid().toLowerCase()', 'z.guid()'],
  ]),
  ...controlsOf(
    'packages/schema/src/lifecycle-events.ts',
    ['packages/schema/src/normalize-event.test.ts'],
    [['D09', "method: z.literal('POST')", 'method: z.string()']],
  ),
  ...controlsOf(
    `${store}/sqlite/group-commit.ts`,
    [`${store}/store-contract.test.ts`],
    [['D5', 'await execute(rollback);']],
  ),
];
