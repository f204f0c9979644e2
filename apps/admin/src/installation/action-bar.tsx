import type { FleetDetail, InstallationState } from '@dowel/admin-api';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRole } from '../api/use-role.ts';
import { findHindrance, offeredActions } from '../shared/action-choices.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { actionLetters, actionTexts, type OfferedAction } from '../shared/action-texts.ts';
import { HinderedButton } from '../shared/hindered-button.tsx';
import classes from './installation-page.module.css';

/** Actions that help by themselves, so the button of the first one stands out. */
const helpful: ReadonlySet<OfferedAction> = new Set(['ask', 'resume', 'end']);

export interface ActionBarProps {
  detail: FleetDetail;
  state: InstallationState;
}

/** The actions on an installation. Impossible ones are disabled and show the reason. */
export function ActionBar({ detail, state }: ActionBarProps) {
  const { t } = useTranslation();
  const role = useRole();
  const [open, setOpen] = useState<OfferedAction>();
  const actions = offeredActions(state, detail.installation);

  return (
    <fieldset className={`${classes.actions} ${classes.plain}`} aria-label={t('action.all')}>
      {actions.map((action, index) => {
        const hindrance = findHindrance(action, detail, role);
        return (
          <HinderedButton
            key={action}
            hindrance={hindrance && t(`action.${hindrance}`)}
            letter={actionLetters[action]}
            isFirst={index === 0 && helpful.has(action)}
            onClick={() => setOpen(action)}
          >
            {t(`action.${actionTexts[action]}`)}
          </HinderedButton>
        );
      })}
      {open ? (
        <ActionDialog action={open} detail={detail} onClose={() => setOpen(undefined)} />
      ) : null}
    </fieldset>
  );
}
