/** The command `dowel erase`. */
import { eraseUserRequestSchema, plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { type Command, countOf } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileActing } from './while-acting.ts';

export const eraseUser: Command = {
  summary: 'erase what is stored of a user of the platform (--user, --tenant, --reason)',
  options: ['user', 'tenant', 'reason'],
  run(context) {
    const { user: userId, tenant: tenantId, reason } = context.options;
    const request = acceptRequest(
      eraseUserRequestSchema.safeParse({ userId, tenantId, reason }, { error: plainWords }),
    );
    return whileActing(context, async (actions) => {
      const { rows } = await actions.eraseUser(currentUser(), request);
      context.say(
        rows === 0
          ? 'Nothing is stored of this user.'
          : `Erased the user from ${countOf(rows, 'row')}; the sessions have ended.`,
      );
      return 0;
    });
  },
};
