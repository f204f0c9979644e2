import type { Finding } from '@dowel/dev/examination';
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../status-badge.tsx';

const tones = { fail: 'bad', warn: 'warn', open: 'warn', error: 'warn' } as const;

/** One finding: what must be, what was seen, and how to correct it. The texts of a check are in English. */
export function FindingItem({ finding }: { finding: Finding }) {
  const { t } = useTranslation();
  const { id, claim, verdict, saw, fix, why, seen, reference } = finding;
  return (
    <li className="finding">
      <div className="finding-head">
        <StatusBadge tone={tones[verdict]}>{t(`examination.verdict.${verdict}`)}</StatusBadge>
        <code>{id}</code>
      </div>
      <Text fw={600} size="sm" lang="en">
        {claim}
      </Text>
      <Line term={t('examination.saw')}>{saw}</Line>
      <Line term={t('examination.fix')}>{fix}</Line>
      <details>
        <summary>{t('examination.more')}</summary>
        <Line term={t('examination.why')}>{why}</Line>
        <Line term={t('examination.seen')}>{seen}</Line>
        <Line term={t('examination.reference')}>{reference}</Line>
      </details>
    </li>
  );
}

/** Every second part stood between two backticks. */
function markCode(part: string, index: number) {
  return index % 2 === 0 ? part : <code key={part}>{part}</code>;
}

function Line({ term, children }: { term: string; children: string }) {
  return (
    <Text size="sm">
      <span className="finding-term">{term}</span>{' '}
      <span lang="en">{children.split('`').map(markCode)}</span>
    </Text>
  );
}
