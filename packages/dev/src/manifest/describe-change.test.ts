import { type Manifest, parseManifest } from '@dowel/schema';
import { expect, test } from 'vitest';
import { describeChange } from './describe-change.ts';

const lunch = {
  manifestVersion: '2.5.0',
  pluginVersion: '1.0.0',
  name: { en: 'Lunch' },
  description: { en: 'Lunch' },
  lifecycle: { url: 'lifecycle/', events: ['install'] },
  apiAccess: {
    url: 'lifecycle/',
    client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
  },
  entryPoints: [
    {
      id: '2d1b8f52-4c0f-4f0e-9f0b-6f3f0c1a7e01',
      url: 'plugin/',
      name: { en: 'Lunch' },
      description: { en: 'Lunch' },
    },
  ],
};

function read(changes: object = {}): Manifest {
  const parsed = parseManifest(JSON.stringify({ ...lunch, ...changes }), 'http://localhost/m.json');
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems));
  return parsed.manifest;
}

const [entryPoint] = lunch.entryPoints;
const other = { ...entryPoint, id: '2d1b8f52-4c0f-4f0e-9f0b-6f3f0c1a7e02' };

test.each([
  [
    'a text',
    {},
    { name: { en: 'Dinner' } },
    /^The manifest has changed: the installation is updated/,
  ],
  ['new access', { apiAccess: undefined }, {}, /^apiAccess is new: the update sends access_token/],
  ['access that goes', {}, { apiAccess: undefined }, /^apiAccess is gone: access has ended/],
  [
    'other access',
    {},
    { apiAccess: { ...lunch.apiAccess, url: 'other/' } },
    /keeps its old grant\. Press i/,
  ],
  [
    'events',
    {},
    { lifecycle: { ...lunch.lifecycle, events: [] } },
    /install is not sent again\. Press i/,
  ],
  ['a new entry point', {}, { entryPoints: [entryPoint, other] }, /e02 is new: it is placed/],
  ['one that goes', { entryPoints: [entryPoint, other] }, {}, /e02 is gone: .* Remove the widget/],
])('%s is one line that says what the update does', (_, before, after, line) => {
  expect(describeChange(read(before), read(after))).toEqual([expect.stringMatching(line)]);
});
