import { explainProblem } from './explain-problem.ts';
import type { Texts } from './texts.ts';

export interface ProblemMessageProps {
  error: unknown;
  texts: Texts;
  /** A heading when the failure is what the page, or its main part, is about. */
  title?: 'h1' | 'h2' | 'p';
  /** Shows a button when the whole page can be started again. */
  onRetry?: () => void;
}

/** A failure in words: what happened, what to do, and the details for whoever mends it. */
export function ProblemMessage({ error, texts, title: Title = 'p', onRetry }: ProblemMessageProps) {
  const { what, said, advice, details } = explainProblem(error, texts);
  return (
    <div role="alert" className="problem">
      <Title className="problem-what">{what}</Title>
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
