import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useApi } from '../api/api-context.tsx';
import { installationsQuery } from '../api/queries.ts';
import { formatCount } from '../shared/format-count.ts';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import classes from './shell-navigation.module.css';
import { SignOutButton } from './sign-out-button.tsx';

export function ShellNavigation({ onNavigate }: { onNavigate: () => void }) {
  const { data } = useInfiniteQuery(installationsQuery(useApi()));
  const list = data?.pages.at(-1);
  const isAttention = useLocation({
    select: ({ search }) => 'filter' in search && search.filter === 'attention',
  });
  const attentionCount = list?.counts.attention ?? 0;

  return (
    <div className={classes.column}>
      <nav aria-label="Main">
        {list ? <div className={classes.plugin}>{list.pluginName}</div> : null}
        <ul className="reset-list">
          <li>
            <Link
              to="/"
              className={classes.link}
              aria-current={isAttention ? undefined : 'page'}
              activeProps={{ 'aria-current': isAttention ? undefined : 'page' }}
              onClick={onNavigate}
            >
              <LayoutGrid size={18} aria-hidden="true" />
              Installations
            </Link>
          </li>
          <li>
            <Link
              to="/"
              search={{ filter: 'attention' }}
              className={classes.link}
              aria-current={isAttention ? 'page' : undefined}
              onClick={onNavigate}
            >
              <TriangleAlert size={18} aria-hidden="true" />
              Needs attention
              {attentionCount > 0 ? (
                <span className={classes.count}>{formatCount(attentionCount)}</span>
              ) : null}
            </Link>
          </li>
        </ul>
      </nav>
      <div className={classes.foot}>
        <ColorSchemeToggle />
        <SignOutButton />
      </div>
    </div>
  );
}
