/** Every text of the dashboard in English. `de.ts` has the same keys. */

import { actions } from './en/actions.ts';
import { alerts } from './en/alerts.ts';
import { calls } from './en/calls.ts';
import { charts } from './en/charts.ts';
import { detail } from './en/detail.ts';
import { events } from './en/events.ts';
import { hooks } from './en/hooks.ts';
import { list } from './en/list.ts';
import { password } from './en/password.ts';
import { people } from './en/people.ts';
import { reasons } from './en/reasons.ts';
import { runs } from './en/runs.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { signIn } from './en/sign-in.ts';
import { states } from './en/states.ts';
import { trust } from './en/trust.ts';

export const en = {
  ...shell,
  ...signIn,
  ...states,
  ...list,
  ...actions,
  ...detail,
  ...calls,
  ...charts,
  ...password,
  ...people,
  ...hooks,
  ...alerts,
  ...reasons,
  ...events,
  ...runs,
  ...trust,
  ...settings,
} as const;
