/**
 * Loaded into a server with `--import`: reports to its parent the CPU time of the whole process, all threads together.
 */
process.on('message', (question) => {
  if (question === 'cpu') process.send?.({ type: 'cpu', usage: process.cpuUsage() });
});
