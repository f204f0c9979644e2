import { isRoleEnough, type Keys, type Run } from '@dowel/schema';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import classes from './keys-page.module.css';
import { keysQuery } from './keys-query.ts';

type Action = 'rotate' | 'reencrypt';

/** The buttons of the rotation, for owners, and its progress. */
export function RotationActions({ encryption }: { encryption: Keys['encryption'] }) {
  const { run } = encryption;
  const [open, setOpen] = useState<Action>();
  const isUnderWay = run !== null && run.endedAt === null;
  return (
    <>
      {isUnderWay ? <RotationProgress run={run} /> : null}
      {isUnderWay ? null : <RotationButton encryption={encryption} onOpen={setOpen} />}
      {open ? <RotationDialog action={open} onClose={() => setOpen(undefined)} /> : null}
    </>
  );
}

interface RotationButtonProps {
  encryption: Keys['encryption'];
  onOpen: (action: Action) => void;
}

/** Shows the result of the last run, too. */
function RotationButton({ encryption: { step, mayRotate, run }, onOpen }: RotationButtonProps) {
  const { t } = useTranslation();
  const role = useRole();
  const action = actionOf(step);
  const isOwner = role !== undefined && isRoleEnough(role, 'owner');
  const elsewhere = action === 'rotate' && !mayRotate ? t('trust.elsewhere') : undefined;
  return (
    <>
      {run ? <LastRun run={run} /> : null}
      {action ? (
        <div>
          <HinderedButton
            isFirst={step !== 'none'}
            hindrance={isOwner ? elsewhere : t('action.onlyOwners')}
            onClick={() => onOpen(action)}
          >
            {t(`trust.action.${action}`)}
          </HinderedButton>
        </div>
      ) : null}
    </>
  );
}

/** Undefined: this step has no button. */
function actionOf(step: Keys['encryption']['step']): Action | undefined {
  if (step === 'reencrypt') return 'reencrypt';
  return step === 'none' || step === 'rotate' ? 'rotate' : undefined;
}

function RotationDialog({ action, onClose }: { action: Action; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();

  async function perform(reason: string): Promise<string> {
    await api.rotateKey(action, { reason });
    void queryClient.invalidateQueries({ queryKey: keysQuery(api).queryKey });
    return t('trust.begun');
  }

  return (
    <ReasonDialog
      title={t(`trust.action.${action}`)}
      about={t('trust.encryption')}
      what={t(`trust.what.${action}`)}
      perform={perform}
      onClose={onClose}
    />
  );
}

function RotationProgress({ run }: { run: Run }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const api = useApi();
  const role = useRole();
  const queryClient = useQueryClient();
  const stop = useMutation({
    mutationFn: () => api.stopRun(run.id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keysQuery(api).queryKey }),
  });
  const isOwner = role !== undefined && isRoleEnough(role, 'owner');
  const stopping = run.state === 'stopping' ? t('run.state.stopping') : undefined;
  const title = t('audit.actions.reencrypt');
  return (
    <>
      {stop.error ? (
        <QueryFailure
          title={t('run.stopFailed')}
          error={stop.error}
          onRetry={() => stop.mutate()}
        />
      ) : null}
      <section className={classes.run} aria-label={title}>
        <progress
          className={classes.progress}
          max={run.total}
          value={run.done}
          aria-label={title}
        />
        <span className="numeric">
          {t('trust.progress', { done: formats.count(run.done), total: formats.count(run.total) })}
        </span>
        <HinderedButton
          hindrance={isOwner ? stopping : t('action.onlyOwners')}
          label={t('run.stopOf', { title })}
          onClick={() => stop.mutate()}
        >
          {t('run.stop')}
        </HinderedButton>
      </section>
    </>
  );
}

function LastRun({ run }: { run: Run }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const counts = t('trust.progress', {
    done: formats.count(run.done),
    total: formats.count(run.total),
  });
  const failed =
    run.failed > 0
      ? t('trust.unsealed', { count: run.failed, number: formats.count(run.failed) })
      : undefined;
  const words = [`${t(`run.state.${run.state}`)} · ${counts}`, failed].filter(Boolean);
  return (
    <p className={classes.next}>
      {words.join(' · ')}
      {run.state === 'stopped' ? (
        <>
          {' · '}
          <Link to="/audit">{t('trust.why')}</Link>
        </>
      ) : null}
    </p>
  );
}
