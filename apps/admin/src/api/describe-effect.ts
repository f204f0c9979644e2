import type { ActionResult } from '@dowel/schema';
import type { TFunction } from 'i18next';
import type { Formats } from '../i18n/formats.ts';

/** What an action did, in the reader's language. The server's own sentence is in the audit. */
export function describeEffect(
  t: TFunction,
  formats: Formats,
  { effect, call, tokenVersion = 0, sessions = 0 }: ActionResult,
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
