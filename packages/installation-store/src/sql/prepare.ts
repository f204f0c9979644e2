/**
 * Statements of the paths that every event takes. Kysely builds and compiles a statement again for each call,
 * which costs more than its execution by SQLite; these are compiled once for each kind of connection.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryExecutor,
  type QueryResult,
  type RawBuilder,
  SqliteAdapter,
  sql,
} from 'kysely';
import type { Database } from './database.ts';

/** Stands for a value that each execution brings. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of the statement, by its name. */
export type Parameter<Values> = <Name extends keyof Values & string>(
  name: Name,
) => RawBuilder<Values[Name]>;

/**
 * @param build the statement. It runs once, so only `parameter` may bring what differs between executions.
 * @returns executes the statement with its values, in the transaction or on the connection of the context.
 */
export function prepare<Context extends Pick<Database, 'db'>, Values extends object, Row>(
  build: (context: Context, parameter: Parameter<Values>) => Compilable<Row>,
): (context: Context, values: Values) => Promise<QueryResult<Row>> {
  const compiledBy = new WeakMap<object, CompiledQuery<Row>>();

  function compile(context: Context): CompiledQuery<Row> {
    const { adapter } = context.db.getExecutor();
    const known = compiledBy.get(adapter);
    if (known) return known;
    const compiled = build(context, (name) => sql`${new Placeholder(name)}`).compile();
    compiledBy.set(adapter, compiled);
    return compiled;
  }

  return (context, values) => {
    const compiled = compile(context);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name as keyof Values] : value,
    );
    return execute(context.db.getExecutor(), { ...compiled, parameters });
  };
}

const connections = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * On SQLite, all statements outside transactions share a connection, and those of a transaction have theirs until its
 * end. To ask Kysely for it each time costs more than most statements. On PostgreSQL, Kysely must have each one back.
 */
function execute<Row>(
  executor: QueryExecutor,
  query: CompiledQuery<Row>,
): Promise<QueryResult<Row>> {
  const known = connections.get(executor);
  if (known) return known.executeQuery(query);
  if (!(executor.adapter instanceof SqliteAdapter)) return executor.executeQuery(query);
  return executor.provideConnection((connection) => {
    connections.set(executor, connection);
    return connection.executeQuery(query);
  });
}
