/** Look: the platform's own teal, cool greys, one radius. Colours per scheme: theme-variables.ts. */
import {
  Alert,
  Button,
  createTheme,
  localStorageColorSchemeManager,
  SegmentedControl,
} from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  headings: { fontWeight: '650' },
  components: {
    Alert: Alert.extend({
      defaultProps: { variant: 'outline' },
      vars: () => ({
        root: {
          '--alert-color': 'var(--dowel-bad)',
          '--alert-bd': '1px solid var(--dowel-bad)',
          '--alert-bg': 'var(--dowel-surface)',
        },
      }),
    }),
    SegmentedControl: SegmentedControl.extend({
      styles: { root: { backgroundColor: 'var(--dowel-track)' } },
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
      '#35b6c6',
      '#0f98aa',
      '#008194',
      '#007587',
      '#00697a',
    ],
    dark: [
      '#dbe3e8',
      '#b9c5cc',
      '#9fadb6',
      '#71828d',
      '#35444e',
      '#2a3740',
      '#1b252c',
      '#12191e',
      '#0d1317',
      '#090d10',
    ],
  },
});

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'dowel-color-scheme' });
