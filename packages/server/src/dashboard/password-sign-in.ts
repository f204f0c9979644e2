/** Sign-in by name and password: limits of attempts, and constant work. Rows F01 to F03 of docs/threats.md. */
import { type AccountPassword, type AccountStore, verifyPassword } from '@dowel/installation-store';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';
import { parseSenderAddress } from '../request/sender-address.ts';

/** Failures of one name, and of one address, within the window. */
const maxFailures = 10;
const windowMs = 15 * 60 * 1000;
/** Above this number, those seen longest ago are forgotten. */
const maxCounted = 10_000;
/** Each hash takes 128 MiB and one of Node's four threads for half a second. */
const maxHashing = 2;
const maxWaiting = 20;

/** The limits of one process. */
export interface PasswordGate {
  failures: LRUCache<string, { startedAt: number; count: number }>;
  hashing: number;
  waiting: (() => void)[];
  /** Epoch milliseconds. */
  now: () => number;
}

export interface PasswordAttempt {
  name: string;
  password: string;
  /** Of the sender. */
  address: string;
}

export function createPasswordGate(now: () => number): PasswordGate {
  return { failures: new LRUCache({ max: maxCounted }), hashing: 0, waiting: [], now };
}

/**
 * @returns undefined if the name or the password is wrong; it took as long as a right one.
 * @throws ApiError `TOO_MANY_ATTEMPTS`, `OVERLOADED`; no password was checked.
 */
export async function checkPassword(
  gate: PasswordGate,
  accounts: Pick<AccountStore, 'findAccount'>,
  { name, password, address }: PasswordAttempt,
): Promise<AccountPassword | undefined> {
  const keys = [`name ${name}`, `address ${parseSenderAddress(address).address}`];
  if (keys.some((key) => countOf(gate, key) >= maxFailures)) {
    throw new ApiError('TOO_MANY_ATTEMPTS', 'Too many attempts: wait, or use a one-time code', {
      headers: { 'Retry-After': String(windowMs / 1000) },
    });
  }
  // Counted before it is checked: attempts at the same time must not pass together.
  for (const key of keys) add(gate, key, 1);
  const account = await accounts.findAccount(name);
  const isRight = await whileHashing(gate, () => verifyPassword(password, account?.passwordHash));
  if (!isRight) return undefined;
  for (const key of keys) add(gate, key, -1);
  return account;
}

async function whileHashing<Result>(
  gate: PasswordGate,
  hash: () => Promise<Result>,
): Promise<Result> {
  if (gate.hashing >= maxHashing) {
    if (gate.waiting.length >= maxWaiting) {
      const headers = { 'Retry-After': '5' };
      throw new ApiError('OVERLOADED', 'Too many sign-ins at once', { headers });
    }
    // Whoever ends hands the place over.
    await new Promise<void>((resolve) => gate.waiting.push(resolve));
  } else gate.hashing += 1;
  try {
    return await hash();
  } finally {
    const next = gate.waiting.shift();
    if (next) next();
    else gate.hashing -= 1;
  }
}

function countOf({ failures, now }: PasswordGate, key: string): number {
  const counted = failures.peek(key);
  if (!counted) return 0;
  const ageMs = now() - counted.startedAt;
  return ageMs >= 0 && ageMs < windowMs ? counted.count : 0;
}

function add(gate: PasswordGate, key: string, change: number): void {
  const count = countOf(gate, key);
  const startedAt = count > 0 ? gate.failures.peek(key)?.startedAt : undefined;
  gate.failures.set(key, {
    startedAt: startedAt ?? gate.now(),
    count: Math.max(0, count + change),
  });
}
