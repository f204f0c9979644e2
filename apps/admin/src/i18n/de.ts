/** Every text of the dashboard in German. */

import { actions } from './de/actions.ts';
import { alerts } from './de/alerts.ts';
import { calls } from './de/calls.ts';
import { charts } from './de/charts.ts';
import { detail } from './de/detail.ts';
import { events } from './de/events.ts';
import { hooks } from './de/hooks.ts';
import { list } from './de/list.ts';
import { password } from './de/password.ts';
import { people } from './de/people.ts';
import { reasons } from './de/reasons.ts';
import { runs } from './de/runs.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { signIn } from './de/sign-in.ts';
import { states } from './de/states.ts';
import { trust } from './de/trust.ts';
import type { en } from './en.ts';
import type { Texts } from './texts.ts';

export const de: Texts<typeof en> = {
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
};
