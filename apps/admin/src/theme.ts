/** Look: the platform's own teal, cool greys, one radius. Colours per scheme: theme-variables.ts. */
import { Alert, Button, createTheme, localStorageColorSchemeManager } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  radius: { sm: '6px', md: '7px', lg: '10px' },
  components: {
    Alert: Alert.extend({
      defaultProps: { variant: 'outline' },
      vars: () => ({
        root: {
          '--alert-color': 'var(--role-bad)',
          '--alert-bd': '1px solid var(--role-bad)',
          '--alert-bg': 'var(--dowel-surface)',
        },
      }),
    }),
    Button: Button.extend({
      vars: (_theme, { variant = 'filled' }) => ({
        // Contrast for the scheme's own shade; Mantine uses the light scheme's shade in both.
        root:
          variant === 'filled' ? { '--button-color': 'var(--mantine-primary-color-contrast)' } : {},
      }),
    }),
  },
  colors: {
    teal: [
      '#e4f5f7',
      '#c8eaee',
      '#96d8e0',
      '#63c8d4',
      '#45bfce',
      '#63cfdb',
      '#0f98aa',
      '#008194',
      '#007587',
      '#00697a',
    ],
    dark: [
      '#e4ebef',
      '#bcc8cf',
      '#a9b7c0',
      '#74838e',
      '#3b4a54',
      '#28343c',
      '#1e2931',
      '#182128',
      '#10171c',
      '#0b1115',
    ],
  },
});

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'dowel-color-scheme' });
