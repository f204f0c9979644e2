/** The folder of a SQLite database, which usually holds the key file as well. */
import { describeFileError, makeFolder } from '@dowel/settings';
import { StoreError } from '../errors.ts';

/** @throws StoreError `DATABASE_UNUSABLE` that names the folder and the setting. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `The data folder ${folder} cannot be used: ${describeFileError(cause)}. Choose another with DOWEL_DATA_DIR.`,
      { cause },
    );
  }
}
