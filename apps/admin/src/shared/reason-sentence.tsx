import type { ReasonWord } from '@dowel/schema';
import { useTranslation } from 'react-i18next';

/** The sentence for a reason; undefined if the reason is unknown. */
export function useMeaning(reason: string): string | undefined {
  const { i18n, t } = useTranslation();
  const [, source, status] = /^(token_endpoint|trigger)_answered_(\d{3})$/.exec(reason) ?? [];
  if (status !== undefined)
    return t(`answered.${source as 'token_endpoint' | 'trigger'}`, { status });
  return i18n.exists(`reason.${reason}`) ? t(`reason.${reason as ReasonWord}`) : undefined;
}

/** A reason's sentence, if it is known, and its code. */
export function ReasonSentence({ reason }: { reason: string }) {
  const sentence = useMeaning(reason);
  return (
    <>
      {sentence ? `${sentence} ` : null}
      <code>{reason}</code>
    </>
  );
}
