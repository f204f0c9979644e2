/**
 * The stores outside of a transaction. A method whose change must be announced runs in a transaction of its
 * own, so that the change log has the change exactly if it was committed.
 */
import type { Stores } from './store.ts';

const announcing = {
  installations: [
    'begin',
    'uninstall',
    'giveUp',
    'noteMove',
    'endMove',
    'addInstance',
    'removeInstance',
  ],
  grants: ['replace', 'commitRefresh', 'markAwaitingEvent'],
  renewals: ['release', 'endExchange'],
  events: ['recordEvent', 'recordTokenOperation'],
  hooks: ['append', 'claim', 'settle', 'replay', 'drop'],
  calls: ['record'],
  usability: ['becomeUsable', 'markBroken', 'endBroken'],
  operators: [
    'pause',
    'resume',
    'endSessions',
    'keepUntil',
    'purge',
    'describe',
    'acknowledge',
    'eraseUser',
  ],
  samples: ['record'],
  alerts: ['evaluate'],
} as const satisfies { [Name in keyof Stores]?: readonly (keyof Stores[Name])[] };

type Method = (...parameters: unknown[]) => Promise<unknown>;
type Methods = Record<string, Method>;
type Transact = (work: (stores: Stores) => Promise<unknown>) => Promise<unknown>;

export function announceInTransactions(stores: Stores, transact: Transact): Stores {
  const wrapped: Record<string, object> = {};
  for (const [name, methods] of Object.entries(announcing)) {
    const partOf = (all: Stores) => all[name as keyof typeof announcing] as unknown as Methods;
    wrapped[name] = { ...partOf(stores), ...wrap(methods, partOf, transact) };
  }
  return { ...stores, ...wrapped };
}

function wrap(
  methods: readonly string[],
  partOf: (stores: Stores) => Methods,
  transact: Transact,
): Methods {
  const inTransaction =
    (method: string): Method =>
    (...parameters) =>
      transact(async (stores) => partOf(stores)[method]?.(...parameters));
  return Object.fromEntries(methods.map((method) => [method, inTransaction(method)]));
}
