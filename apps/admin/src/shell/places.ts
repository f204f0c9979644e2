/** The pages of the navigation, in its order. */
import LayoutList from 'lucide-react/icons/layout-list';

export const places = [{ to: '/installations', name: 'installations', icon: LayoutList }] as const;

export type Place = (typeof places)[number];
