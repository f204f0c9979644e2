/** The controls of sessions, of the widgets that have them, and of what the platform's texts may reach. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const contract = [`${store}/store-contract.test.ts`];
const knownSessions = [`${store}/stores/known-sessions.test.ts`];
const lifecycle = 'packages/lifecycle/src';
const bff = 'apps/bff/src';
const server = 'packages/server/src';

export const controls: Control[] = [
  ...controlsOf(`${store}/stores/instance-rules.ts`, contract, [
    ['G04', "eb('instances.changed_iat', '<', iat)", "eb('instances.changed_iat', '<=', iat)"],
    ['G04', "eb('instances.changed_iat', '<=', iat)", "eb('instances.changed_iat', '>=', 0)"],
    ['G04', 'and placed.removed = 0', ''],
    [
      'G04',
      'not exists (select 1 from instances as any_instance',
      '1 = 1 or exists (select 1 from instances as any_instance',
    ],
  ]),
  ...controlsOf(`${store}/stores/find-installation.ts`, contract, [
    ['G04', 'if (isRemoved || isRefused)', 'if (isRefused)'],
    ['G04', 'if (isRemoved || isRefused)', 'if (isRemoved)'],
    ['G04', "unmatched === 'until-matched' && srcMatched === 1", 'false'],
  ]),
  ...controlsOf(`${store}/stores/installation-store.ts`, contract, [
    ['G05', '.set({ generation: 0, claims_sealed: null })', '.set({ claims_sealed: null })'],
    [
      'G05',
      'if (!(await writeInstance({ db }, { ...event, isRemoved: true }))) return false;',
      'await writeInstance(db, { ...event, isRemoved: true });',
    ],
  ]),
  ...controlsOf(`${store}/stores/session-store.ts`, contract, [
    ['admission', ".where('awaits_admission', '=', 0)"],
    ['G05', 'session.unmatched = 1 or ', '1 = 1 or '],
    [
      'E10',
      'keyring.encrypt(new Secret(JSON.stringify(claims)), placeOfSession(tokenHash))',
      'JSON.stringify(claims)',
    ],
  ]),
  ...controlsOf(`${store}/stores/known-sessions.ts`, knownSessions, [
    ['G05', 'known?.mark.isChanged ? undefined : known?.session', 'known?.session'],
    ['G05', ' && now < known.expiresAt'],
    ['G05', 'loopCount === turn', 'turn !== undefined'],
    ['G05', 'if (loopCount === turn) return isUpToDate;'],
    ['G05', 'isUpToDate = look();', 'look();\n      isUpToDate = true;'],
    ['G05', 'hasCaughtUp() ? memory.recall(tokenHash) : undefined', 'memory.recall(tokenHash)'],
    ['G05', 'session && forgotten === forgottenBefore', 'session'],
  ]),
  ...controlsOf(`${store}/open-store.ts`, knownSessions, [['G05', 'announcer.add(forget);']]),
  ...controlsOf(
    `${server}/http/own-routers.ts`,
    [`${server}/http/own-streams.test.ts`],
    [
      [
        'G05',
        'if (ctx.body instanceof Stream) endWithSession(context, ctx, { request, session });',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/http/own-routers.ts`,
    [`${server}/http/own-routes.test.ts`],
    [
      [
        'S22',
        'const session = await requireSession(context, request);',
        'const session = {} as never;',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/http/own-routers.ts`,
    [`${server}/http/own-bodies.test.ts`],
    [
      [
        'G05',
        '      await requireSession(context, request);\n      return bytes;',
        'return bytes;',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/request/cross-origin.ts`,
    [`${server}/sessions/plugin-session.test.ts`],
    [
      [
        'G06',
        "'Access-Control-Allow-Origin': '*',",
        "'Access-Control-Allow-Origin': 'null', 'Access-Control-Allow-Credentials': 'true',",
      ],
      ['H15', "  'Dowel-Answer': '1',\n"],
      ['G06', '    ctx.set(preflightHeaders);\n'],
    ],
  ),
  ...controlsOf(
    `${server}/sessions/caller.ts`,
    [`${server}/operations/operation-requests.test.ts`],
    [
      ['G14', 'id: userId,', 'id: instanceId,'],
      ['H08', '      tenantId,\n', "      tenantId: '',\n"],
    ],
  ),
  ...controlsOf(
    `${server}/operations/perform-operation.ts`,
    [`${server}/operations/operation-requests.test.ts`],
    [
      [
        'G14',
        '    ...caller,\n    input,',
        '    ...caller,\n    ...(input as object),\n    input,',
      ],
    ],
  ),
  ...controlsOf(`${store}/stores/session-nonces.ts`, contract, [
    ['G02', 'now >= expiresAt', 'false'],
    ['G02', 'String(expiresAt) !== end || '],
    ['G02', 'JSON.stringify([plugin, expiresAt, random])', 'JSON.stringify([expiresAt, random])'],
    ['G02', 'JSON.stringify([plugin, expiresAt, random])', 'JSON.stringify([plugin, random])'],
    ['G12', 'randomBytes(randomNonceBytes)', 'Buffer.alloc(randomNonceBytes)'],
  ]),
  ...controlsOf(
    `${server}/sessions/open-session.ts`,
    [`${server}/sessions/session-nonce.test.ts`],
    [['G02', 'if (!isJtiAllowed(context, claims.jti)) refuseJti(context, asked);']],
  ),
  ...controlsOf(
    `${server}/sessions/open-session.ts`,
    [`${server}/sessions/plugin-session.test.ts`],
    [
      [
        'G17',
        "if (isOfEarlierLife) return refuseSession(context, asked, 'session_of_earlier_life');",
      ],
    ],
  ),
  ...controlsOf(
    `${server}/sessions/session-nonce.ts`,
    [`${server}/sessions/session-nonce.test.ts`],
    [
      ['G02', 'plugin: plugin.name, now: now() }', "plugin: '', now: now() }"],
      ['I10', '!admitNonce(guard, findSender(guard, request.address))', 'false'],
    ],
  ),
  ...controlsOf(`${store}/reports/list-instance-ids.ts`, contract, [
    ['G04', "    .where('removed', '=', 0)\n"],
  ]),
  ...controlsOf(
    `${lifecycle}/apply-event.ts`,
    [`${lifecycle}/late-events.test.ts`],
    [['C09', 'await noteLateRemoval(stores, arrival.event)', 'await undefined']],
  ),
  ...controlsOf(
    `${lifecycle}/apply-event.ts`,
    [`${lifecycle}/event-order.test.ts`],
    [
      [
        'C09',
        'await write(installation.id, instanceId, iat)',
        'await write(installation.id, instanceId, 0)',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/platform/notify.ts`,
    [`${server}/platform/busy-platform.test.ts`],
    [
      ['H12', 'status === 429 || (status === 503 && retryAfter !== null)', 'status === 0'],
      ['T2', 'readRetryAfter(retryAfter, now) * 1_000', 'Number(retryAfter) * 1_000'],
    ],
  ),
  ...controlsOf(
    'packages/schema/src/plugin-api.ts',
    ['packages/schema/src/plugin-api.test.ts'],
    [
      ['I09', 'messages: byLanguage(message)', 'messages: byLanguage(z.string())'],
      ['I09', 'excerpts: byLanguage(excerpt)', 'excerpts: byLanguage(z.string())'],
      ['I09', 'count >= 1 && count <= maxLanguages', 'count >= 1'],
      ['I09', 'count >= 1 && count <= maxLanguages', 'count <= maxLanguages'],
    ],
  ),
  ...controlsOf(
    `${server}/events/own-plugins.ts`,
    [`${server}/events/own-plugins.test.ts`],
    [
      ['A19', 'own.size === 0 || own.has(pluginId)', 'own.size >= 0'],
      ['A18', ' || seen.size >= maxSeen', ''],
      ['A18', 'seen.add(pluginId);', ''],
      ['A19', "typeof pluginId !== 'string'", 'false'],
    ],
  ),
  ...controlsOf(
    `${server}/sessions/open-session.ts`,
    [`${server}/events/own-plugins.test.ts`],
    [['A19', 'const isOurs = ownPlugins.has(installation.pluginId);', 'const isOurs = true;']],
  ),
  ...controlsOf(
    `${server}/sessions/require-session.ts`,
    [`${server}/plugins.test.ts`],
    [['plugins', 'if (session.plugin !== plugin.name) throw sessionInvalid();']],
  ),
  ...controlsOf(
    `${server}/sessions/open-session.ts`,
    [`${server}/plugins.test.ts`],
    [['plugins', 'installation.plugin !== context.plugin.name', 'false']],
  ),
  ...controlsOf(
    'packages/lifecycle/src/delivery.ts',
    [`${server}/plugins.test.ts`],
    [['plugins', 'return plugin !== life.plugin && generation > 0;', 'return false;']],
  ),
  ...controlsOf(
    `${server}/http/own-routes.ts`,
    [`${server}/http/own-routes.test.ts`],
    [['routes', 'if (isOpen || taken.includes(first)) {', 'if (isOpen) {']],
  ),
  ...controlsOf(
    `${server}/sessions/require-session.ts`,
    [`${server}/events/own-plugins.test.ts`],
    [['A19', ' || !ownPlugins.has(session.pluginId)']],
  ),
  ...controlsOf(
    `${server}/app-context.ts`,
    [`${server}/events/own-plugins.test.ts`],
    [['A19', '...audience, ']],
  ),
  ...controlsOf(
    `${server}/dashboard/admin-routes.ts`,
    [`${server}/dashboard/operator-session.test.ts`],
    [
      [
        'F05',
        'const session = await findSession(deps, ctx);',
        'const session = await requireSession(deps, ctx);',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/operator-session.ts`,
    [`${server}/dashboard/operator-session.test.ts`],
    [
      [
        'F05',
        "if (ctx.get('X-Dowel-Background') === '') await keepSession(context, session);",
        'await keepSession(context, session);',
      ],
      ['F05', "if (ctx.get('X-Dowel-Background') === '') await keepSession(context, session);"],
      ['F05', 'const idleMs = 30 * 60 * 1000;', 'const idleMs = 31 * 60 * 1000;'],
    ],
  ),
  ...controlsOf(
    `${server}/actions/assert-role.ts`,
    [`${server}/dashboard/operator.test.ts`],
    [['F12', 'if (isRoleEnough(role, needed)) return;', 'return;']],
  ),
  ...controlsOf(
    `${server}/dashboard/session-routes.ts`,
    [`${server}/dashboard/session-routes.test.ts`],
    [
      ['F12', '      if (!mayEnd(operator, session)) throw hideSession(operator);\n'],
      ['F12', '      .filter((session) => mayEnd(operator, session))\n'],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/failure-limits.ts`,
    [`${server}/dashboard/password-sign-in.test.ts`],
    [
      ['F01', 'for (const limit of counted) add(limit, 1);'],
      ['F01', 'if (!isCounted) for (const limit of counted) add(limit, -1);'],
      ['F01', '= parseSenderAddress(sender);', '= { address: sender, network: sender };'],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/password-sign-in.ts`,
    [`${server}/dashboard/password-sign-in.test.ts`],
    [
      ['F01', '{ counter: gate.names, key: name }, '],
      ['F01', ', ofAddress, ofNetwork];', ', ofNetwork];'],
      ['F01', ', ofAddress, ofNetwork];', ', ofAddress];'],
      ['F03', 'gate.hashing >= maxHashing', 'false'],
      ['F03', 'gate.waiting.length >= maxWaiting', 'false'],
    ],
  ),
  ...controlsOf(
    `${store}/account-store.ts`,
    [`${server}/dashboard/sign-in-link.test.ts`],
    [['F04', '10 * 60 * 1000', '24 * 60 * 60 * 1000']],
  ),
  ...controlsOf(
    `${store}/passwords.ts`,
    [`${store}/passwords.test.ts`],
    [
      [
        'F14',
        'randomBytes(saltBytes);\n  const hash',
        "Buffer.from('a fixed salt 16B');\n  const hash",
      ],
      ['F14', 'logN: 17', 'logN: 14'],
      ['F14', 'length < minPasswordLength', 'length < 8'],
    ],
  ),
  ...controlsOf(
    `${store}/passwords.ts`,
    [`${server}/dashboard/password-sign-in.test.ts`],
    [['F02', '    await hashWith(current, password, randomBytes(saltBytes));\n']],
  ),
  ...controlsOf(`${store}/stores/account-store.ts`, contract, [
    ['F04', "    .where('expires_at', '>', now)\n"],
    ['F04', 'numDeletedRows === 1n ? known : undefined', 'known'],
    ['F05', '{ role, revision: randomUUID() }', '{ role } as never'],
    ['F05', "eb('account.name', 'is not', null)", "eb('session.id', 'is not', null)"],
  ]),
  ...controlsOf(
    `${bff}/start-announcement.ts`,
    [`${bff}/start-messages.test.ts`],
    [['E07', 'process.stderr.write(`${lines', 'process.stdout.write(`${lines']],
  ),
  ...controlsOf(
    `${server}/dashboard/change-stream.ts`,
    [`${server}/dashboard/operator-session.test.ts`],
    [
      ['F05', 'if (!(await hasSession().catch(() => true))) end();'],
      ['P1', 'if (closing.aborted) {', 'if (false) {'],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/change-stream.ts`,
    [`${server}/dashboard/change-stream.test.ts`],
    [['F05', '() => ctx.res.destroy()', '() => undefined']],
  ),
  ...controlsOf(
    `${server}/dashboard/change-feed.ts`,
    [`${server}/dashboard/change-feed.test.ts`],
    [
      ['live', 'missed >= 0 && missed <= feed.kept.length', 'missed >= 0'],
      ['live', 'for (const id of ids) feed.changed.add(id);'],
      ['live', "context.closing.addEventListener('abort', () => stop(feed));"],
      ['live', '...(hasMoved && { fleet }),', 'fleet,'],
    ],
  ),
  ...controlsOf(
    'packages/http/src/event-writer.ts',
    ['packages/http/src/event-writer.test.ts'],
    [
      [
        'I05',
        'if (!stream.write(text)) blockedSince ??= performance.now();',
        'stream.write(text);',
      ],
      ['I05', 'waiting.add(gap ?? text)', 'waiting.add(text)'],
      ['I05', 'if (waiting.size > maxWaiting) stream.destroy();'],
      ['I05', 'performance.now() - blockedSince > maxBlockedMs', 'false'],
    ],
  ),
  ...controlsOf(`${store}/stores/account-store.ts`, contract, [
    ['F05', "\n    .where('session.idle_at', '>', now)"],
    ['F05', "\n    .where('session.expires_at', '>', now)"],
  ]),
  ...controlsOf(`${store}/stores/session-store.ts`, contract, [
    [
      'F05',
      "    .where('idle_at', '>', now)\n    .where('idle_at', '<', idleAt)",
      "    .where('idle_at', '<', idleAt)",
    ],
    ['F05', "    .where('idle_at', '<', idleAt)\n"],
  ]),
  ...controlsOf(
    'packages/token-client/src/granted-scopes.ts',
    ['packages/token-client/src/granted-scopes.test.ts'],
    [
      ['E09', "if (secret.length >= minSecretLength) text = text.replaceAll(secret, ' ');"],
      ['E09', 'scope === secret || ', ''],
      ['E09', 'scope.length >= minPieceLength && secret.includes(scope)', 'false'],
      ['E09', 'scopeToken.test(each) && ', ''],
      ['E09', '.slice(0, maxScopes)', ''],
      ['E09', '...named, ', ''],
    ],
  ),
  ...controlsOf(
    'packages/token-client/src/token-request.ts',
    ['packages/token-client/src/token-answer.test.ts'],
    [
      ['E09', 'secrets: [...secretsOf(access), new Secret(code)],', 'secrets: secretsOf(access),'],
      [
        'E09',
        'const secrets = [...secretsOf(access), refreshToken, accessToken];',
        'const secrets = [refreshToken, accessToken];',
      ],
      [
        'E09',
        'const secrets = [...before.secrets, response.access_token, refreshToken ?? []].flat();',
        'const secrets = before.secrets;',
      ],
    ],
  ),
  ...controlsOf(
    'packages/token-client/src/token-answer.ts',
    ['packages/token-client/src/token-answer.test.ts'],
    [
      [
        'E09',
        'isOAuthErrorCode(code) ?',
        "typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ?",
      ],
    ],
  ),
  ...controlsOf(
    `${server}/events/drift-log.ts`,
    [`${server}/events/answer-event.test.ts`],
    [
      [
        'E09',
        'const nameFingerprint = fingerprintOf(name.reveal());',
        'const nameFingerprint = name.reveal();',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/oidc-settings.ts`,
    [`${server}/dashboard/oidc-sign-in.test.ts`],
    [
      ['F15', '=> given.has(role)', '=> true'],
      ['F15', 'values.includes(value)', 'values.length > 0'],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/oidc-provider.ts`,
    [`${server}/dashboard/oidc-sign-in.test.ts`],
    [
      ['F15', 'if (!role) {', 'if (false) {'],
      ['F16', 'expectedNonce: nonce,', "expectedNonce: 'another',"],
      ['F17', 'isVerified === true ? readPersonName(email) : undefined', 'readPersonName(email)'],
      [
        'F17',
        'return { ...userInfo, ...claims, email, email_verified };',
        'return { ...userInfo, ...claims };',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/oidc-routes.ts`,
    [`${server}/dashboard/oidc-sign-in.test.ts`],
    [
      ['F16', "setCookie(context, ctx, '', 0);"],
      [
        'F16',
        "if (new URLSearchParams(ctx.querystring).get('state') !== kept.state) {",
        'if (false) {',
      ],
      ['F16', 'return url ? `', 'return url ? url.href || `'],
    ],
  ),
  ...controlsOf(
    `${server}/dashboard/oidc-limits.ts`,
    [`${server}/dashboard/oidc-limits.test.ts`],
    [
      ['F27', 'limits: [ofAddress, ofNetwork],\n    attempt', 'limits: [ofNetwork],\n    attempt'],
      ['F27', '    counted: [ofNetwork],\n'],
    ],
  ),
];
