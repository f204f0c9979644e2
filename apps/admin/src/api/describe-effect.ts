import type { ActionResult } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import type { Formats } from '../i18n/formats.ts';

type Effect = Pick<ActionResult, 'effect' | 'tokenVersion' | 'sessions'> & {
  call?: Pick<NonNullable<ActionResult['call']>, 'status' | 'durationMs'> | undefined;
};

/** Describes the effect of an action in the reader's language. */
export function describeEffect(
  t: TFunction,
  formats: Formats,
  { effect, call, tokenVersion = 0, sessions = 0 }: Effect,
): string {
  const said = t(`effect.${effect}`, {
    version: formats.count(tokenVersion),
    count: sessions,
    number: formats.count(sessions),
    status: call?.status ?? 0,
    duration: formats.duration(call?.durationMs ?? 0),
  });
  if (call?.status === 401) return `${said} ${t('tested.refused')}`;
  return call && call.status >= 500 ? `${said} ${t('tested.broken')}` : said;
}
