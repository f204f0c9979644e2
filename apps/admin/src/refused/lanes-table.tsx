import type { Refusals } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataTable } from '../shared/data-table.tsx';
import type { Lane } from './find-lanes.ts';
import { nameReason } from './reason-looks.ts';
import classes from './refused-page.module.css';

/** The bars of all lanes as numbers, the latest first. Times without a refusal are left out. */
export function LanesTable({ lanes, refusals }: { lanes: readonly Lane[]; refusals: Refusals }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { from, barMs } = refusals;
  const names = lanes.map(({ reason }) =>
    reason === null ? t('refused.others') : nameReason(t, reason),
  );
  const bars = [...(lanes[0]?.counts.keys() ?? [])]
    .filter((index) => lanes.some(({ counts }) => counts[index]))
    .toReversed();
  return (
    <div className={classes.numbers}>
      <DataTable name={t('refused.chart')} columns={[t('refused.time'), ...names]}>
        {bars.map((index) => (
          <tr key={index}>
            <th scope="row">
              {formats.moment(from + index * barMs)}–{formats.clock(from + (index + 1) * barMs)}
            </th>
            {lanes.map(({ reason, counts }, lane) => (
              <td key={reason ?? ''} className="numeric" data-label={names[lane]}>
                {counts[index] ? formats.count(counts[index]) : null}
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
    </div>
  );
}
