import { dirname } from 'node:path'
import { CliError, exit } from '../exit.js'

const reasons: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  ENOENT: 'its folder is gone',
  EIO: 'the disk fails',
  EISDIR: 'it is a folder',
}

const reasonOf = (cause: unknown): string => {
  const { code, message, syscall } = (cause ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOENT' && syscall === 'mkdir') return 'no folder can be made there'
  return reasons[code ?? ''] ?? code ?? message ?? String(cause)
}

const elsewhere = 'give --ledger DIR or set SVC_STATE_DIR: a folder that can be written'

/** There is nowhere to keep a ledger. */
export const noFolder = (): CliError =>
  new CliError(exit.input, 'There is no home folder to keep the ledger of uploads in; nothing was sent.', {
    hint: elsewhere,
  })

/** A ledger that cannot be opened for writing. */
export const cannotOpen = (path: string, cause: unknown): CliError =>
  cause instanceof CliError
    ? cause
    : new CliError(exit.input, `The ledger of uploads cannot be written: ${path}: ${reasonOf(cause)}.`, {
        hint: elsewhere,
        cause,
      })

/** A folder of ledgers that cannot be read. */
export const cannotRead = (path: string, cause: unknown): CliError =>
  cause instanceof CliError
    ? cause
    : new CliError(exit.input, `The ledger of uploads cannot be read: ${path}: ${reasonOf(cause)}.`, {
        hint: 'give --ledger DIR or set SVC_STATE_DIR: the folder that it is in',
        cause,
      })

/** A ledger that could be written, and cannot any more. */
export const cannotWrite = (path: string, cause: unknown): CliError =>
  new CliError(exit.bug, `The ledger of uploads cannot be written any more: ${path}: ${reasonOf(cause)}.`, {
    details: ['Nothing more is sent. What was sent is not sent again.'],
    hint: 'make room, then run the same command again: it goes on where it stopped',
    cause,
  })

/** A ledger with something in it that no writer of ledgers wrote. */
export const damaged = (path: string, line: number, project: string | undefined): CliError =>
  new CliError(exit.input, `The ledger of uploads is damaged: ${path}:${line} is not what svc wrote.`, {
    hint: `mend or delete that line; or move the file away and run \`svc uploads rebuild --ledger ${dirname(path)}${project ? ` --project ${project}` : ''}\`, which finds what is stored by its stamps`,
  })

/** A ledger without an entry, which svc never leaves behind: what it held is gone. */
export const emptied = (path: string, project: string): CliError => {
  const which = `--ledger ${dirname(path)} --project ${project}`
  return new CliError(exit.input, `The ledger of uploads is damaged: ${path} holds no entries.`, {
    details: ['svc creates a ledger together with its first entry, so its content was lost later.'],
    hint: `restore it from the service: \`svc uploads rebuild ${which}\`; or start again without it: \`svc uploads forget --all ${which}\``,
  })
}

/** A ledger of a later version of this program. */
export const tooNew = (path: string, schema: string): CliError =>
  new CliError(exit.input, `The ledger of uploads was written by a newer svc: ${path} is ${schema}.`, {
    hint: 'update svc, or give --ledger DIR for a ledger of its own',
  })
