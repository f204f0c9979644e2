import { type Manifest, parseManifest } from '@dowel/schema';
import { expect, test } from 'vitest';
import { compareManifests } from './compare-manifests.ts';

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
  ['a text', {}, { name: { en: 'Dinner' } }, [{ kind: 'othersChanged' }]],
  ['new access', { apiAccess: undefined }, {}, [{ kind: 'accessAdded' }]],
  ['access that goes', {}, { apiAccess: undefined }, [{ kind: 'accessRemoved' }]],
  [
    'other access',
    {},
    { apiAccess: { ...lunch.apiAccess, url: 'other/' } },
    [{ kind: 'accessChanged' }],
  ],
  [
    'events and a text',
    {},
    { lifecycle: { ...lunch.lifecycle, events: [] }, name: { en: 'Dinner' } },
    [{ kind: 'lifecycleChanged' }],
  ],
  [
    'a new entry point',
    {},
    { entryPoints: [entryPoint, other] },
    [{ kind: 'entryPointAdded', entryPoint: other }],
  ],
  [
    'an entry point that goes',
    { entryPoints: [entryPoint, other] },
    {},
    [{ kind: 'entryPointRemoved', entryPoint: other }],
  ],
  ['the same', {}, {}, []],
])('%s', (_, before, after, changes) => {
  expect(compareManifests(read(before), read(after))).toEqual(changes);
});
