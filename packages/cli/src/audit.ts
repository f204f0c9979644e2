/** The command `dowel audit`. */
import type { Command } from './command.ts';
import { whileActing } from './while-acting.ts';

const shown = 50;

export const listAudit: Command = {
  summary: `list the newest ${shown} actions of operators`,
  run: (context) =>
    whileActing(context, async (actions) => {
      const { entries } = await actions.audit({ limit: shown });
      for (const { at, who, action, target, reason, result, detail, count } of entries) {
        const outcome = count === 1 ? result : `${result} (${count} times)`;
        const columns = [new Date(at).toISOString(), who, action, target, outcome, reason, detail];
        context.say(columns.map((each) => each ?? '-').join('  '));
      }
      return 0;
    }),
};
