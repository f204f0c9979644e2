/** The most connections of one process, if nothing else is set. Not in the pool's file, whose types need those of `pg`. */
export const defaultPostgresConnections = 10;
