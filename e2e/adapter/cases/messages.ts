/** The adapter ignores messages of the host that are no token for this page, and accepts the good one after them. */
import { type Case, encodeText, type Group, withPart } from './case.ts';

const junk: Record<string, (token: string) => unknown> = {
  'an empty string': () => '',
  'the string null': () => 'null',
  'three dots': () => '...',
  'sixty thousand letters': () => 'a'.repeat(60_000),
  'sixty thousand dots': () => '.'.repeat(60_000),
  'thirty thousand letters and dots': () => 'a.'.repeat(30_000),
  'sixty thousand blanks': () => ' '.repeat(60_000),
  'two million letters': () => 'a'.repeat(2_000_000),
  'a token with a signature of a million letters': withPart(2, () => 'A'.repeat(1_000_000)),
  'a token with a payload of a million letters': withPart(
    1,
    (part) => part + 'A'.repeat(1_000_000),
  ),
  'a payload that is not JSON': withPart(1, () => encodeText('{jti}')),
  'a payload that is null': withPart(1, () => encodeText('null')),
  'a payload that is a number': withPart(1, () => encodeText('1')),
  'a payload nested a hundred thousand deep': withPart(1, () => encodeText('['.repeat(100_000))),
  'a payload with padding': withPart(1, (part) => `${part}==`),
  'a payload that is not base64url': withPart(1, () => '***'),
  'JSON in place of a token': () => '{"sub":"init"}',
  undefined: () => undefined,
  null: () => null,
  'a number': () => 42,
  'a big integer': () => 10n,
  true: () => true,
  'an object with the token': (token) => ({ data: token, token }),
  'an array of the token': (token) => [token],
  'a String object of the token': (token) => Object(token),
  'bytes of the token': (token) => new TextEncoder().encode(token),
  'a Blob of the token': (token) => new Blob([token]),
  'an error': (token) => new Error(token),
  'a map': (token) => new Map([['data', token]]),
  'an object that looks like a string': (token) => ({ length: 3, split: token, toString: null }),
};

export const messages: Group = {
  title: 'what is not a token is passed over, and the good answer still counts',
  cases: Object.entries(junk).flatMap(([what, change]): Case[] => [
    { name: `${what} is passed over`, expected: 'later', later: true, forgery: { change } },
  ]),
};

messages.cases.push(
  { name: 'a host that says nothing ends by the time-out', expected: 'ERR6', act: async () => {} },
  {
    name: 'a host that only sends junk ends by the time-out',
    expected: 'ERR6',
    forgery: { change: () => 'a.b.c' },
  },
  {
    name: 'a host that only sends objects ends by the time-out',
    expected: 'ERR6',
    forgery: { change: (token) => ({ token }) },
  },
  {
    name: 'a host that sends junk without end ends by the time-out',
    expected: 'ERR6',
    act: async ({ send }) => {
      for (let count = 0; count < 2000; count += 1) send(`${count}.e30.c`);
    },
  },
  { name: 'a host that loads late is met by a later hello', expected: 'first', hellosIgnored: 2 },
  {
    name: 'a host that answers twice is heard once',
    expected: 'first',
    act: async ({ send, sign }) => {
      const token = await sign({});
      send(token);
      send(token);
    },
  },
  {
    name: 'a hostile answer after a good one changes nothing',
    expected: 'first',
    act: async ({ send, sign }) => {
      const hostile = await sign({ signer: 'stranger', claims: { 'ctx.userName': 'later' } });
      send(await sign({}));
      send(hostile);
    },
  },
  {
    name: 'a good answer after a hostile one comes too late',
    expected: 'ERR2',
    later: true,
    forgery: { signer: 'stranger' },
  },
);
