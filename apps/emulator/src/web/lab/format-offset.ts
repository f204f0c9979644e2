const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
];

/** Seconds as the units that are not zero: `1 h 5 min`. */
export function formatOffset(totalSeconds: number): string {
  let rest = Math.round(totalSeconds);
  const parts: string[] = [];
  for (const { name, seconds } of units) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ') || '0 s';
}
