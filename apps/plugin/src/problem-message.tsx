import { explainProblem } from './explain-problem.ts';
import type { Texts } from './texts.ts';

export interface ProblemMessageProps {
  error: unknown;
  texts: Texts;
  /** Shows a button when the whole page can be started again. */
  onRetry?: () => void;
}

/** A failure in words: what happened, what to do, and the details for whoever mends it. */
export function ProblemMessage({ error, texts, onRetry }: ProblemMessageProps) {
  const { what, said, advice, details } = explainProblem(error, texts);
  return (
    <div role="alert" className="problem">
      <p className="problem-what">{what}</p>
      {said !== undefined && <p>{said}</p>}
      <p>{advice}</p>
      <details>
        <summary>{texts.details}</summary>
        <code>{details}</code>
      </details>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts.retry}
        </button>
      )}
    </div>
  );
}
