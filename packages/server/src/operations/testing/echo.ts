/** For tests only: an operation that answers with its input, and schemas of a text. */
import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';

export const schemas = {
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
};

/** Its output schema drops the property `secret`. */
export const echo = defineOperation({
  input: z.object({ text: z.string().max(10) }),
  output: z.object({ text: z.string() }),
  run: ({ input }) => ({ ...input, secret: 'canary-output' }),
});
