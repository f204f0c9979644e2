/** The package's types. */
import { expectTypeOf, test } from 'vitest';
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
