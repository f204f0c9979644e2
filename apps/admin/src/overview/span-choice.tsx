import { type SeriesSpan, seriesSpanSchema } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export interface SpanChoiceProps {
  span: SeriesSpan;
  onChange: (span: SeriesSpan) => void;
}

/** Chooses the time span of the charts. */
export function SpanChoice({ span, onChange }: SpanChoiceProps) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      size="xs"
      aria-label={t('charts.span')}
      value={span}
      onChange={({ currentTarget }) => onChange(seriesSpanSchema.parse(currentTarget.value))}
      data={seriesSpanSchema.options.map((each) => ({
        value: each,
        label: t(`charts.last.${each}`),
      }))}
    />
  );
}
