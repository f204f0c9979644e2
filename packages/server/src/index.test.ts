/** The package as its users import it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, expectTypeOf, test } from 'vitest';
import type {
  Installation,
  Manifest,
  NotificationRequest,
  ParkedHook,
  PluginOptions,
  Server,
  ServerOptions,
  TrustRule,
  Turn,
  TurnWork,
} from './index.ts';

type ItemOf<List> = List extends AsyncIterable<infer Item> ? Item : never;

test('what a signature names can be imported with it', () => {
  type Installations = Server['installations'];
  expectTypeOf<ItemOf<ReturnType<Installations['list']>>>().toEqualTypeOf<Installation>();
  expectTypeOf<ItemOf<ReturnType<Server['hooks']['parked']>>>().toEqualTypeOf<ParkedHook>();
  expectTypeOf<Parameters<Server['notify']>[1]>().toEqualTypeOf<NotificationRequest>();
  expectTypeOf<Parameters<Server['runOnce']>>().toEqualTypeOf<[turn: Turn, work: TurnWork]>();
  expectTypeOf<Manifest>().toExtend<PluginOptions['manifest']>();
  expectTypeOf<readonly TrustRule[]>().toExtend<ServerOptions['trust']>();
});

test('an import loads neither pg nor nodemailer, which only some servers need', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(new URL('./index.ts', import.meta.url))});
    const names = urls.map((url) => /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
    console.log(JSON.stringify([...new Set(names)]));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const loaded: string[] = JSON.parse(stdout);

  expect(loaded).toContain('kysely');
  expect(loaded.filter((name) => ['pg', 'pg-pool', 'nodemailer'].includes(name))).toEqual([]);
});
