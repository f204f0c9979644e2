/** The command `dowel erase`. */
import { eraseUserRequestSchema, eraseUserResultSchema } from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd } from './call-back-end.ts';
import { type Command, countOf } from './command.ts';

export const eraseUser: Command = {
  summary: 'erase what is stored of a user of the platform (--user, --tenant, --reason)',
  options: ['user', 'tenant', 'reason'],
  async run(context) {
    const { user: userId, tenant: tenantId, reason } = context.options;
    const body = acceptRequest(
      eraseUserRequestSchema.safeParse({ userId, tenantId, reason }, { error: plainWords }),
    );
    const call = {
      method: 'POST',
      path: '/users/erase',
      body,
      answer: eraseUserResultSchema,
    } as const;
    const { rows } = await callBackEnd(context, call);
    context.say(
      rows === 0
        ? 'Nothing is stored of this user.'
        : `Erased the user from ${countOf(rows, 'row')}; the sessions have ended.`,
    );
    return 0;
  },
};
