import { PluginError } from '@dowel/adapter';
import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { explainProblem } from './explain-problem.ts';
import { textsFor } from './texts.ts';

test.each([
  ['ERR_NOT_EMBEDDED', /Open this page inside the platform/],
  ['ERR1', /key is unknown/],
  ['ERR2', /cannot be trusted/],
  ['ERR4', /clock is wrong/],
  ['ERR6', /did not answer/],
  ['ERR7', /key could not be loaded/],
  ['ERR8', /key is unknown/],
  ['ERR_CONFIG', /settings of this widget/],
  ['ERR_SESSION', /not allowed/],
  ['ERR_NETWORK', /cannot be reached/],
] as const)(
  '%s is explained, with the observed failure for the person who fixes it',
  (code, words) => {
    const { what, details } = explainProblem(
      new PluginError(code, 'What was seen'),
      textsFor('en'),
    );

    expect(what).toMatch(words);
    expect(details).toMatch(new RegExp(`${code}: .*What was seen`));
  },
);

test('a back end that is busy is explained with the time that it names', () => {
  const error = Object.assign(new PluginError('ERR_NETWORK', 'x'), { retryAfterMs: 6_500 });
  expect(explainProblem(error, textsFor('en')).advice).toBe('Try again in 7 seconds.');
});

test.each([
  ['en', 'Unknown recipient', 'NOTIFICATION_REFUSED (HTTP 400)'],
  ['de', undefined, 'NOTIFICATION_REFUSED (HTTP 400): Unknown recipient'],
])(
  '%s: the back end’s message, which is English, is shown where it belongs',
  (language, said, details) => {
    const error = new ApiError('NOTIFICATION_REFUSED', {
      message: 'Unknown recipient',
      status: 400,
    });

    expect(explainProblem(error, textsFor(language))).toMatchObject({ said, details });
  },
);

test.each([
  ['en-GB', 'Something went wrong'],
  ['de-AT', 'Ein Fehler ist aufgetreten'],
  ['fr', 'Something went wrong'],
])('a problem is explained in the language %s, or in English', (language, what) => {
  expect(explainProblem(new Error('x'), textsFor(language)).what).toBe(what);
});
