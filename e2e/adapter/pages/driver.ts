/** The interface through which the battery tests any adapter. */
import type { SaveAnswer } from '@dowel/adapter';
import type { CaseOptions } from '../cases/case.ts';

export interface Claims {
  ctx?: { userName?: unknown; [name: string]: unknown };
  [name: string]: unknown;
}

export interface Driver {
  init: () => Promise<Claims>;
  onSave: (
    handler: (signal?: AbortSignal) => SaveAnswer<object> | Promise<SaveAnswer<object>>,
  ) => void;
  observeHeight: () => void;
  setHeight?: (heightPx: number) => unknown;
  openSession?: () => Promise<string>;
  codeOf: (error: unknown) => string | undefined;
  showError: (element: Element, error: unknown) => void;
}

export type DriverOptions = CaseOptions & {
  jkuOrigins: readonly string[] | undefined;
  timeoutMs: number;
  view: 'main' | 'config';
};

export type CreateDriver = (options: DriverOptions) => Driver;
