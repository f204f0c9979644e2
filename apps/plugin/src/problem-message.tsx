import { explainProblem } from './explain-problem.ts';
import type { Texts } from './texts.ts';

export interface ProblemMessageProps {
  error: unknown;
  texts: Texts;
  /** Whether the failure gets a heading, because it is the main content. */
  title?: 'h1' | 'h2' | 'p';
  /** Shows a button when the whole page can be started again. */
  onRetry?: () => void;
}

/** Explains a failure: what happened, what to do, and the details for the person who fixes it. */
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
