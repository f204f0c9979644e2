import { describe, expect, test } from 'vitest';
import { actionReasonSchema } from './action-reason.ts';
import {
  actionNameSchema,
  actionRequestSchemas,
  mayAct,
  runRequestSchema,
} from './admin-actions.ts';

describe('the reason of an action', () => {
  test('has three letters of any script', () => {
    expect(actionReasonSchema.parse('  Büro 7 ')).toBe('Büro 7');
    expect(actionReasonSchema.safeParse('日本語').success).toBe(true);
    for (const text of ['', 'ok', '12345', 'a-b', `x\0yz`]) {
      expect(actionReasonSchema.safeParse(text).success, text).toBe(false);
    }
  });

  test('is in every request, and no field is ignored', () => {
    for (const name of actionNameSchema.options) {
      expect(actionRequestSchemas[name].safeParse({}).success, name).toBe(false);
    }
    const misspelt = { reason: 'why not', untill: 1 };
    expect(actionRequestSchemas.refresh.safeParse(misspelt).success).toBe(false);
  });
});

test('the action `name` needs a name or notes', () => {
  const parse = (named: object) =>
    actionRequestSchemas.name.safeParse({ reason: 'why not', ...named }).success;

  expect([{}, { name: '' }, { notes: 'first' }].map(parse)).toEqual([false, true, true]);
});

describe('no text of an operator', () => {
  const controls = ['\0', '\u001b[2K', '\r\nline', '\n', '\t', '\u0085', '\u009b2K', '\u007f'];

  test.each(controls)('holds a control character in a reason or a name: %j', (control) => {
    const text = `abc${control}def`;

    expect(actionReasonSchema.safeParse(text).success).toBe(false);
    const named = { reason: 'why not', name: text };
    expect(actionRequestSchemas.name.safeParse(named).success).toBe(false);
  });

  test('holds one in notes, except line breaks and tabs', () => {
    const parse = (notes: string) =>
      actionRequestSchemas.name.safeParse({ reason: 'why not', notes }).success;

    expect(parse('first\r\nsecond\n\tthird')).toBe(true);
    for (const control of ['\0', '\u001b[2K', '\u0085']) {
      expect(parse(`abc${control}def`)).toBe(false);
    }
  });
});

test('a viewer may do nothing, an operator all but purge, an owner everything', () => {
  const allowed = (role: Parameters<typeof mayAct>[0]) =>
    actionNameSchema.options.filter((name) => mayAct(role, name));

  expect(allowed('viewer')).toEqual([]);
  expect(allowed('owner')).toEqual(actionNameSchema.options);
  expect(actionNameSchema.options.filter((name) => !allowed('operator').includes(name))).toEqual([
    'purge',
  ]);
});

test('a run takes the filter of the list, and no other field', () => {
  const run = { action: 'ask', reason: 'scope is granted again' };

  expect(runRequestSchema.parse({ ...run, filter: { cause: 'scope_missing' } }).filter).toEqual({
    cause: 'scope_missing',
  });
  expect(runRequestSchema.safeParse({ ...run, filter: { causes: 'x' } }).success).toBe(false);
  expect(runRequestSchema.safeParse({ ...run, action: 'purge', ids: ['x'] }).success).toBe(false);
});
