/** Manifests in the shapes that authors publish: what they use beside `apiAccess` differs by version and by plug-in. */
const lunch = {
  name: { en: 'Lunch menu', de: 'Speiseplan' },
  description: { en: 'What the canteen cooks.', de: 'Was die Kantine kocht.' },
};
const widget = { ...lunch, id: '7c6f2f0e-8f5a-4d0e-9a53-0c1d5b7f2a10', url: '/week.html' };

/** By what is special, with the linter's findings. */
export const authorManifests: Record<string, { manifest: object; findings: string[] }> = {
  'pages without events': {
    manifest: {
      ...lunch,
      manifestVersion: '2.0.0',
      pluginVersion: '0.3.1',
      context: ['userName', 'userEmail'],
      config: [
        {
          key: 'colour',
          type: 'text',
          label: { en: 'Colour', de: 'Farbe' },
          placeholder: { en: '#336699' },
          pattern: '^#([a-f0-9]{6}|[a-f0-9]{3})$',
          required: true,
          default: '#ffffff',
        },
      ],
      entryPoints: [
        widget,
        {
          ...widget,
          id: '2b0d9b52-61de-47a3-a2a4-6a8b5d0f3c77',
          url: '/day.html',
          config: [
            {
              key: 'layout',
              type: 'radio',
              label: { en: 'Layout' },
              options: [
                { value: 'WIDE', label: { en: 'Wide' }, description: { en: 'With pictures' } },
                { value: 'NARROW', label: { en: 'Narrow' }, description: { en: 'Only texts' } },
              ],
              default: 'WIDE',
            },
          ],
        },
      ],
    },
    findings: [],
  },
  'the oldest version': {
    manifest: {
      ...lunch,
      manifestVersion: '0.7.0',
      pluginVersion: '1.0.0',
      data: ['userName'],
      entryPoints: [widget],
    },
    findings: ['CONTEXT_NAMED_DATA /data'],
  },
  'a page for its configuration': {
    manifest: {
      ...lunch,
      manifestVersion: '2.3.0',
      pluginVersion: '1.4.0',
      coyoVersion: '37.0.0',
      thumbnail: 'https://cdn.example.com/lunch.png',
      lifecycle: { url: '/hooks/', events: ['install', 'uninstall'] },
      entryPoints: [{ ...widget, configUrl: '/config.html' }],
    },
    findings: [
      'URL_FOREIGN_ORIGIN /thumbnail',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
    ],
  },
  'ratios and permissions': {
    manifest: {
      ...lunch,
      manifestVersion: '2.4.0',
      pluginVersion: '2.0.0-beta.1',
      entryPoints: [
        { ...widget, height: '4:3', permissionsPolicy: ['camera', 'geolocation'] },
        {
          ...widget,
          id: '9e8a4c1b-33aa-4c39-8d0e-7d1f0a2b4c66',
          height: 320,
          permissionsPolicy: 'fullscreen',
        },
      ],
    },
    findings: [],
  },
  'more than is known': {
    manifest: {
      ...lunch,
      manifestVersion: '2.6.0',
      pluginVersion: '3.1.0',
      author: { name: 'Canteen' },
      lifecycle: { url: 'hooks/', events: ['install', 'uninstall', 'update', 'user_delete'] },
      apiAccess: {
        url: 'hooks/',
        client: {
          mode: ['authorization_code', 'client_credentials'],
          scope: ['plugin:notify', 'plugin:read'],
        },
      },
      entryPoints: [{ ...widget, icon: 'soup', height: 'auto' }],
    },
    findings: [
      'MANIFEST_VERSION_UNKNOWN /manifestVersion',
      'FIELD_UNKNOWN /author',
      'FIELD_VALUE_WRONG /lifecycle/events/2',
      'FIELD_VALUE_WRONG /lifecycle/events/3',
      'FIELD_VALUE_WRONG /apiAccess/client/mode/1',
      'FIELD_VALUE_WRONG /apiAccess/client/scope/1',
      'FIELD_UNKNOWN /entryPoints/0/icon',
      'FIELD_VALUE_WRONG /entryPoints/0/height',
    ],
  },
};
