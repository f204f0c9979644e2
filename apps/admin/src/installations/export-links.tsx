import type { FleetExportQuery, Total } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { type MouseEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { exportUrl } from '../api/api-client.ts';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { describeFailure } from '../shared/describe-failure.ts';
import { saveFile } from '../shared/save-csv.ts';
import classes from './installations-page.module.css';
import { type ListSearch, toFilter } from './list-search.ts';

const formats: readonly FleetExportQuery['format'][] = ['csv', 'json'];

export interface ExportLinksProps {
  search: ListSearch;
  total: Total | null;
}

/** All installations that match the filter, as a file. It is read by the page, which shows how far it has come. */
export function ExportLinks({ search, total }: ExportLinksProps) {
  const { t } = useTranslation();
  const filter = { ...toFilter(search), language: useLanguage() };
  const { count: format } = useFormats();
  const { count, error, isRunning, start, cancel } = useExport();

  /** Opened in another tab, the link is the browser's. */
  function read(event: MouseEvent, format: FleetExportQuery['format']): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!isRunning) start({ ...filter, format });
  }

  return (
    <>
      {formats.map((format) => (
        <Button
          key={format}
          component="a"
          href={exportUrl({ ...filter, format })}
          download
          variant="default"
          size="xs"
          leftSection={<Download size={15} aria-hidden="true" />}
          aria-label={t('list.export', { format: format.toUpperCase() })}
          onClick={(event: MouseEvent) => read(event, format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {isRunning ? (
        <span role="status" className={classes.export}>
          {total?.isExact
            ? t('list.exporting', {
                number: format(count),
                all: format(Math.max(total.count, count)),
              })
            : format(count)}{' '}
          <Button variant="subtle" size="compact-xs" onClick={cancel}>
            {t('dialog.cancel')}
          </Button>
        </span>
      ) : null}
      {error ? (
        <span role="alert" className={classes.export}>
          {t('list.exportFailed', { reason: describeFailure(t, error) })}
        </span>
      ) : null}
    </>
  );
}

function useExport() {
  const api = useApi();
  const [count, setCount] = useState(0);
  const canceller = useRef<AbortController>(undefined);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: async (query: FleetExportQuery) => {
      canceller.current = new AbortController();
      const { signal } = canceller.current;
      setCount(0);
      // The lines are the rows, and one of the column names.
      const onLines = (lines: number) => setCount(query.format === 'csv' ? lines - 1 : lines);
      const { name, content } = await api.exportFile(query, { signal, onLines });
      saveFile(name, content);
    },
  });
  const cancel = () => {
    canceller.current?.abort();
    reset();
  };
  return { count, error, isRunning: isPending, start: mutate, cancel };
}
