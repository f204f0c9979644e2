/** The adapter's types. `tsc` checks this file. */
import { describe, expectTypeOf, test } from 'vitest';
import {
  type Adapter,
  type ConfigInit,
  connect,
  createAdapter,
  type Init,
  type MainInit,
  type View,
} from './index.ts';
import type { Retry, useAdapter, useClaims, usePlugin } from './react/index.ts';
import type { Loaded } from './react/resource.ts';

interface Settings {
  title: string;
}
interface OwnContext {
  userDepartment?: string;
}

const parseConfig = (): Settings => ({ title: '' });

type InitOf<Any extends Pick<Adapter, 'init'>> = Awaited<ReturnType<Any['init']>>;

describe('the configuration', () => {
  test('is there in the view main, named or not', () => {
    const named = createAdapter({ view: 'main', parseConfig });
    const unnamed = createAdapter({ parseConfig });
    expectTypeOf<InitOf<typeof named>['config']>().toEqualTypeOf<Settings>();
    expectTypeOf<InitOf<typeof unnamed>['config']>().toEqualTypeOf<Settings>();
  });

  test('may be undefined in the view config', () => {
    const adapter = createAdapter({ view: 'config', parseConfig });
    expectTypeOf<InitOf<typeof adapter>['config']>().toEqualTypeOf<Settings | undefined>();
  });

  test('may be undefined if the view is not known, until it is checked', () => {
    const adapter = createAdapter({ view: 'main' as View, parseConfig });
    type Either = InitOf<typeof adapter>;
    expectTypeOf<Either['config']>().toEqualTypeOf<Settings | undefined>();
    expectTypeOf<Extract<Either, { view: 'main' }>['config']>().toEqualTypeOf<Settings>();
    expectTypeOf<Either>().toEqualTypeOf<Init<Settings>>();
    expectTypeOf<Either>().toEqualTypeOf<MainInit<Settings> | ConfigInit<Settings>>();
  });

  test('is unknown without parseConfig', () => {
    const adapter = createAdapter({});
    expectTypeOf<InitOf<typeof adapter>['config']>().toBeUnknown();
  });

  test('is the type of a save answer', () => {
    const adapter = createAdapter({ view: 'config', parseConfig });
    type Answer = Awaited<ReturnType<Parameters<typeof adapter.onSave>[0]>>;
    expectTypeOf<Answer>().toEqualTypeOf<Settings | boolean>();
  });

  test('of an adapter for one view is accepted where the view does not matter', () => {
    expectTypeOf<Adapter<Settings, unknown, 'main'>>().toExtend<Adapter<Settings>>();
    expectTypeOf<Adapter<Settings, unknown, 'config'>>().toExtend<Adapter<Settings>>();
  });
});

describe("a context of one's own", () => {
  test('is typed beside the known names, everywhere', () => {
    const adapter = createAdapter<Settings, OwnContext>({ parseConfig });
    type Context = InitOf<typeof adapter>['claims']['ctx'];
    expectTypeOf<Context['userDepartment']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Context['userName']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Context['other']>().toBeUnknown();

    type Saved = Parameters<Parameters<typeof adapter.onSave>[0]>[0];
    expectTypeOf<Saved['ctx']>().toEqualTypeOf<Context>();
    const met = connect<OwnContext>;
    expectTypeOf<Awaited<ReturnType<typeof met>>['claims']['ctx']>().toEqualTypeOf<Context>();
  });

  test('is unknown by default', () => {
    const adapter = createAdapter({});
    type Context = InitOf<typeof adapter>['claims']['ctx'];
    expectTypeOf<Context['userDepartment']>().toBeUnknown();
  });
});

test('hooks are typed like the adapter', () => {
  type Plugin = ReturnType<typeof usePlugin<Settings, OwnContext>>;
  expectTypeOf<Plugin>().toEqualTypeOf<Loaded<Init<Settings, OwnContext>> & Retry>();
  type Claims = NonNullable<ReturnType<typeof useClaims<OwnContext>>>;
  expectTypeOf<Claims['ctx']['userDepartment']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<ReturnType<typeof useAdapter<Settings, OwnContext>>>().toEqualTypeOf<
    Adapter<Settings, OwnContext>
  >();
});
