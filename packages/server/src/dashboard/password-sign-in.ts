/** Sign-in by name and password: limits of attempts, and constant work. Rows F01 to F03 of docs/threats.md. */
import { type AccountPassword, type Store, verifyPassword } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import {
  createFailureCounter,
  createSenderCounters,
  type FailureCounter,
  type FailureLimit,
  limitFailures,
  limitsOfSender,
  maxFailures,
  type SenderCounters,
  windowMs,
} from './failure-limits.ts';

/** Each hash takes 128 MiB and one of Node's four threads for half a second. */
const maxHashing = 2;
const maxWaiting = 20;

/** The limits of password checks in one process. */
export interface PasswordGate extends SenderCounters {
  names: FailureCounter;
  hashing: number;
  waiting: (() => void)[];
}

export interface PasswordAttempt {
  name: string;
  password: string;
  /** The sender's address. */
  address: string;
}

/** Creates the limits of this process, with no failure counted. */
export function createPasswordGate(now: () => number): PasswordGate {
  return {
    names: createFailureCounter(maxFailures, now),
    ...createSenderCounters(now),
    hashing: 0,
    waiting: [],
  };
}

/**
 * @returns undefined if the name or the password is wrong; it took as long as a right one.
 * @throws ApiError `TOO_MANY_ATTEMPTS`, `OVERLOADED`; no password was checked.
 */
export async function checkPassword(
  gate: PasswordGate,
  accounts: Pick<Store['accounts'], 'findAccount'>,
  attempt: PasswordAttempt,
): Promise<AccountPassword | undefined> {
  const { name, password } = attempt;
  const check = async () => {
    const account = await accounts.findAccount(name);
    const isRight = await whileHashing(gate, () => verifyPassword(password, account?.passwordHash));
    return isRight ? account : undefined;
  };
  return limitFailures({
    limits: limitsOf(gate, attempt),
    attempt: check,
    hasFailed: (account) => account === undefined,
    refuse: refuseAttempt,
  });
}

function refuseAttempt(): never {
  throw new ApiError('TOO_MANY_ATTEMPTS', 'Too many attempts: wait, or use a one-time code', {
    headers: { 'Retry-After': String(windowMs / 1000) },
  });
}

function limitsOf(gate: PasswordGate, { name, address }: PasswordAttempt): FailureLimit[] {
  const { ofAddress, ofNetwork } = limitsOfSender(gate, address);
  return [{ counter: gate.names, key: name }, ofAddress, ofNetwork];
}

/** Computes a hash when its turn comes. @throws ApiError `OVERLOADED` */
export async function whileHashing<Result>(
  gate: PasswordGate,
  hash: () => Promise<Result>,
): Promise<Result> {
  if (gate.hashing >= maxHashing) {
    if (gate.waiting.length >= maxWaiting) {
      const headers = { 'Retry-After': '5' };
      throw new ApiError('OVERLOADED', 'Too many sign-ins at once', { headers });
    }
    // Each hash that ends passes its place on.
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
