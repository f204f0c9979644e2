import { expect, test } from 'vitest';
import { openSession } from './open-session.ts';

const busy = () => Response.json({}, { status: 503, headers: { 'retry-after': '0' } });
const opened = () => Response.json({ sessionToken: 's' }, { status: 201 });

function answerWith(...answers: (() => Response)[]) {
  return async () => (answers.shift() as () => Response)();
}

test('a busy back end is asked again after the time that it names', async () => {
  expect(await openSession(answerWith(busy, busy, opened))).toBe('s');
});

test.each([
  () => Response.json({ message: 'no' }, { status: 401 }),
  () => Response.json({ message: 'no' }, { status: 503 }),
])('an answer that is not a session is an error with its status', async (refuse) => {
  await expect(openSession(answerWith(refuse))).rejects.toThrow(/^No session: (401|503) .*no/);
});
