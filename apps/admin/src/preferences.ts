/** Choices that this browser remembers. A browser that refuses storage forgets them. */

/** Null: nothing is stored. */
export function readPreference(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function savePreference(key: string, text: string): void {
  try {
    window.localStorage.setItem(key, text);
  } catch {
    // The choice lasts until the page is loaded again.
  }
}
