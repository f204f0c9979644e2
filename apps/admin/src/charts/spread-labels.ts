/** Moves labels apart that would cover each other. Positions are pixels from the top, in order. */
export function spreadLabels(
  positions: readonly number[],
  { gap, height }: { gap: number; height: number },
): number[] {
  const spread = positions.toSorted((one, other) => one - other);
  for (const [index, position] of spread.entries()) {
    const above = spread[index - 1];
    spread[index] = Math.max(position, above === undefined ? 0 : above + gap);
  }
  for (let index = spread.length - 1; index >= 0; index -= 1) {
    const limit = height - (spread.length - 1 - index) * gap;
    spread[index] = Math.min(spread[index] ?? 0, limit);
  }
  return spread;
}
