/** The operations of a poll, which its page calls. */
import { defineOperation } from '@dowel/server';
import { z } from 'zod';

const choice = z.enum(['soup', 'salad']);
const results = z.object({ soup: z.int(), salad: z.int() });

/** Votes by the life of an installation, and user. A real poll keeps them in a database. */
const votes = new Map<string, Map<string, z.infer<typeof choice>>>();

function votesOf(lifeId: string) {
  const known = votes.get(lifeId) ?? new Map();
  votes.set(lifeId, known);
  return known;
}

function count(lifeId: string): z.infer<typeof results> {
  const all = [...votesOf(lifeId).values()];
  return {
    soup: all.filter((each) => each === 'soup').length,
    salad: all.filter((each) => each === 'salad').length,
  };
}

export const operations = {
  vote: defineOperation({
    summary: 'Votes once for each user.',
    input: z.object({ choice }),
    output: results,
    errors: { ALREADY_VOTED: 409 },
    run({ input, user, installation, fail }) {
      const known = votesOf(installation.lifeId);
      if (known.has(user.id)) return fail('ALREADY_VOTED', 'You have voted already');
      known.set(user.id, input.choice);
      return count(installation.lifeId);
    },
  }),
  invite: defineOperation({
    summary: 'Asks a colleague to vote.',
    input: z.object({ email: z.email() }),
    output: z.object({}),
    scopes: ['plugin:notify'],
    async run({ input, platform }) {
      await platform.notify({ recipientEmail: input.email, message: 'What is for lunch? Vote!' });
      return {};
    },
  }),
};
