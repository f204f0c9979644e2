/** Sign-in by name and password: limits of attempts, and constant work. Rows F01 to F03 of docs/threats.md. */
import { type AccountPassword, type AccountStore, verifyPassword } from '@dowel/installation-store';
import { ApiError } from '../errors.ts';
import { parseSenderAddress } from '../request/sender-address.ts';
import {
  createFailureCounter,
  type FailureCounter,
  type FailureLimit,
  limitFailures,
} from './failure-limits.ts';

/** Failures of one name, and of one address. */
const maxFailures = 10;
/** Failures of a network: it may have many owners, or one with many addresses. */
const maxNetworkFailures = 100;
/** Each hash takes 128 MiB and one of Node's four threads for half a second. */
const maxHashing = 2;
const maxWaiting = 20;

/** The limits of one process. */
export interface PasswordGate {
  names: FailureCounter;
  addresses: FailureCounter;
  networks: FailureCounter;
  hashing: number;
  waiting: (() => void)[];
}

export interface PasswordAttempt {
  name: string;
  password: string;
  /** Of the sender. */
  address: string;
}

export function createPasswordGate(now: () => number): PasswordGate {
  return {
    names: createFailureCounter(maxFailures, now),
    addresses: createFailureCounter(maxFailures, now),
    networks: createFailureCounter(maxNetworkFailures, now),
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
  accounts: Pick<AccountStore, 'findAccount'>,
  attempt: PasswordAttempt,
): Promise<AccountPassword | undefined> {
  const { name, password } = attempt;
  const check = async () => {
    const account = await accounts.findAccount(name);
    const isRight = await whileHashing(gate, () => verifyPassword(password, account?.passwordHash));
    return isRight ? account : undefined;
  };
  return limitFailures(limitsOf(gate, attempt), check, (account) => account === undefined);
}

function limitsOf(
  { names, addresses, networks }: PasswordGate,
  { name, address: text }: PasswordAttempt,
): FailureLimit[] {
  const { address, network } = parseSenderAddress(text);
  return [
    { counter: names, key: name },
    { counter: addresses, key: address },
    { counter: networks, key: network },
  ];
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
