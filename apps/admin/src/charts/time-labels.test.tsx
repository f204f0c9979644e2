import { cleanup, render } from '@testing-library/react';
import { I18nextProvider } from 'react-i18next';
import { expect, it, onTestFinished } from 'vitest';
import { i18nOf } from '../testing/i18n-of.ts';
import { TimeLabels } from './time-labels.tsx';

it.each([
  ['en', '22 Nov'],
  ['de', '22. Nov.'],
] as const)(
  'the words below a time axis are hours, and the date at midnight, in %s',
  (language, date) => {
    onTestFinished(cleanup);
    const to = new Date(2026, 10, 22, 14, 32).getTime();
    const { container } = render(
      <I18nextProvider i18n={i18nOf(language)}>
        <TimeLabels span={{ from: to - 24 * 3_600_000, to }} />
      </I18nextProvider>,
    );

    const labels = [...container.querySelectorAll('span')];
    expect(labels.map(({ textContent }) => textContent)).toEqual([
      '16:00',
      '20:00',
      date,
      '04:00',
      '08:00',
      '12:00',
    ]);
    expect(Number.parseFloat(labels[0]?.style.left ?? '')).toBeCloseTo(6.1, 1);
  },
);
