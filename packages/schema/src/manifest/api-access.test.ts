/** The section apiAccess, rule by rule (Spec §2.1). */
import { expect, test } from 'vitest';
import { manifest } from '../testing/samples.ts';
import { parseManifest } from './parse-manifest.ts';

/** The places that are refused when apiAccess is `apiAccess`. */
function refusedPlaces(apiAccess: unknown): string[] {
  const text = JSON.stringify({ ...manifest, apiAccess });
  const result = parseManifest(text, 'https://plugin.example/app/manifest.json');
  return result.ok ? [] : result.problems.map(({ pointer }) => pointer);
}

function withClient(changes: object): object {
  return { ...manifest.apiAccess, client: { ...manifest.apiAccess.client, ...changes } };
}

test('apiAccess is optional; with it, url is required', () => {
  const { client } = manifest.apiAccess;

  expect(refusedPlaces(undefined)).toEqual([]);
  expect(refusedPlaces(manifest.apiAccess)).toEqual([]);
  expect(refusedPlaces({ client })).toEqual(['/apiAccess/url']);
  expect(refusedPlaces({ url: 1, client })).toEqual(['/apiAccess/url']);
});

test('apiAccess.url is absolute, or relative to the manifest', () => {
  for (const url of ['https://plugin.example/events/', 'https://other.example/', 'events/', '/x']) {
    expect(refusedPlaces({ ...manifest.apiAccess, url })).toEqual([]);
  }
  for (const url of [
    '//plugin.example/',
    'ftp://plugin.example/',
    'https://plugin.example:99999/',
  ]) {
    expect(refusedPlaces({ ...manifest.apiAccess, url })).toEqual(['/apiAccess/url']);
  }
});

test('apiAccess.client is required and is an object', () => {
  const { url } = manifest.apiAccess;

  for (const client of [undefined, null, 'authorization_code', ['authorization_code']]) {
    expect(refusedPlaces({ url, client })).toEqual(['/apiAccess/client']);
  }
});

test('apiAccess.client.mode is a list of authorization_code and nothing else', () => {
  for (const mode of [undefined, null, 'authorization_code', [], {}]) {
    expect(refusedPlaces(withClient({ mode }))).toEqual(['/apiAccess/client/mode']);
  }
  for (const other of ['client_credentials', 'implicit', 'password', 'Authorization_Code', 1]) {
    expect(refusedPlaces(withClient({ mode: ['authorization_code', other] }))).toEqual([
      '/apiAccess/client/mode/1',
    ]);
  }
});

test('apiAccess.client.scope is a list of plugin:notify and nothing else', () => {
  for (const scope of [undefined, null, 'plugin:notify', [], {}]) {
    expect(refusedPlaces(withClient({ scope }))).toEqual(['/apiAccess/client/scope']);
  }
  for (const other of ['plugin:read', 'notify', 'PLUGIN:NOTIFY', '*', 1]) {
    expect(refusedPlaces(withClient({ scope: ['plugin:notify', other] }))).toEqual([
      '/apiAccess/client/scope/1',
    ]);
  }
});
