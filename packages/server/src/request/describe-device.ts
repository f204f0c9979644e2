/** Names from closed lists, so that no text of a stranger is stored. Null: unknown. */
export interface Device {
  /** Such as `Firefox`. */
  browser: string | null;
  /** The operating system, such as `Linux`. */
  system: string | null;
}

/** The first that matches counts: most browsers also name those that they descend from. */
const browsers: Readonly<Record<string, RegExp>> = {
  Edge: /\bEdg(?:A|iOS)?\//,
  Opera: /\bOPR\//,
  'Samsung Internet': /\bSamsungBrowser\//,
  Firefox: /\b(?:Firefox|FxiOS)\//,
  Chrome: /(?:Chrome|CriOS)\//,
  Safari: /\bVersion\/.*\bSafari\//,
};

const systems: Readonly<Record<string, RegExp>> = {
  Android: /Android/,
  iOS: /iPhone|iPad/,
  Windows: /Windows/,
  macOS: /Macintosh/,
  ChromeOS: /CrOS/,
  Linux: /Linux/,
};

/** Returns browser and operating system by a User-Agent header. */
export function describeDevice(userAgent: string): Device {
  const find = (names: typeof browsers) =>
    Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
  return { browser: find(browsers), system: find(systems) };
}
