/** Hand-written cases for the model. */
import { expect, test } from 'vitest';
import { expectOutcome, type OrderedEvent } from './expected-outcome.ts';

const install = (iat: number): OrderedEvent => ({ name: 'install', iat });
const uninstall = (iat: number): OrderedEvent => ({ name: 'uninstall', iat });
const token = (code: string, iat: number): OrderedEvent => ({ name: 'access_token', code, iat });

test.each<[string, OrderedEvent[], string, string | null]>([
  ['nothing', [], 'unknown', null],
  ['an install', [install(1)], 'pending', null],
  ['its tokens', [install(1), token('A', 2)], 'active', 'A'],
  ['newer tokens, first', [token('B', 3), token('A', 2), install(1)], 'active', 'B'],
  ['an uninstall', [install(1), token('A', 2), uninstall(3)], 'uninstalled', null],
  ['an uninstall, first', [uninstall(3), install(1), token('A', 2)], 'uninstalled', null],
  ['a next life', [install(1), token('A', 2), uninstall(3), install(4)], 'pending', null],
  ['its tokens, too', [token('B', 5), uninstall(3), install(4), token('A', 2)], 'active', 'B'],
  ['a code signed again', [token('A', 2), uninstall(3), token('A', 4)], 'uninstalled', null],
])('of %s', (_, events, status, code) => {
  expect(expectOutcome(events)).toEqual({ status, code, instances: [] });
});

test('of a code that the platform refuses after an uninstall', () => {
  const events = [uninstall(3), token('A', 4)];
  expect(expectOutcome(events, new Set(['A']))).toEqual({
    status: 'uninstalled',
    code: null,
    instances: [],
  });
});

test('of widgets that were added and removed, in any order and across an uninstall', () => {
  const add = (instanceId: string, iat: number): OrderedEvent => ({
    name: 'instance_add',
    instanceId,
    iat,
  });
  const events = [add('c', 5), uninstall(3), { ...add('b', 4), name: 'instance_remove' as const }];
  const { instances } = expectOutcome([...events, add('b', 2), add('a', 2), install(1)]);

  expect(instances).toEqual(['a', 'c']);
});
