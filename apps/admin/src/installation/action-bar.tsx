import type { FleetDetail, InstallationState } from '@dowel/schema';
import { Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import { findHindrance, type OfferedAction, offeredActions } from './action-choices.ts';
import { ActionDialog } from './action-dialog.tsx';
import classes from './installation-page.module.css';

export interface ActionBarProps {
  detail: FleetDetail;
  state: InstallationState;
}

/** What an operator can do now. What cannot be done stays, disabled, with the reason. */
export function ActionBar({ detail, state }: ActionBarProps) {
  const { t } = useTranslation();
  const role = useQuery(sessionQuery(useApi())).data?.role;
  const [open, setOpen] = useState<OfferedAction>();
  const actions = offeredActions(state);
  if (actions.length === 0) return null;

  return (
    <fieldset className={`${classes.actions} ${classes.plain}`} aria-label={t('action.all')}>
      {actions.map((action) => {
        const hindrance = findHindrance(action, detail, role);
        const isFirst = action === 'ask' || action === 'resume';
        return (
          <Tooltip
            key={action}
            label={hindrance ? t(`action.${hindrance}`) : ''}
            disabled={!hindrance}
            events={{ hover: true, focus: true, touch: true }}
          >
            <Button
              size="xs"
              variant={isFirst && !hindrance ? 'filled' : 'default'}
              {...(hindrance ? { 'data-disabled': true, 'aria-disabled': true } : {})}
              onClick={() => {
                if (!hindrance) setOpen(action);
              }}
            >
              {t(`action.${action}`)}
            </Button>
          </Tooltip>
        );
      })}
      {open ? (
        <ActionDialog
          action={open}
          installation={detail.installation}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </fieldset>
  );
}
