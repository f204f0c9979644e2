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
import { darkRoles, lightRoles, type RoleColors } from './role-colors.ts';
import { theme } from './theme.ts';

/** Every text has a contrast of at least 4.5:1 (WCAG 1.4.3). */
const resolveVariables: CSSVariablesResolver = (merged) => {
  const { variables, light, dark } = defaultCssVariablesResolver(merged);
  return {
    variables,
    light: {
      ...light,
      '--mantine-color-text': '#14212a',
      '--mantine-color-dimmed': '#4a5963',
      '--mantine-color-placeholder': '#5d6c77',
      '--mantine-color-default-border': '#d3dbe0',
      '--mantine-color-anchor': '#00697a',
      '--dowel-text-3': '#5d6c77',
      '--dowel-input-edge': '#83919b',
      '--dowel-canvas': '#f5f7f9',
      '--dowel-surface': '#ffffff',
      '--dowel-border': '#dfe5e9',
      '--dowel-row-hover': '#f6f9fa',
      '--dowel-track': '#e9eef1',
      '--dowel-selected': '#e0f1f4',
      '--dowel-shadow': '0 1px 2px rgb(20 33 42 / 7%)',
      ...toVariables(lightRoles),
    },
    dark: {
      ...dark,
      '--mantine-color-text': '#e4ebef',
      '--mantine-color-dimmed': '#a9b7c0',
      '--mantine-color-placeholder': '#94a3ad',
      '--mantine-color-default': '#182128',
      '--mantine-color-default-hover': '#202b33',
      '--mantine-color-default-border': '#34434d',
      '--mantine-color-anchor': '#63cfdb',
      '--dowel-text-3': '#94a3ad',
      '--dowel-input-edge': '#6d7c87',
      '--dowel-canvas': '#10171c',
      '--dowel-surface': '#182128',
      '--dowel-border': '#28343c',
      '--dowel-row-hover': '#1e2931',
      '--dowel-track': '#28343c',
      '--dowel-selected': '#0f3840',
      '--dowel-shadow': 'none',
      ...toVariables(darkRoles),
    },
  };
};

/** `--role-ok`, `--role-ok-ground` and `--role-ok-chart`, for each role. */
function toVariables(roles: RoleColors): Record<string, string> {
  return Object.fromEntries(
    Object.entries(roles).flatMap(([role, { text, ground, chart }]) => [
      [`--role-${role}`, text],
      [`--role-${role}-ground`, ground],
      [`--role-${role}-chart`, chart],
    ]),
  );
}

export function adoptThemeVariables(target: Document): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    convertCssVariables(resolveVariables(mergeMantineTheme(DEFAULT_THEME, theme)), ':root'),
  );
  target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
}
