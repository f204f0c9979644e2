/** Writes one line, with or without fields. */
export interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/** A log such as pino's. The field `err` is an error; no field contains a secret. */
export interface Log {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
}

const writeNothing: LogMethod = () => {};

export const silentLog: Log = {
  debug: writeNothing,
  info: writeNothing,
  warn: writeNothing,
  error: writeNothing,
};
