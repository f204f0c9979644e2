/** The controls of encryption at rest (threat group E): packages/installation-store. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const keyring = [`${store}/sealing/keyring.test.ts`];
const keyFile = [`${store}/sealing/keyring-file.test.ts`];
const check = [`${store}/sealing/key-check.test.ts`];
const rotation = [`${store}/rotation/reencrypt.test.ts`];
const locks = [`${store}/rotation/key-locks.test.ts`];
const quarantine = [`${store}/quarantine.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${store}/sealing/keyring.ts`, keyring, [
    ['E03', '[...place, keyId]', '[keyId]'],
    [
      'E03',
      "if (sealed.toString('base64url') !== text) throw new Error('The ciphertext is not base64url');",
    ],
    ['G02', ' || describeWeakness(found)'],
    ['G02', 'expected.byteLength === given.byteLength && timingSafeEqual(expected, given)', 'true'],
    [
      'G02',
      'markWith(found, text, purpose), mark]',
      "markWith(found, text, 'session nonce'), mark]",
    ],
    ['E05', 'randomBytes(nonceBytes)', 'Buffer.alloc(nonceBytes)'],
  ]),
  ...controlsOf(`${store}/sealing/keyring.ts`, keyFile, [
    ['E02', 'if (steps.size === 1) return', 'if (false) return'],
    ['E02', 'if (new Set(bytes).size < minDifferentBytes) return', 'if (false) return'],
    ['E02', 'if (weakness) throw new TypeError', 'if (false) throw new TypeError'],
  ]),
  ...controlsOf(`${store}/sealing/keyring-file.ts`, keyFile, [
    ['E02', 'if (weakness) {', 'if (false) {'],
    ['E04', 'renameSync(draft, target);', "writeFileSync(target, readFileSync(draft, 'utf8'));"],
    ['E06', 'linkSync(draft, path);', 'renameSync(draft, path);'],
    ['E11', 'if (production) {', 'if (false) {'],
    ['E11', 'fchmodSync(descriptor, 0o600);'],
    ['E11', "openSync(path, 'wx', 0o600)", "openSync(path, 'wx', 0o666)"],
    ['E04', 'if (owner) giveTo(owner, descriptor);'],
    ['E04', 'isPipe ? undefined : () => readAgain(file)', 'undefined'],
    ['K9', 'rmSync(draft, { force: true });\n    try {', 'try {'],
  ]),
  ...controlsOf(`${store}/sealing/key-check.ts`, check, [
    ['E06', 'if (ids.size > 0) throw explainMisfit([...ids], keyring);'],
    ['E06', 'if (lost.length > 0) throw wrongKey(lost, keyring);'],
    ['K9', 'if (await isSealedWith(db, id)) lost.push(id);', 'lost.push(id);'],
    [
      'E12',
      'if (sample.some(({ ciphertext, place }) => opens(keyring, ciphertext, place))) return;',
    ],
  ]),
  ...controlsOf(`${store}/open-store.ts`, check, [['E06', 'await checkKeys(engine.db, keyring);']]),
  ...controlsOf(`${store}/keyring-first.ts`, check, [
    ['E02', '!keyFile.production && '],
    ['E06', 'ids.length > 0 && !existsSync(keyFile.path)', 'false'],
  ]),
  ...controlsOf(`${store}/rotation/reencrypt.ts`, rotation, [
    ['E04', 'if (readable === 0) {', 'if (true) {'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    ['E04', 'and ${sql.join(isUnchanged, sql` and `)}'],
    [
      'E12',
      'if (!(error instanceof StoreError)) throw error;\n    return',
      'throw error;\n    return',
    ],
  ]),
  ...controlsOf(`${store}/rotation/keyring-rotation.ts`, locks, [
    ['E04', '!sealing.includes(id) && !(await isSealedWith(db, id))', '!sealing.includes(id)'],
    ['E04', '!sealing.includes(id) && '],
    ['K9', 'if (!listOldKeys(file).some(isCandidate)) return [];'],
  ]),
  ...controlsOf(`${store}/keyring-admin.ts`, locks, [
    ['K9', 'openEngine(database, { isPatient: true }), keyring', 'openEngine(database), keyring'],
  ]),
  ...controlsOf(`${store}/sealing/sealed-columns.ts`, quarantine, [
    ['E03', 'String(generation)', "''"],
  ]),
  ...controlsOf(`${store}/sealing/seal-grant.ts`, quarantine, [
    ['E12', 'installationId: owner.id, keyId: cause.keyId', 'keyId: cause.keyId'],
    ['E12', 'installationId: owner.id, keyId: cause.keyId', 'installationId: owner.id'],
    ['E12', 'if (!check) throw cause;', 'throw cause;'],
    [
      'E03',
      '{ ...installation, generation: row.generation }',
      '{ ...installation, generation: _newest }',
    ],
  ]),
];
