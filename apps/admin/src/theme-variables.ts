/**
 * The theme as CSS variables. They are adopted as a constructed style sheet, so that the page needs
 * no inline style element and a content security policy may forbid those.
 */
import {
  type CSSVariablesResolver,
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { theme } from './theme.ts';

/** Every text has a contrast of at least 4.5:1 (WCAG 1.4.3). */
const resolveVariables: CSSVariablesResolver = (merged) => {
  const { variables, light, dark } = defaultCssVariablesResolver(merged);
  return {
    variables,
    light: {
      ...light,
      '--mantine-color-text': '#16232b',
      '--mantine-color-dimmed': '#4d5b65',
      '--mantine-color-placeholder': '#5a6872',
      '--mantine-color-default-border': '#d5dce1',
      '--mantine-color-anchor': '#00697a',
      '--dowel-canvas': '#f2f4f7',
      '--dowel-surface': '#ffffff',
      '--dowel-border': '#dde3e8',
      '--dowel-row-hover': '#f6f9fa',
      '--dowel-track': '#e3e8ec',
      '--dowel-nav-active': '#dcf0f3',
      '--dowel-shadow': '0 1px 2px rgb(22 35 43 / 6%)',
      '--dowel-ok': '#00633f',
      '--dowel-ok-ground': '#dff5ea',
      '--dowel-waiting': '#7a4300',
      '--dowel-waiting-ground': '#ffefd1',
      '--dowel-bad': '#a82607',
      '--dowel-bad-ground': '#fdeae5',
      '--dowel-new': '#1c4f9c',
      '--dowel-new-ground': '#e5eefb',
      '--dowel-gone': '#46535c',
      '--dowel-gone-ground': '#e8ecef',
      '--dowel-bar': '#008194',
      '--dowel-bar-low': '#c77700',
      '--dowel-bar-bad': '#d9340d',
    },
    dark: {
      ...dark,
      '--mantine-color-text': '#e3eaee',
      '--mantine-color-dimmed': '#a3b1ba',
      '--mantine-color-placeholder': '#94a3ad',
      '--mantine-color-anchor': '#5fcbd8',
      '--dowel-canvas': '#12191e',
      '--dowel-surface': '#1b252c',
      '--dowel-border': '#2e3b44',
      '--dowel-row-hover': '#202c34',
      '--dowel-track': '#2a3740',
      '--dowel-nav-active': '#0d3a42',
      '--dowel-shadow': 'none',
      '--dowel-ok': '#7ddfb3',
      '--dowel-ok-ground': '#0f3527',
      '--dowel-waiting': '#ffce80',
      '--dowel-waiting-ground': '#43300e',
      '--dowel-bad': '#ffab98',
      '--dowel-bad-ground': '#4a1d12',
      '--dowel-new': '#a5c8ff',
      '--dowel-new-ground': '#1a3157',
      '--dowel-gone': '#c0cad1',
      '--dowel-gone-ground': '#2f3b44',
      '--dowel-bar': '#35b6c6',
      '--dowel-bar-low': '#f0a63c',
      '--dowel-bar-bad': '#ff7a5c',
    },
  };
};

export function adoptThemeVariables(target: Document): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    convertCssVariables(resolveVariables(mergeMantineTheme(DEFAULT_THEME, theme)), ':root'),
  );
  target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
}
