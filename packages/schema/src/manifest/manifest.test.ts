import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { jsonSchemas } from '../json-schemas.ts';
import { manifestSchema } from './manifest.ts';

const root = new URL('../../../../', import.meta.url);

async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(new URL(path, root), 'utf8')) as Record<string, unknown>;
}

describe('manifestSchema', () => {
  test('takes the sample plug-in’s manifest', async () => {
    expect(manifestSchema.parse(await readJson('manifest.json'))).toMatchObject({
      apiAccess: { client: { mode: ['authorization_code'], scope: ['plugin:notify'] } },
    });
  });

  test('keeps fields it does not know', async () => {
    const manifest = { ...(await readJson('manifest.json')), flavour: 'new' };

    expect(manifestSchema.parse(manifest)).toHaveProperty('flavour', 'new');
  });

  test.each([
    [{ entryPoints: [] }, ['entryPoints']],
    [
      { apiAccess: { url: '/', client: { mode: ['implicit'], scope: ['plugin:notify'] } } },
      ['apiAccess', 'client', 'mode', 0],
    ],
    [
      { apiAccess: { url: '/', client: { mode: ['authorization_code'], scope: ['admin'] } } },
      ['apiAccess', 'client', 'scope', 0],
    ],
    [{ lifecycle: { url: '/', events: ['access_token'] } }, ['lifecycle', 'events', 0]],
    [{ manifestVersion: '2' }, ['manifestVersion']],
  ])('refuses %j and says where', async (changes, path) => {
    const result = manifestSchema.safeParse({ ...(await readJson('manifest.json')), ...changes });

    expect(result.error?.issues[0]?.path).toEqual(path);
  });
});

describe('manifest.schema.json', () => {
  test('is what "pnpm generate" makes, and manifest.json names it', async () => {
    const path = 'packages/schema/manifest.schema.json';

    expect(await readJson(path)).toEqual(
      JSON.parse(JSON.stringify(jsonSchemas()['manifest.schema.json'])),
    );
    expect((await readJson('manifest.json')).$schema).toBe(`./${path}`);
  });
});
