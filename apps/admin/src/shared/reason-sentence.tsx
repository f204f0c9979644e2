import { explainReason } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { explainGerman } from '../i18n/reasons-de.ts';

/** What a reason means; undefined if it is not known. */
export function useMeaning(reason: string): string | undefined {
  const { i18n } = useTranslation();
  const english = explainReason(reason)?.sentence;
  return i18n.language === 'de' ? (explainGerman(reason) ?? english) : english;
}

/** A reason's meaning, if it is known, and its code. */
export function ReasonSentence({ reason }: { reason: string }) {
  const sentence = useMeaning(reason);
  return (
    <>
      {sentence ? `${sentence} ` : null}
      <code>{reason}</code>
    </>
  );
}
