/** A schema in a JSON Schema that has a pattern. */
export interface PatternPlace {
  pattern: string;
  description?: string;
  patternErrorMessage?: string;
}

/** Every place of a JSON Schema with a pattern, also one for the names of members. */
export function findPatterns(schema: unknown): PatternPlace[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, patternProperties = {} } = schema as Partial<PatternPlace> & {
    patternProperties?: object;
  };
  return [
    ...(typeof pattern === 'string' ? [schema as PatternPlace] : []),
    ...Object.keys(patternProperties).map((name) => ({ pattern: name })),
    ...Object.values(schema).flatMap(findPatterns),
  ];
}
