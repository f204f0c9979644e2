import { countLimit } from '@dowel/schema';

/** The server stops counting here. */
export function isCapped(count: number): boolean {
  return count >= countLimit;
}

/** `1,234`, or `10,000+` where the counting ended. */
export function formatCount(count: number): string {
  return `${count.toLocaleString('en')}${isCapped(count) ? '+' : ''}`;
}
