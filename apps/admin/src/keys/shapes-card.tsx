import { formatShapes } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { DataCard } from '../shared/data-table.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './keys-page.module.css';

/** Copies what the platform's events, pages and answers look like. The text stays visible: read it before you paste it. */
export function ShapesCard() {
  const { t } = useTranslation();
  const api = useApi();
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  const shapes = useMutation({
    mutationFn: async () => formatShapes((await api.shapes()).shapes),
    onSuccess: (text) => copy(text),
  });
  const load = () => shapes.mutate();
  const tools = (
    <Button size="xs" variant="default" loading={shapes.isPending} onClick={load}>
      {t(copied ? 'trust.shapes.copied' : 'trust.shapes.copy')}
    </Button>
  );
  return (
    <DataCard title={t('trust.shapes.title')} note={t('trust.shapes.note')} tools={tools}>
      {shapes.error ? (
        <QueryFailure title={t('trust.shapes.failed')} error={shapes.error} onRetry={load} />
      ) : null}
      {error ? (
        <p role="alert" className={classes.foot}>
          {t('trust.shapes.notCopied')}
        </p>
      ) : null}
      {shapes.data === undefined ? null : (
        <textarea
          className={classes.shapes}
          aria-label={t('trust.shapes.title')}
          readOnly
          rows={16}
          value={shapes.data}
        />
      )}
    </DataCard>
  );
}
