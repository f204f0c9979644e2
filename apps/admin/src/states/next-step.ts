import { type FleetInstallation, groupOf, type InstallationState } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import { formatCountdown } from '../i18n/formats.ts';

export type NextFacts = Pick<
  FleetInstallation,
  'nextAttempt' | 'canAsk' | 'tokenExpiresAt' | 'parkedHooks'
>;

/**
 * Describes what happens next in a few words, with a countdown if a time is planned.
 *
 * @param now the server's clock, epoch milliseconds.
 */
export function describeNext(
  t: TFunction,
  state: InstallationState,
  { nextAttempt, canAsk, tokenExpiresAt, parkedHooks }: NextFacts,
  now: number,
): string {
  const planned =
    nextAttempt && nextAttempt.at > now ? formatCountdown(nextAttempt.at - now) : undefined;
  if (parkedHooks > 0 && groupOf(state) === 'working')
    return t('next.hooks', { count: parkedHooks });
  switch (state) {
    case 'awaiting':
      if (!canAsk) return t('next.cannotAsk');
      return planned ? t('next.asksIn', { time: planned }) : t('next.asksNow');
    case 'failing':
    case 'calls_failing':
    case 'unreachable':
      return planned ? t('next.triesIn', { time: planned }) : t('next.triesNow');
    case 'ran_out':
      return t(canAsk ? 'next.ran_out' : 'next.cannotAsk');
    case 'active':
    case 'expiring':
      if (tokenExpiresAt === null) return t('next.noEnd');
      return t('next.endsIn', { time: formatCountdown(tokenExpiresAt - now) });
    default:
      return t(`next.${state}`);
  }
}
