import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { initClaimsSchema, saveClaimsSchema } from './init-claims.ts';
import { jsonSchemas } from './json-schemas.ts';
import { lifecycleEventNames, lifecycleEventSchemas } from './lifecycle-events.ts';
import { manifestSchema } from './manifest/manifest.ts';
import { findPatterns } from './testing/find-patterns.ts';
import {
  accessTokenEvent,
  configField,
  entryPoint,
  eventClaims,
  initClaims,
  manifest,
  tokenResponse,
  withPrototypeMember,
} from './testing/samples.ts';
import { tokenResponseSchema } from './token-response.ts';

const schemas = jsonSchemas();
/** Formats are only notes, because each has a pattern too. Rules between fields are in the parent. */
const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, validateFormats: false });
// For editors: they do not validate.
ajv.addVocabulary(['patternErrorMessage', 'errorMessage', 'markdownDescription']);

function agree(path: string, schema: z.ZodType, value: unknown): boolean {
  const isTaken = schema.safeParse(value).success;
  expect(ajv.validate(schemas[path] ?? {}, value)).toBe(isTaken);
  return isTaken;
}

/** Every object in a JSON Schema that has this member. */
function findWith(schema: unknown, member: string): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.hasOwn(schema, member) ? [schema as Record<string, unknown>] : [];
  return [...own, ...Object.values(schema).flatMap((each) => findWith(each, member))];
}

async function readJson(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  return JSON.parse(text) as Record<string, unknown>;
}

describe('the JSON Schemas', () => {
  test.each(Object.keys(schemas))('%s is what "pnpm generate" makes', async (path) => {
    expect(await readJson(path)).toEqual(JSON.parse(JSON.stringify(schemas[path])));
  });

  test.each(Object.keys(schemas))(
    '%s is valid, has a name, and says what each field is',
    (path) => {
      const schema = schemas[path] as { properties: Record<string, { description?: string }> };

      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: expect.stringMatching(/^urn:dowel:/),
        title: expect.any(String),
      });
      expect(ajv.validateSchema(schema)).toBe(true);
      for (const field of Object.values(schema.properties)) expect(field.description).toBeTruthy();
    },
  );

  test('that of the manifest says what does not fit a pattern, where an editor shows it', () => {
    const places = findPatterns(schemas['manifest.schema.json']);

    for (const { description, patternErrorMessage } of places) {
      expect(description).toMatch(/\w/);
      expect(patternErrorMessage).toMatch(/^(?:This is n|Blank)/);
    }
    expect(places.length).toBeGreaterThan(10);
  });

  test('that of the manifest has a sentence for each value that it forbids', () => {
    const forbidding = findWith(schemas['manifest.schema.json'], 'not');

    expect(new Set(forbidding.map(({ errorMessage }) => errorMessage))).toEqual(
      new Set([
        'A field of this type needs "options".',
        'A key may not be __proto__.',
        'An entry point has either "config" or "configUrl", not both.',
      ]),
    );
  });

  test('that of the manifest has each description also in Markdown, with an example', () => {
    const described = findWith(schemas['manifest.schema.json'], 'markdownDescription');
    const texts = described.map(({ markdownDescription }) => markdownDescription);

    expect(texts).toContain('Semantic version of the plug-in.\n\nExample: `"1.0.0"`');
    expect(texts).toContain('What cfg.\\<key\\> becomes.');
    expect(described).toEqual(
      findWith(schemas['manifest.schema.json'], 'description').filter(
        ({ description }) => typeof description === 'string',
      ),
    );
  });

  test('manifest.json names its own', async () => {
    const { $schema } = await readJson('../../manifest.json');

    expect($schema).toBe('./packages/schema/manifest.schema.json');
  });

  test('are exported by the package', async () => {
    expect((await readJson('package.json')).exports).toMatchObject({
      './manifest.schema.json': './manifest.schema.json',
      './json-schema/*.json': './json-schema/*.json',
    });
  });
});

