/** `12 ms`, `1.2 sec`; in German `1,2 Sek.` */
export function formatUnit(locale: string, value: number, unit: string): string {
  const options = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, options).format(value);
}
