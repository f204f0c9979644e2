import { actionRefusalReasonSchema, type Run } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { actionTexts } from '../shared/action-texts.ts';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './run-list.module.css';
import { runsQuery } from './runs-query.ts';

const results = ['done', 'unchanged', 'refused', 'failed'] as const;

export interface RunListProps {
  /** The run that was started here. It is shown after its end, too. */
  startedId: string | undefined;
  onClose: () => void;
}

/** The runs under way and the one that was started here, with progress and a stop. */
export function RunList({ startedId, onClose }: RunListProps) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(runsQuery(api));
  const runs = data?.runs ?? [];
  const stop = useMutation({
    mutationFn: api.stopRun,
    onSettled: () => queryClient.invalidateQueries({ queryKey: runsQuery(api).queryKey }),
  });
  const shown = runs.filter(({ id, endedAt }) => endedAt === null || id === startedId);
  return (
    <>
      {error && !data ? (
        <QueryFailure title={t('run.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {stop.error ? (
        <QueryFailure
          title={t('run.stopFailed')}
          error={stop.error}
          onRetry={() => stop.mutate(stop.variables)}
        />
      ) : null}
      {shown.map((run) => (
        <RunProgress key={run.id} run={run} onStop={() => stop.mutate(run.id)} onClose={onClose} />
      ))}
    </>
  );
}

interface RunProgressProps {
  run: Run;
  onStop: () => void;
  onClose: () => void;
}

function RunProgress({ run, onStop, onClose }: RunProgressProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const role = useRole();
  const handled = results.reduce((sum, result) => sum + run[result], 0);
  const stopping = run.state === 'stopping' ? t('run.state.stopping') : undefined;
  const hindrance = role === 'viewer' ? t('action.onlyOperators') : stopping;
  const title = t('run.title', {
    action: t(`action.${actionTexts[run.action]}`),
    count: run.total,
    number: formats.count(run.total),
  });
  return (
    <section className={`card ${classes.run}`} aria-label={title}>
      <strong>{title}</strong>
      <progress className={classes.bar} max={run.total} value={handled} aria-label={title} />
      {/* Only the end is spoken, not each step. */}
      <span className="numeric" role="status" aria-live={run.endedAt === null ? 'off' : 'polite'}>
        {t(`run.state.${run.state}`)} · {describeCounts(t, formats, run)}
      </span>
      {run.endedAt === null ? (
        <HinderedButton hindrance={hindrance} label={t('run.stopOf', { title })} onClick={onStop}>
          {t('run.stop')}
        </HinderedButton>
      ) : (
        <Button variant="default" size="xs" onClick={onClose}>
          {t('dialog.close')}
        </Button>
      )}
    </section>
  );
}

/** `Done: 120, Refused: 8 (no tokens yet 5, uninstalled 3)` */
function describeCounts(t: TFunction, formats: Formats, run: Run): string {
  const counts = results
    .filter((result) => result === 'done' || run[result] > 0)
    .map((result) => `${t(`audit.results.${result}`)}: ${formats.count(run[result])}`);
  const refusals = actionRefusalReasonSchema.options
    .filter((code) => run.refusals[code])
    .map((code) => `${t(`refusedAs.${code}`)} ${formats.count(run.refusals[code] ?? 0)}`);
  return counts.join(', ') + (refusals.length > 0 ? ` (${refusals.join(', ')})` : '');
}
