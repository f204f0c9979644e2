import type { ExchangeSummary } from '@dowel/emulator/control-api';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { findFollowers } from './find-followers.ts';
import { resultOf } from './result-of.ts';
import { useDuration } from './use-duration.ts';

/** What happened: `access_token was refused: 200 instead of 201, so the installation failed and uninstall was sent`. */
export function useVerdict(
  exchange: ExchangeSummary,
  exchanges: readonly ExchangeSummary[],
): string {
  const { t } = useTranslation();
  const duration = useDuration(exchange);
  const { event, kind, status } = exchange;
  const what = event ?? t(`exchange.kind.${kind}`);
  const code = exchange.error?.code ?? '';
  const sentence = t(`exchange.verdict.${nameOf(exchange)}`, { what, status, code, duration });
  return sentence + describeConsequence(t, exchange, exchanges);
}

function nameOf(exchange: ExchangeSummary) {
  const result = resultOf(exchange);
  return result === 'refused' && exchange.kind === 'event' ? 'eventRefused' : result;
}

function describeConsequence(
  t: TFunction,
  exchange: ExchangeSummary,
  exchanges: readonly ExchangeSummary[],
): string {
  const { event, error } = exchange;
  const { during, next } = findFollowers(exchange, exchanges);
  const isOfInstallation = event === 'install' || event === 'access_token';
  // A person is not as quick.
  const isAtOnce = next && next.at - (exchange.answeredAt ?? next.at) < 1_000;
  if (isOfInstallation && error && next?.event === 'uninstall' && isAtOnce) {
    return t('exchange.verdict.thenUninstalled');
  }
  const exchangeOfCode = event === 'access_token' && during.find(({ kind }) => kind === 'code');
  if (!exchangeOfCode) return '';
  return t(`exchange.verdict.${exchangeOfCode.status === 200 ? 'codeExchanged' : 'codeRefused'}`);
}
