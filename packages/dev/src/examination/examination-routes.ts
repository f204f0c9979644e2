/** Routes of the control API: an examination of an installed plug-in's back end. */
import { type OwnRoute, type Platform, PlatformError } from '@dowel/emulator';
import { examinationSchema } from './examination-schema.ts';
import type { Examinations } from './examinations.ts';

const path = '/plugins/:pluginId/examination';

/** @param platform returns the one that the routes belong to. */
export function examinationRoutes(
  examinations: Examinations,
  platform: () => Pick<Platform, 'plugins'>,
): OwnRoute[] {
  return [
    {
      method: 'POST',
      path,
      summary: 'Examine the back end of a plug-in; 409 while another one is examined',
      answer: examinationSchema,
      status: 202,
      handle({ pluginId = '' }, { tenantId, language }) {
        const { installations } = platform().plugins(tenantId, language);
        const installed = installations.find((each) => each.pluginId === pluginId);
        if (!installed) throw new PlatformError('INSTALLATION_NOT_FOUND', 'No such plug-in');
        return examinations.start({ tenantId, pluginId, manifestUrl: installed.manifestUrl });
      },
    },
    {
      method: 'GET',
      path,
      summary: 'The newest examination of a plug-in; 204 when there is none',
      answer: examinationSchema,
      handle: ({ pluginId = '' }, { tenantId }) => examinations.find({ tenantId, pluginId }),
    },
  ];
}
