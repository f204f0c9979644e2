/** The operations that the page may call. */
import { defineOperation } from '@dowel/server';
import { z } from 'zod';

export const operations = {
  praise: defineOperation({
    summary: 'Tells a colleague that somebody likes their work.',
    input: z.object({ email: z.email(), what: z.string().trim().min(1).max(80) }),
    output: z.object({}),
    scopes: ['plugin:notify'],
    async run({ input, platform }) {
      await platform.notify({ recipientEmail: input.email, message: `Well done: ${input.what}` });
      return {};
    },
  }),
};