describe('JSON Schema and zod agree', () => {
  test.each<[object, boolean]>([
    [{}, true],
    [{ flavour: 'new' }, true],
    [{ config: [configField] }, true],
    [{ config: [{ ...configField, type: 'select', options: ['a'] }] }, true],
    [{ config: [{ ...configField, type: 'select' }] }, false],
    [{ config: [{ ...configField, key: '__proto__' }] }, false],
    [{ config: [{ ...configField, key: ' ' }] }, false],
    [{ config: [{ ...configField, minLength: -1 }] }, false],
    [{ entryPoints: [] }, false],
    [{ entryPoints: [{ ...entryPoint, configUrl: 'config/' }] }, true],
    [{ entryPoints: [{ ...entryPoint, configUrl: 'config/', config: [] }] }, false],
    [{ entryPoints: [{ ...entryPoint, id: 'nudge' }] }, false],
    [{ entryPoints: [{ ...entryPoint, url: 'javascript:alert(1)' }] }, false],
    [{ entryPoints: [{ ...entryPoint, url: '//evil.test' }] }, false],
    [{ entryPoints: [{ ...entryPoint, height: 0 }] }, false],
    [{ entryPoints: [{ ...entryPoint, height: '16:9' }] }, true],
    [{ entryPoints: [{ ...entryPoint, height: '16:0' }] }, false],
    [{ entryPoints: [{ ...entryPoint, permissionsPolicy: ['camera'] }] }, true],
    [{ lifecycle: { url: 'x', events: ['access_token'] } }, false],
    [{ lifecycle: { url: 'x', events: [] } }, true],
    [{ apiAccess: { url: 'x', client: { mode: ['implicit'], scope: ['plugin:notify'] } } }, false],
    [{ pluginVersion: '1.0' }, false],
    [{ manifestVersion: 2 }, false],
    [{ name: { en: '' } }, false],
    [{ name: 'Nudge' }, false],
    [{ name: undefined }, false],
    [{ context: ['a\u0000'] }, false],
  ])('on the manifest with %j: %j', (changes, isTaken) => {
    // JSON has no undefined: the member is missing.
    const value: unknown = JSON.parse(JSON.stringify({ ...manifest, ...changes }));

    expect(agree('manifest.schema.json', manifestSchema, value)).toBe(isTaken);
  });

  test.each(lifecycleEventNames)('on the %s event', (sub) => {
    const event = { ...accessTokenEvent, instanceId: 'widget-1', sub };
    const check = (value: unknown) =>
      agree(`json-schema/${sub}.json`, lifecycleEventSchemas[sub], value);

    expect(check(event)).toBe(true);
    expect(check({ ...event, flavour: 1 })).toBe(true);
    expect(check({ ...event, iat: 1.5 })).toBe(true);
    for (const wrong of [
      { ...event, sub: 'update' },
      { ...event, tenantId: [event.tenantId] },
      { ...event, iss: 'https://user@acme.example.com' },
      { ...event, iat: -0.5 },
      { ...event, iat: 1e308 },
      { ...event, jti: ' ' },
      { ...event, pluginId: `${eventClaims.pluginId}\u0000` },
      withPrototypeMember(event),
      [],
      null,
    ]) {
      expect(check(wrong)).toBe(false);
    }
  });

  test.each<[object, boolean]>([
    [{}, true],
    [{ trigger_event: undefined }, true],
    [{ client_id: 'a\n' }, false],
    [{ client_secret: 'a\u0000' }, false],
    [{ client_secret: '' }, false],
    [{ authorization_code: ['code'] }, false],
    [{ trigger_event: { url: '/x', method: 'GET' } }, false],
  ])('on the client with %j: %j', (changes, isTaken) => {
    const value: unknown = JSON.parse(
      JSON.stringify({ ...accessTokenEvent, client: { ...accessTokenEvent.client, ...changes } }),
    );

    expect(agree('json-schema/access_token.json', lifecycleEventSchemas.access_token, value)).toBe(
      isTaken,
    );
  });

  test.each<[string, z.ZodType, object, boolean]>([
    ['init-claims', initClaimsSchema, initClaims, true],
    ['init-claims', initClaimsSchema, { ...initClaims, 'ctx.userEmail': null }, true],
    ['init-claims', initClaimsSchema, { ...initClaims, 'ctx.userId': '' }, false],
    ['init-claims', initClaimsSchema, { ...initClaims, 'ctx.tenantId': 'acme' }, false],
    ['save-claims', saveClaimsSchema, { ...initClaims, sub: 'save' }, true],
    ['save-claims', saveClaimsSchema, initClaims, false],
    ['token-response', tokenResponseSchema, tokenResponse, true],
    ['token-response', tokenResponseSchema, { ...tokenResponse, token_type: 'BEARER' }, true],
    ['token-response', tokenResponseSchema, { ...tokenResponse, token_type: 'mac' }, false],
    ['token-response', tokenResponseSchema, { ...tokenResponse, access_token: 'a b' }, false],
    ['token-response', tokenResponseSchema, { ...tokenResponse, expires_in: '1' }, false],
  ])('on %s', (name, schema, value, isTaken) => {
    expect(agree(`json-schema/${name}.json`, schema, value)).toBe(isTaken);
  });
});
