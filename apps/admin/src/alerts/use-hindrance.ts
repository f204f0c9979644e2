import { isRoleEnough } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useRole } from '../api/use-role.ts';

/** Why the reader cannot act on alerts; undefined: an operator can. */
export function useHindrance(): string | undefined {
  const { t } = useTranslation();
  const role = useRole();
  return role && isRoleEnough(role, 'operator') ? undefined : t('action.onlyOperators');
}
