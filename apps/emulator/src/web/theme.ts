/**
 * The emulator's looks on Mantine: the platform's teal, a cool grey canvas, and text colours that
 * reach 4.5:1 on every surface of both schemes (Mantine's own dimmed and light variants do not).
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const teal: MantineColorsTuple = [
  '#e6f6f8',
  '#cbe9ee',
  '#9bd5de',
  '#63bfcc',
  '#3fb6c6',
  '#1f9bae',
  '#008194',
  '#007182',
  '#00606f',
  '#004c58',
];

const dark: MantineColorsTuple = [
  '#dde4ea',
  '#c3ccd5',
  '#a5b1bd',
  '#7c8996',
  '#414d59',
  '#323d48',
  '#222b34',
  '#161d24',
  '#10161c',
  '#0a0f13',
];

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  colors: { teal, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  fontFamily:
    'Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", system-ui, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '700' },
  components: {
    Badge: { styles: { root: { minWidth: 'max-content', textTransform: 'none' } } },
    Menu: { styles: { label: { color: 'var(--mantine-color-dimmed)' } } },
    Notification: { styles: { description: { color: 'var(--mantine-color-text)' } } },
  },
});

const light = {
  '--mantine-color-body': '#ffffff',
  '--mantine-color-dimmed': '#566270',
  '--mantine-color-placeholder': '#657180',
  '--mantine-color-anchor': '#00606f',
  '--mantine-color-error': '#b32b09',
  '--mantine-color-teal-light': '#dff2f5',
  '--mantine-color-teal-light-hover': '#cbe9ee',
  '--mantine-color-teal-light-color': '#00545f',
  '--mantine-color-red-light': '#fdece7',
  '--mantine-color-red-light-hover': '#fadcd3',
  '--mantine-color-red-light-color': '#a32708',
  '--mantine-color-red-filled': '#c22f0b',
  '--mantine-color-red-filled-hover': '#a32708',
  '--mantine-color-red-outline': '#b32b09',
  '--emulator-canvas': '#f2f4f7',
  '--emulator-border': '#dde2e8',
  '--emulator-shadow': '0 1px 2px rgb(20 40 60 / 6%), 0 4px 16px rgb(20 40 60 / 5%)',
  '--emulator-good-text': '#00613f',
  '--emulator-good-tint': '#def4ea',
  '--emulator-bad-text': '#a32708',
  '--emulator-bad-tint': '#fdeae4',
  '--emulator-warn-text': '#754700',
  '--emulator-warn-tint': '#fff0d4',
};

const night: Record<keyof typeof light, string> = {
  '--mantine-color-body': '#1b232b',
  '--mantine-color-dimmed': '#a5b1bd',
  '--mantine-color-placeholder': '#97a4b1',
  '--mantine-color-anchor': '#63cfdd',
  '--mantine-color-error': '#ff9479',
  '--mantine-color-teal-light': '#0c3a42',
  '--mantine-color-teal-light-hover': '#114852',
  '--mantine-color-teal-light-color': '#8de3ee',
  '--mantine-color-red-light': '#43201a',
  '--mantine-color-red-light-hover': '#52271f',
  '--mantine-color-red-light-color': '#ffb19c',
  '--mantine-color-red-filled': '#c83a18',
  '--mantine-color-red-filled-hover': '#b23314',
  '--mantine-color-red-outline': '#ff9479',
  '--emulator-canvas': '#11171d',
  '--emulator-border': '#303b46',
  '--emulator-shadow': '0 1px 2px rgb(0 0 0 / 40%)',
  '--emulator-good-text': '#7fe0b3',
  '--emulator-good-tint': '#113528',
  '--emulator-bad-text': '#ffab95',
  '--emulator-bad-tint': '#43201a',
  '--emulator-warn-text': '#ffce80',
  '--emulator-warn-tint': '#3d2e12',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light,
  dark: night,
});
