import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import classes from './color-scheme-toggle.module.css';

const schemes = [
  { value: 'light', word: 'Light', icon: Sun },
  { value: 'dark', word: 'Dark', icon: Moon },
  { value: 'auto', word: 'Auto', icon: Monitor },
] as const satisfies { value: MantineColorScheme; word: string; icon: typeof Sun }[];

export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Colour scheme"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as MantineColorScheme)}
      data={schemes.map(({ value, word, icon: Icon }) => ({
        value,
        label: (
          <span className={classes.option}>
            <Icon size={14} aria-hidden="true" />
            {word}
          </span>
        ),
      }))}
    />
  );
}
