import { explainReason } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { explainGerman } from '../i18n/reasons-de.ts';

/** A reason's meaning, if it is known, and its code. */
export function ReasonSentence({ reason }: { reason: string }) {
  const { i18n } = useTranslation();
  const english = explainReason(reason)?.sentence;
  const sentence = i18n.language === 'de' ? (explainGerman(reason) ?? english) : english;
  return (
    <>
      {sentence ? `${sentence} ` : null}
      <code>{reason}</code>
    </>
  );
}
