const words: Record<string, string> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is nothing of this name',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the disk is read-only',
};

/** Why a file or folder cannot be used, in words, with the system's code: `it is a folder (EISDIR)`. */
export function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return `${words[code] ?? 'it fails'} (${code})`;
}
