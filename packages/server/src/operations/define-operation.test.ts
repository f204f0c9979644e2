import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Notifier, Platform } from '../index.ts';
import { defineOperation } from './define-operation.ts';
import type { Operation } from './operation.ts';
import { assertOperations, readOperations } from './operation-table.ts';

const empty = { input: z.object({}), output: z.object({}) };
const run = () => ({});
const plain = defineOperation({ ...empty, run });
const notifies = defineOperation({ ...empty, scopes: ['plugin:notify'], run });

describe('a table of operations', () => {
  test('G15: has names that fit into a URL and into a client', () => {
    for (const name of ['vote', 'a', 'voteForLunch2', `a${'b'.repeat(63)}`]) {
      expect(() => assertOperations({ [name]: plain })).not.toThrow();
    }
    for (const name of ['', 'Vote', '2nd', 'vote-for', 'a/b', 'ä', `a${'b'.repeat(64)}`]) {
      expect(() => assertOperations({ [name]: plain })).toThrow(TypeError);
    }
  });

  test.each(['session', 'then', 'toJSON', 'constructor', 'toString'])(
    'cannot have the name %s',
    (name) => {
      const table = Object.fromEntries([[name, plain]]);
      expect(() => assertOperations(table)).toThrow(`The operation ${name}`);
    },
  );

  test('cannot need a scope that the manifest does not request', () => {
    expect(() => readOperations({ notifies }, { requestedScopes: [] })).toThrow(
      'The operation notifies needs the scope plugin:notify, which the manifest does not request: correct its name, or add it to apiAccess.client.scope',
    );
  });

  test('cannot have an output that transforms: the sent value could not be described', () => {
    const output = z.string().transform((text) => text.length);
    const count = defineOperation({ input: z.object({}), output, run: () => '' });
    expect(() => assertOperations({ count })).toThrow('count.output');
  });

  test('cannot have an output that may be missing: a page would get null', () => {
    const output = z.string().optional() as never;
    const name = defineOperation({ input: z.object({}), output, run: () => undefined as never });
    expect(() => assertOperations({ name })).toThrow('name.output may be undefined');
  });

  test('cannot have an input that JSON does not have, and says what to use', () => {
    const input = z.object({ at: z.date() }) as never;
    const plan = defineOperation({ input, output: z.object({}), run: () => ({}) });
    expect(() => assertOperations({ plan })).toThrow(
      /^plan\.input .*z\.iso\.datetime\(\) for a date\.$/,
    );
  });

  test('has limits that are counts', () => {
    const none = defineOperation({ ...empty, limit: { perUserPerMinute: 0 }, run });
    expect(() => assertOperations({ none })).toThrow('none.limit.perUserPerMinute');
    const half = defineOperation({ ...empty, limit: { perSessionPerMinute: 0.5 }, run });
    expect(() => assertOperations({ half })).toThrow('half.limit.perSessionPerMinute');
    const never = defineOperation({ ...empty, limit: { perProcessPerMinute: 0 }, run });
    expect(() => assertOperations({ never })).toThrow('never.limit.perProcessPerMinute');
  });
});

describe('an operation', () => {
  test.each(['pollClosed', 'POLL-CLOSED', 'POLL_', '', 'INTERNAL_ERROR', 'NO_ANSWER'])(
    'cannot have the code %j',
    (code) => {
      expect(() => defineOperation({ ...empty, errors: { [code]: 409 }, run })).toThrow(TypeError);
    },
  );

  test.each([0, -1, Number.NaN, 600_001])('cannot have the time %d', (timeoutMs) => {
    expect(() => defineOperation({ ...empty, timeoutMs, run })).toThrow(TypeError);
  });

  test.each([
    [{ summary: 5 }, 'summary must be a string'],
    [{ scopes: 'plugin:notify' }, 'scopes must be an array of strings'],
    [{ scopes: [5] }, 'scopes must be an array of strings'],
    [{ errors: null }, 'errors must be an object'],
    [{ errors: ['POLL_CLOSED'] }, 'errors must be an object'],
    [{ errors: new Map([['POLL_CLOSED', 409]]) }, 'errors must be an object'],
  ])('cannot have %j', (changes, message) => {
    const given = { ...empty, run, ...changes } as never;
    expect(() => defineOperation(given)).toThrow(message);
  });

  test('cannot have a status of success, and must have a function to run', () => {
    const given = { ...empty, run } as object;
    const define = (changes: object) => () => defineOperation({ ...given, ...changes } as never);

    expect(define({ errors: { POLL_CLOSED: 200 } })).toThrow(/POLL_CLOSED must be one of 400/);
    expect(define({ run: undefined })).toThrow('run must be a function');
  });

  test('has plain types: its input as the page sends it, its output as the page gets it', () => {
    const vote = defineOperation({
      input: z.object({ at: z.string().transform(Number), note: z.string().optional() }),
      output: z.object({ votes: z.int(), by: z.array(z.string()) }),
      errors: { POLL_CLOSED: 409, TOO_LATE: 410 },
      run: ({ input, fail }) => {
        expectTypeOf(input).toEqualTypeOf<{ at: number; note?: string | undefined }>();
        return input.at > 1 ? { votes: 1, by: [] } : fail('TOO_LATE', '');
      },
    });
    expectTypeOf(vote).toEqualTypeOf<
      Operation<
        { at: string; note?: string | undefined },
        { votes: number; by: string[] },
        'POLL_CLOSED' | 'TOO_LATE'
      >
    >();
    expectTypeOf(plain).toEqualTypeOf<
      Operation<Record<string, never>, Record<string, never>, never>
    >();
  });

  test('has a platform only with scopes, and notify only with its scope', () => {
    defineOperation({
      ...empty,
      run: ({ platform }) => {
        expectTypeOf(platform).toBeUndefined();
        return {};
      },
    });
    defineOperation({
      ...empty,
      scopes: ['plugin:notify'],
      run: ({ platform }) => {
        expectTypeOf(platform).toEqualTypeOf<Platform & Notifier>();
        return {};
      },
    });
    defineOperation({
      ...empty,
      scopes: ['plugin:read'],
      run: ({ platform }) => {
        expectTypeOf(platform).not.toHaveProperty('notify');
        expectTypeOf(platform).toExtend<Platform>();
        return {};
      },
    });
  });

  test('is not made with what would fail at run time', () => {
    const wrong = () => {
      // @ts-expect-error a date is no JSON
      defineOperation({ input: z.object({}), output: z.date(), run: () => new Date() });
      // @ts-expect-error a map is no JSON
      defineOperation({ input: z.map(z.string(), z.string()), output: z.null(), run: () => null });
      // @ts-expect-error the output does not fit
      defineOperation({ input: z.object({}), output: z.object({ a: z.int() }), run: () => ({}) });
      // @ts-expect-error a status that only we use
      defineOperation({ ...empty, errors: { BROKEN: 500 }, run });
      // @ts-expect-error an unknown option
      defineOperation({ ...empty, timeout: 5, run });
      // @ts-expect-error a code that is not declared
      defineOperation({ ...empty, errors: { A: 409 }, run: ({ fail }) => fail('B', '') });
      // @ts-expect-error no code is declared
      defineOperation({ ...empty, run: ({ fail }) => fail('A', '') });
      // @ts-expect-error without scopes there is no platform
      defineOperation({ ...empty, run: ({ platform }) => platform.fetch('/api') });
    };
    expectTypeOf(wrong).toBeFunction();
  });
});
