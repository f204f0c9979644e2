/** The operations of a poll, which its page calls. */
import { defineOperation } from '@dowel/server';
import { z } from 'zod';
import { settingsSchema } from './settings.ts';
import { countVotes, getMenu, votesOf } from './store.ts';

const choice = z.enum(['soup', 'salad']);
const results = z.object({ soup: z.int(), salad: z.int() });

export const operations = {
  open: defineOperation({
    summary: 'Returns what the page shows first. Unknown texts are empty.',
    input: z.object({}),
    output: z.object({ userName: z.string(), question: z.string(), menu: z.string() }),
    config: settingsSchema,
    run: ({ user, config }) => ({
      userName: user.name ?? '',
      question: config.question,
      menu: getMenu(),
    }),
  }),
  vote: defineOperation({
    summary: 'Votes once for each user.',
    input: z.object({ choice }),
    output: results,
    errors: { ALREADY_VOTED: 409 },
    run({ input, user, installation, fail }) {
      const known = votesOf(installation.lifeId);
      if (known.has(user.id)) return fail('ALREADY_VOTED', 'You have voted already');
      known.set(user.id, input.choice);
      return countVotes(installation.lifeId);
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
