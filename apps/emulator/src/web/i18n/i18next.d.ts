import type { en } from './en.ts';
import type { FaultTexts } from './faults.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en; faults: FaultTexts };
  }
}
