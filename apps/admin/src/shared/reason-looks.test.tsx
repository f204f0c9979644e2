import { reasonGroups } from '@dowel/schema';
import { expect, it } from 'vitest';
import { helpOf } from './reason-looks.ts';

const reasons = Object.values(reasonGroups).flatMap((group) => Object.entries(group));

it.each(reasons.filter(([, { actor }]) => actor === 'operator').map(([reason]) => reason))(
  '%s, on which an operator must act, is not to be ignored',
  (reason) => {
    expect(helpOf(reason)).not.toBe('ignore');
  },
);
