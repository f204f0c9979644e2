import { type ReactNode, useId } from 'react';
import classes from './fact-card.module.css';

export interface FactCardProps {
  title: string;
  /** Shown beside the title. */
  action?: ReactNode;
  children: ReactNode;
}

export function FactCard({ title, action, children }: FactCardProps) {
  const id = useId();
  return (
    <section className={`card ${classes.card}`} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id} className={classes.title}>
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}

export function FactList({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

/** One name and its value inside a {@link FactList}. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
