import type { FleetExportQuery } from '@dowel/schema';
import { Button } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { exportUrl } from '../api/api-client.ts';
import { type ListSearch, toFilter } from './list-search.ts';

const formats: readonly FleetExportQuery['format'][] = ['csv', 'json'];

/** All installations that match the filter, as a file. The browser shows how far it came. */
export function ExportLinks({ search }: { search: ListSearch }) {
  const { t } = useTranslation();
  return formats.map((format) => (
    <Button
      key={format}
      component="a"
      href={exportUrl({ ...toFilter(search), format })}
      download
      variant="default"
      size="xs"
      leftSection={<Download size={15} aria-hidden="true" />}
      aria-label={t('list.export', { format: format.toUpperCase() })}
    >
      {format.toUpperCase()}
    </Button>
  ));
}
