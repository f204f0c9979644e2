/** What the small charts share: their frame, and the same values as a table. */
import type { FleetSeries } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { spanOf, type TableColumn, tableOf } from './series-steps.ts';

const height = 76;

export function useTable(series: FleetSeries, columns: readonly TableColumn[]) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  return tableOf(series, columns, { moment, unknown: t('charts.unknown') });
}

export function frameOf(series: FleetSeries) {
  return { span: spanOf(series), steps: series.groups.broken.length, height };
}
