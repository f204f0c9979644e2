/** The operations of a poll, which its page calls. */
import { defineOperation } from '@dowel/server';
import { z } from 'zod';

const choice = z.enum(['soup', 'salad']);
const results = z.object({ soup: z.int(), salad: z.int() });

/** Votes by installation and user. A real poll keeps them in a database. */
const votes = new Map<string, Map<string, z.infer<typeof choice>>>();

function votesOf(installationId: string) {
  const known = votes.get(installationId) ?? new Map();
  votes.set(installationId, known);
  return known;
}

function count(installationId: string): z.infer<typeof results> {
  const all = [...votesOf(installationId).values()];
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
      const known = votesOf(installation.id);
      if (known.has(user.id)) fail('ALREADY_VOTED', 'You have voted already');
      known.set(user.id, input.choice);
      return count(installation.id);
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
