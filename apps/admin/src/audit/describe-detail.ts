import type { AuditEntry, AuditMeaning } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import { describeEffect } from '../api/describe-effect.ts';
import type { Formats } from '../i18n/formats.ts';
import { describeRefusal, describeTry } from '../shared/describe-failure.ts';

export interface Words {
  t: TFunction;
  formats: Formats;
}

/** What became of an action, in the reader's language. Without a meaning, the row has a sentence that is shown as it is. */
export function describeDetail(
  words: Words,
  { meaning, detail }: Pick<AuditEntry, 'meaning' | 'detail'>,
): string | undefined {
  return meaning ? describeMeaning(words, meaning) : (detail ?? undefined);
}

function describeMeaning(words: Words, meaning: AuditMeaning): string {
  const { t } = words;
  switch (meaning.kind) {
    case 'effect':
      return describeDone(words, meaning);
    case 'refusal':
      return describeRefusal(t, meaning);
    case 'failure':
      return describeTry(t, meaning);
    case 'role_missing':
      return t('audit.became.role_missing', {
        needed: t(`role.${meaning.needed}`),
        own: t(`role.${meaning.own}`),
      });
    case 'role_given':
      return t('audit.became.role_given', { role: t(`role.${meaning.role}`) });
    case 'no_channel':
      return t('audit.became.no_channel', { settings: meaning.settings.join(', ') });
    case 'run_started':
    case 'erased':
      return t(`audit.became.${meaning.kind}`, countOf(words, meaning));
    case 'exported':
      return describeExport(words, meaning);
    case 'key_active':
      return t('audit.became.key_active', { key: meaning.keyId });
    case 'keys_removed':
      return t('audit.became.keys_removed', { keys: meaning.keyIds.join(', ') || '–' });
    case 'resealed':
      return t('audit.became.resealed', { ...countOf(words, meaning), key: meaning.keyId });
    default:
      return t(`audit.became.${meaning.kind}`);
  }
}

type MeaningOf<Kind extends AuditMeaning['kind']> = Extract<AuditMeaning, { kind: Kind }>;

/** The audit names the day until which a record is kept. */
function describeDone({ t, formats }: Words, meaning: MeaningOf<'effect'>): string {
  const { effect, keptUntil } = meaning;
  if (keptUntil === undefined || (effect !== 'kept' && effect !== 'kept_before')) {
    return describeEffect(t, formats, meaning);
  }
  return t(`audit.became.${effect}`, { day: formats.date(keptUntil) });
}

function describeExport(words: Words, meaning: MeaningOf<'exported'>): string {
  const values = { ...countOf(words, meaning), format: meaning.format.toUpperCase() };
  return words.t(`audit.became.${meaning.isWhole ? 'exported' : 'broken_off'}`, values);
}

/** `count` chooses the plural. */
function countOf({ formats }: Words, { count }: { count: number }) {
  return { count, number: formats.count(count) };
}
