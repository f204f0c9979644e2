/** The client's types. `tsc` checks this file. */
import { expectTypeOf, test } from 'vitest';
import type { Adapter } from '../create-adapter.ts';
import type { BuiltInCode, Client, OperationTypes } from './client-types.ts';
import type { createClient } from './create-client.ts';
import type { OperationError } from './operation-error.ts';

interface Operations {
  vote: OperationTypes<{ choice: 'soup' | 'salad' }, { votes: number }, 'POLL_CLOSED' | 'TOO_LATE'>;
  list: OperationTypes<{ page?: number }, string[], never>;
}
const client = {} as Client<Operations>;
const adapter = {} as Adapter<unknown, unknown, 'main'>;

test('an input and an output have the types of the operation', () => {
  type Vote = typeof client.vote;
  expectTypeOf<Parameters<Vote>[0]>().toEqualTypeOf<{ choice: 'soup' | 'salad' }>();
  expectTypeOf<Awaited<ReturnType<Vote>>>().toEqualTypeOf<{ votes: number }>();
  expectTypeOf<Awaited<ReturnType<typeof client.list>>>().toEqualTypeOf<string[]>();
});

test('a wrong input, a missing input and an unknown operation do not compile', () => {
  const wrong = () => {
    // @ts-expect-error no such choice
    void client.vote({ choice: 'cake' });
    // @ts-expect-error the input is missing
    void client.vote();
    // @ts-expect-error an unknown field
    void client.list({ pages: 1 });
    // @ts-expect-error the signal is an option, not an input
    void client.list({}, AbortSignal.abort());
    // @ts-expect-error no such operation
    void client.veto({});
    // @ts-expect-error the table cannot be changed
    client.vote = client.list;
  };
  expectTypeOf(wrong).toBeFunction();
});

test('safe gives the value, or an error with the codes of the operation and the built-in ones', () => {
  type Result = Awaited<ReturnType<typeof client.vote.safe>>;
  type Failed = Extract<Result, { ok: false }>;
  expectTypeOf<Extract<Result, { ok: true }>['value']>().toEqualTypeOf<{ votes: number }>();
  expectTypeOf<Failed['error']>().toEqualTypeOf<
    OperationError<BuiltInCode | 'POLL_CLOSED' | 'TOO_LATE'>
  >();
  type Listed = Extract<Awaited<ReturnType<typeof client.list.safe>>, { ok: false }>;
  expectTypeOf<Listed['error']['code']>().toEqualTypeOf<BuiltInCode>();
});

test('a misspelt code does not compile', () => {
  const wrong = async () => {
    const result = await client.vote.safe({ choice: 'soup' });
    // @ts-expect-error the code is POLL_CLOSED
    return !result.ok && result.error.code === 'POLL_CLOSE';
  };
  expectTypeOf(wrong).toBeFunction();
});

test('what is no operation has no call', () => {
  expectTypeOf<Client<{ a: string }>['a']>().toBeNever();
});

test('any adapter can carry the calls', () => {
  expectTypeOf<typeof adapter>().toExtend<Parameters<typeof createClient>[0]>();
});
