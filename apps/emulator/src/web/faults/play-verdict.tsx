import { badJudgements, goodJudgements, type Judgement, plays } from '@dowel/emulator/plays';
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { exchangesQuery } from '../control-queries.ts';
import { routes } from '../hash-route.ts';
import { StatusBadge } from '../status-badge.tsx';
import { useNow } from '../time-ago.tsx';
import type { Play } from './use-play.ts';

/** What the person has to do for the play, and whether the back end did the good thing. */
export function PlayVerdict({ play }: { play: Play }) {
  const { t } = useTranslation();
  const all = useQuery(exchangesQuery).data?.exchanges ?? [];
  const exchanges = all.filter(
    ({ id, kind, pluginId }) => id > play.sinceId && (kind === 'key' || pluginId === play.pluginId),
  );
  const { asks, judge } = plays[play.name];
  const judgement = judge({ name: play.name, exchanges, now: useNow(1_000) });
  const isAsked = judgement === 'useAgain' || (asks && judgement === 'waiting');
  return (
    <div className="play-verdict" role="status">
      {isAsked && (
        <Text size="sm" component="p" m={0}>
          {t(`fault.asks.${asks ?? 'useWidget'}`)}{' '}
          <Anchor href={routes.home} size="sm" underline="always">
            {t('page.home')}
          </Anchor>
        </Text>
      )}
      <StatusBadge tone={toneOf(judgement)}>{t(`fault.judgement.${judgement}`)}</StatusBadge>
      <Anchor href={routes.plugins} size="sm">
        {t('fault.requests', { count: exchanges.length })}
      </Anchor>
    </div>
  );
}

function toneOf(judgement: Judgement) {
  const isOneOf = (list: readonly string[]) => list.includes(judgement);
  if (isOneOf(goodJudgements)) return 'good';
  return isOneOf(badJudgements) ? 'bad' : 'warn';
}
