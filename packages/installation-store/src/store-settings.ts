/** Where the database and its encryption keys are. */
import type { EngineLocation } from './open-engine.ts';
import type { KeyFile } from './sealing/keyring-file.ts';

export interface StoreSettings {
  database: EngineLocation;
  keyFile: KeyFile;
}
