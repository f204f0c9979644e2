/** The settings of the emulator, with what `.env.example` says of them. */
export const emulatorSettings = {
  EMULATOR_PORT: { text: 'The port of the platform emulator.', example: '4300' },
  EMULATOR_HOST: { text: 'The interface that the emulator listens on.', example: 'localhost' },
  EMULATOR_STATE: {
    text: 'The file that keeps what the emulator knows.',
    example: '.data/emulator-4300.json',
  },
  EMULATOR_SAMPLE_MANIFEST: {
    text: "The manifest that the emulator's pages suggest to install.",
    example: 'http://localhost:4310/manifest.json',
  },
  EMULATOR_EVENT_FORMAT: {
    text: 'Whether the emulator sends events in a form, as the platform does, or in a JSON body: form or json.',
    example: 'form',
  },
  EMULATOR_SRC: {
    text: "The form of the src of a widget's page: composed (<tenant>_<instance>), instance, plugin-id or opaque.",
    example: 'composed',
  },
} as const;
