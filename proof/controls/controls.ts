/**
 * The controls that tests must notice when they are gone. In the source, `// control E05` stands above the line that answers
 * row E05 of docs/threats.md.
 */

export interface Control {
  /** The row of docs/threats.md. */
  id: string;
  /** Path from the workspace's root. */
  file: string;
  /** What stands in place of the line when the control is removed. */
  broken: string;
  /** The test files of which one test must fail then. */
  tests: readonly string[];
}

/** The environment variable that passes a control to vitest.config.ts, as JSON. */
export const controlVariable = 'DOWEL_WITHOUT_CONTROL';

/** The comment above a control, and its line. */
export const lineOf = ({ id }: Pick<Control, 'id'>) => new RegExp(`// control ${id}\\n.*`, 'g');

/** @param broken default: the line is taken out */
function control(name: string, tests: readonly string[], broken = ''): Control {
  const [file = '', id = ''] = name.split('#');
  return { id, file, broken, tests };
}

export const controls: readonly Control[] = [
  control('packages/platform-jwt/src/jws/compact-jws.ts#A01', [
    'packages/platform-jwt/src/forged-signature.test.ts',
  ]),
  control('packages/platform-jwt/src/keys/platform-key.ts#A03', [
    'packages/platform-jwt/src/keys/platform-key.test.ts',
  ]),
  control('packages/platform-jwt/src/jws/compact-jws.ts#A05', [
    'packages/platform-jwt/src/forged-signature.test.ts',
  ]),
  control(
    'packages/platform-jwt/src/jws/compact-jws.ts#A07',
    ['packages/platform-jwt/src/forged-signature.test.ts'],
    "if (typeof jwt !== 'string' || jwt.length > maxLength || false) {",
  ),
  control('packages/platform-jwt/src/keys/rsa-key.ts#A08', [
    'packages/platform-jwt/src/keys/platform-key.test.ts',
  ]),
  control('packages/platform-jwt/src/jws/claims.ts#A09', [
    'packages/platform-jwt/src/jws/claims.test.ts',
    'packages/platform-jwt/src/jws/claim-times.test.ts',
  ]),
  control(
    'packages/platform-jwt/src/jws/strict-json.ts#A12',
    ['packages/platform-jwt/src/jws/strict-json.test.ts'],
    "if ( prototypeNames.includes(name)) throw new StrictJsonError('ambiguous');",
  ),
  control(
    'packages/server/src/events/answer-event.ts#A14',
    ['packages/server/src/events/answer-event.test.ts'],
    'if (token !== undefined ) return token;',
  ),
  control('packages/server/src/http/answer-errors.ts#A16', [
    'packages/server/src/events/answer-event.test.ts',
  ]),
  control('packages/platform-jwt/src/keys/key-binding.ts#B02', [
    'packages/platform-jwt/src/keys/key-location.test.ts',
    'packages/platform-jwt/src/keys/trust-rules.test.ts',
  ]),
  control('packages/platform-jwt/src/keys/download-document.ts#B04', [
    'packages/platform-jwt/src/keys/key-download.test.ts',
  ]),
  control('packages/http/src/guarded-fetch.ts#B06', [
    'packages/platform-jwt/src/keys/key-download.test.ts',
    'packages/http/src/guarded-fetch.test.ts',
  ]),
  control(
    'packages/platform-jwt/src/keys/download-document.ts#B07',
    ['packages/platform-jwt/src/keys/key-download.test.ts'],
    "if ( encoding !== 'identity') {",
  ),
  control('packages/platform-jwt/src/keys/fetch-budget.ts#B08', [
    'packages/platform-jwt/src/keys/fetch-budget.test.ts',
  ]),
  control(
    'packages/platform-jwt/src/keys/remote-keys.ts#B10',
    ['packages/platform-jwt/src/keys/remote-keys.test.ts'],
    'if (false) {',
  ),
  control(
    'packages/schema/src/issuer-pattern.ts#B11',
    [
      'packages/platform-jwt/src/keys/key-location.test.ts',
      'packages/platform-jwt/src/keys/trust-rules.test.ts',
    ],
    'if (!url) return true;',
  ),
  control('packages/installation-store/src/stores/other-address.ts#B12', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control('packages/installation-store/src/stores/inbox-store.ts#C01', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control(
    'packages/lifecycle/src/event-digest.ts#C02',
    ['packages/lifecycle/src/repeated-events.test.ts'],
    '[event.sub, event.jti]',
  ),
  control('packages/installation-store/src/stores/inbox-store.ts#C03', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control(
    'packages/lifecycle/src/check-event.ts#C06',
    ['packages/lifecycle/src/late-events.test.ts'],
    'return false',
  ),
  control('packages/installation-store/src/stores/grant-store.ts#C08', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control('packages/installation-store/src/stores/lives.ts#C10', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control('packages/token-client/src/accept-event.ts#C16', [
    'packages/token-client/src/accept-event.test.ts',
  ]),
  control(
    'packages/lifecycle/src/check-event.ts#D01',
    ['packages/lifecycle/src/address-threats.test.ts'],
    'if (!base) {',
  ),
  control(
    'packages/http/src/private-address.ts#D02',
    ['packages/http/src/guarded-fetch.test.ts'],
    "return  ipv6.check(address, 'ipv6');",
  ),
  control(
    'packages/http/src/guarded-fetch.ts#D03',
    [
      'packages/platform-jwt/src/keys/key-download.test.ts',
      'packages/http/src/guarded-fetch.test.ts',
    ],
    'const connectToPublic = buildConnector({ ...transport, lookup });',
  ),
  control(
    'packages/token-client/src/token-request.ts#D06',
    ['packages/token-client/src/sent-requests.test.ts'],
    "redirect: 'follow',",
  ),
  control(
    'packages/lifecycle/src/check-event.ts#D07',
    ['packages/lifecycle/src/address-threats.test.ts'],
    'return undefined;',
  ),
  control(
    'packages/token-client/src/call-request.ts#D08',
    ['packages/token-client/src/call-request.test.ts'],
    'if (hasDotSegment(plain)) {',
  ),
  control(
    'packages/token-client/src/token-answer.ts#D13',
    ['packages/token-client/src/token-answer.test.ts'],
    'return new TextDecoder().decode(await readBounded(body, Infinity));',
  ),
  control(
    'packages/installation-store/src/sealing/keyring-file.ts#E02',
    ['packages/installation-store/src/sealing/keyring-file.test.ts'],
    'if (false) {',
  ),
  control(
    'packages/installation-store/src/sealing/sealed-columns.ts#E03',
    ['packages/installation-store/src/quarantine.test.ts'],
    "return [issuer, tenantId, pluginId, '', column];",
  ),
  control(
    'packages/installation-store/src/sealing/keyring.ts#E05',
    ['packages/installation-store/src/sealing/keyring.test.ts'],
    'const nonce = Buffer.alloc(nonceBytes);',
  ),
  control('packages/installation-store/src/sealing/key-check.ts#E06', [
    'packages/installation-store/src/sealing/key-check.test.ts',
  ]),
  control(
    'packages/installation-store/src/sqlite/checkpointer.ts#E10',
    ['packages/installation-store/src/sqlite/sqlite-engine.test.ts'],
    'erase: () => {},',
  ),
  control(
    'packages/installation-store/src/sealing/keyring-file.ts#E11',
    ['packages/installation-store/src/sealing/keyring-file.test.ts'],
    'if (false) {',
  ),
  control('packages/server/src/dashboard/failure-limits.ts#F01', [
    'packages/server/src/dashboard/password-sign-in.test.ts',
  ]),
  control(
    'packages/server/src/actions/assert-role.ts#F12',
    ['packages/server/src/actions/assert-role.test.ts'],
    'return;',
  ),
  control(
    'packages/server/src/dashboard/oidc-provider.ts#F16',
    ['packages/server/src/dashboard/oidc-sign-in.test.ts'],
    "expectedNonce: 'another',",
  ),
  control('packages/token-client/src/usable-grant.ts#F20', [
    'packages/installation-store/src/token-client/paused.test.ts',
  ]),
  control(
    'packages/installation-store/src/stores/session-nonces.ts#G02',
    ['packages/installation-store/src/store-contract.test.ts'],
    'if (String(expiresAt) !== end || false) return false;',
  ),
  control('packages/installation-store/src/stores/session-store.ts#G05', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control(
    'packages/token-client/src/call-platform.ts#H06',
    ['packages/token-client/src/sent-requests.test.ts'],
    'if (response.status < 500 && response.status !== 401) {',
  ),
  control(
    'packages/token-client/src/renewal.ts#H07',
    ['packages/token-client/src/renewal.test.ts'],
    'if (isTooLong) {',
  ),
  control('packages/server/src/operations/call-limits.ts#H12', [
    'packages/server/src/operations/call-limits.test.ts',
  ]),
  control(
    'packages/server/src/operations/run-operation.ts#H13',
    ['packages/server/src/operations/operation-platform.test.ts'],
    'return session;',
  ),
  control(
    'packages/server/src/platform/platform-path.ts#H14',
    ['packages/server/src/platform/call-platform.test.ts'],
    'return String(value);',
  ),
  control('packages/server/src/platform/call-platform.ts#H15', [
    'packages/server/src/platform/call-platform.test.ts',
  ]),
  control('packages/token-client/src/call-platform.ts#H17', [
    'packages/token-client/src/calls.test.ts',
  ]),
  control('packages/server/src/http/connection-limit.ts#I01', [
    'packages/server/src/http/connection-limit.test.ts',
  ]),
  control(
    'packages/server/src/events/reception-guard.ts#I03',
    ['packages/server/src/events/reception-guard.test.ts'],
    'return false;',
  ),
  control(
    'packages/server/src/log/line-limit.ts#I06',
    ['packages/server/src/log/line-limit.test.ts'],
    'return true;',
  ),
  control('packages/installation-store/src/open-store.ts#K8', ['proof/kills/protocols.test.ts']),
  control(
    'packages/token-client/src/renewal.ts#R3',
    ['packages/token-client/src/renewal.test.ts'],
    'return recover(context, grant, { reason, waitMs: leftMs(context, wanted) });',
  ),
  control('packages/installation-store/src/stores/refresh-lease.ts#R5', [
    'packages/installation-store/src/store-contract.test.ts',
  ]),
  control('packages/token-client/src/recovery.ts#R10', [
    'packages/token-client/src/renewal.test.ts',
  ]),
  control('packages/installation-store/src/sqlite/barrier.ts#D9', [
    'proof/kills/power-loss.long.test.ts',
  ]),
  control('packages/http/src/drain-server.ts#P1', ['packages/http/src/drain-server.test.ts']),
  control('packages/server/src/process/close-server.ts#P3', [
    'packages/server/src/create-server.test.ts',
  ]),
  control(
    'packages/installation-store/src/stores/session-store.ts#K11',
    ['proof/kills/protocols.test.ts'],
    'claims_sealed: null,',
  ),
];
