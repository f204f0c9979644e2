/** The command `dowel audit`. */
import { auditListSchema } from '@dowel/admin-api';
import { callBackEnd } from './call-back-end.ts';
import type { Command } from './command.ts';

const shown = 50;

export const listAudit: Command = {
  summary: `list the newest ${shown} actions of operators`,
  async run(context) {
    const call = { path: `/audit?limit=${shown}`, answer: auditListSchema };
    const { entries } = await callBackEnd(context, call);
    for (const { at, who, action, target, reason, result, detail, count } of entries) {
      const outcome = count === 1 ? result : `${result} (${count} times)`;
      const columns = [new Date(at).toISOString(), who, action, target, outcome, reason, detail];
      context.say(columns.map((each) => each ?? '-').join('  '));
    }
    return 0;
  },
};
