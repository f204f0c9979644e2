/** Reads a password from a terminal without echo, or from standard input up to its first line break. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** @throws SyntaxError if the terminal's second entry differs, or nothing was entered. */
export async function readPassword(input: NodeJS.ReadStream = process.stdin): Promise<string> {
  if (!input.isTTY) return readLine(input);
  const password = await askUnseen(input, 'Password: ');
  if ((await askUnseen(input, 'Again: ')) !== password) {
    throw new SyntaxError('The two passwords differ. Nothing was changed.');
  }
  return password;
}

async function readLine(input: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  throw new SyntaxError('No password came on standard input.');
}

function askUnseen(input: ReadStream, question: string): Promise<string> {
  process.stderr.write(question);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: unseen, terminal: true });
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new SyntaxError('No password was entered. Nothing was changed.'));
    terminal.once('SIGINT', refuse);
    // Ctrl-D, or a terminal that is gone.
    terminal.once('close', refuse);
    terminal.question('', resolve);
  }).finally(() => {
    terminal.close();
    process.stderr.write('\n');
  }) as Promise<string>;
}
