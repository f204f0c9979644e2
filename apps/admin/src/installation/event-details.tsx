import type { EventDetail } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { Fact, FactList } from './fact-card.tsx';
import classes from './timeline.module.css';

/** The signed data and our answer, to compare with the platform's operators. */
export function EventDetails({ detail }: { detail: EventDetail }) {
  const { t } = useTranslation();
  const { requestId, claims, answer, unknown = [] } = detail;
  return (
    <details className={classes.details}>
      <summary>{t('timeline.details')}</summary>
      <FactList>
        {requestId === undefined ? null : (
          <Fact name={t('timeline.requestId')}>
            <code>{requestId}</code>
          </Fact>
        )}
        {Object.entries(claims).map(([name, value]) => (
          <Fact key={name} name={name}>
            <code>{value}</code>
          </Fact>
        ))}
        {answer ? (
          <Fact name={t('timeline.answer')}>
            <code>{JSON.stringify(answer)}</code>
          </Fact>
        ) : null}
        {unknown.map(({ pointer, type }) => (
          <Fact key={`${pointer} ${type}`} name={t('drift.unknown')}>
            <code>
              {pointer} {type}
            </code>
          </Fact>
        ))}
      </FactList>
    </details>
  );
}
