import { describe, expect, test } from 'vitest';
import { parseEnvFile } from './env-file.ts';

describe('parseEnvFile', () => {
  test('reads names, values, comments and blank lines', () => {
    expect(parseEnvFile('# ports\nDOWEL_PORT=4311\n\nexport A="b c" # said\r\n')).toEqual({
      DOWEL_PORT: '4311',
      A: 'b c',
    });
  });

  test.each(['DOWEL_PORT', 'DOWEL_PORT: 4311', 'DOWEL-PORT=1', '=1', '{"a": 1}'])(
    'the line %s is named, not passed over',
    (broken) => {
      expect(() => parseEnvFile(`A=1\n${broken}`)).toThrow(
        '.env line 2 is broken: write NAME=value, or # for a comment.',
      );
    },
  );
});
