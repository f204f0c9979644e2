const words: Record<string, string> = {
  EACCES: 'permission denied for this user',
  EPERM: 'permission denied for this user',
  EEXIST: 'a file with this name exists',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the disk is read-only',
};

/** Explains why a file or folder cannot be used, with the system's code: `it is a folder (EISDIR)`. */
export function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return `${words[code] ?? 'it fails'} (${code})`;
}
