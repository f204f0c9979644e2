/** The controls of what a program believes at its start: settings, manifest, messages. */
import { type Control, controlsOf } from '../control.ts';

const bff = 'apps/bff/src';
const server = 'packages/server/src';
const settings = 'packages/settings/src';
const schema = 'packages/schema/src';
const store = 'packages/installation-store/src';
const config = [`${server}/configuration.test.ts`];
const addresses = [`${server}/events/event-addresses.test.ts`];
const unknown = [`${settings}/unknown-settings.test.ts`];

export const controls: Control[] = [
  ...controlsOf(
    `${settings}/env-file.ts`,
    [`${settings}/env-file.test.ts`],
    [['settings', '...withoutEmpty(environment) };', '...environment };']],
  ),
  ...controlsOf(
    `${server}/read-manifest.ts`,
    [`${bff}/start-messages.long.test.ts`],
    [['events', '...describeQueries(manifest, name),']],
  ),
  ...controlsOf(`${settings}/unknown-settings.ts`, unknown, [
    ['settings', 'seen.toUpperCase().startsWith(`', 'seen.startsWith(`'],
    ['settings', 'const isSlip = distance <= slip &&', 'const isSlip = false &&'],
    ['secrets', "return name.replace(/[^\\x21-\\x7e]/g, '?').slice(0, 100);", 'return name;'],
  ]),
  ...controlsOf(`${server}/settings/settings.ts`, config, [
    ['settings', "...describeUnknownSettings(environment, ['DOWEL']),"],
  ]),
  ...controlsOf(`${server}/settings/setting-values.ts`, config, [
    ['settings', 'url?.href === `', 'url !== null || url === `'],
  ]),
  ...controlsOf(`${server}/events/event-addresses.ts`, addresses, [
    ['events', "for (const joint of ['/', '//', ''])", "for (const joint of ['/'])"],
    ['events', 'return decodeURI(path);', 'return path;'],
    [
      'events',
      'eventPath ?? url.pathname.slice(0, -event.length)',
      'url.pathname.slice(0, -event.length)',
    ],
  ]),
  ...controlsOf(
    `${schema}/manifest/parse-manifest.ts`,
    [`${schema}/manifest/parse-manifest.test.ts`],
    [
      [
        'words',
        'manifestSchema.safeParse(value, { error: plainWords })',
        'manifestSchema.safeParse(value)',
      ],
    ],
  ),
  ...controlsOf(
    `${server}/request/read-query.ts`,
    [`${server}/http/api-words.test.ts`],
    [['words', ', { error: plainWords }']],
  ),
  ...controlsOf(
    `${store}/sealing/key-check.ts`,
    [`${store}/sealing/key-check.test.ts`],
    [
      [
        'E12',
        'if (lacking.length > 0) return wrongKey(lacking, keyring);',
        'return wrongKey(ids, keyring);',
      ],
    ],
  ),
  ...controlsOf(
    'packages/emulator/src/describe-answer.ts',
    ['packages/emulator/src/explain-fetch-failure.test.ts'],
    [['secrets', ".replace(/eyJ[\\w.-]*/g, '[token]')"]],
  ),
];
