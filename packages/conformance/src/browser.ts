/** What the doctor needs of a browser. `@dowel/dev` opens one with Playwright. */

export interface Browser {
  /** Resolves when the page has loaded. */
  open(url: string): Promise<BrowserPage>;
}

/** A page with one frame. */
export interface BrowserPage {
  /** Resolves with true as soon as the frame shows a text, a picture or a field, and with false after this time. */
  showsFrame(withinMs: number): Promise<boolean>;
  /** Errors in the console, oldest first. */
  errors(): readonly string[];
  close(): Promise<void>;
}
