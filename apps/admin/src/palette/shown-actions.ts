/** The actions on the installation whose page is shown, for the command palette. */
import { type FleetDetail, stateOf } from '@dowel/admin-api';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { installationQuery } from '../api/queries.ts';
import type { Timed } from '../api/request.ts';
import { useRole } from '../api/use-role.ts';
import { findHindrance, offeredActions } from '../shared/action-choices.ts';
import { actionTexts, type OfferedAction } from '../shared/action-texts.ts';
import { useBrowserTicking } from '../shared/ticker.tsx';

export interface ShownAction {
  action: OfferedAction;
  name: string;
  /** Why the action is impossible, in words; undefined: it is possible. */
  hindrance: string | undefined;
}

/** The installation whose page is shown; undefined: none, or it is not loaded. Loads nothing itself. */
export function useShownInstallation(): Timed<FleetDetail> | undefined {
  const { id } = useParams({ strict: false });
  const { data } = useQuery({ ...installationQuery(useApi(), id ?? ''), enabled: false });
  return id === undefined ? undefined : data;
}

/** The actions on the installation. Impossible ones are listed with the reason. */
export function useShownActions(detail: Timed<FleetDetail> | undefined): ShownAction[] {
  const { t } = useTranslation();
  const role = useRole();
  const state = useBrowserTicking((browserNow) =>
    detail
      ? stateOf(detail.installation, detail.now + Math.max(0, browserNow - detail.receivedAt))
      : 'active',
  );
  if (!detail) return [];
  return offeredActions(state, detail.installation).map((action) => {
    const hindrance = findHindrance(action, detail, role);
    return {
      action,
      name: t(`action.${actionTexts[action]}`),
      hindrance: hindrance && t(`action.${hindrance}`),
    };
  });
}
