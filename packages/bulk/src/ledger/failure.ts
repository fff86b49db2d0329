import { dirname } from 'node:path'
import { shellLine } from '@svc/text'
import { BulkError, type BulkErrorCode } from '../bulk-error.js'
import type { Target } from './identity.js'

const reasons: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  ENOENT: 'its folder no longer exists',
  EIO: 'the disk has an error',
  EISDIR: 'it is a folder',
}

const reasonOf = (cause: unknown): string => {
  const { code, message, syscall } = (cause ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOENT' && syscall === 'mkdir') return 'a folder cannot be created there'
  return reasons[code ?? ''] ?? code ?? message ?? String(cause)
}

const writableFolderHint = 'choose a writable folder with --ledger DIR or SVC_STATE_DIR'

export const noFolder = (): BulkError =>
  new BulkError('no_ledger_folder', 'Cannot keep an upload ledger: there is no home folder. Nothing was sent.', {
    hint: writableFolderHint,
  })

export const cannotOpen = (path: string, cause: unknown): unknown =>
  inaccessible('ledger_not_writable', 'written', path, cause, writableFolderHint)

export const cannotRead = (path: string, cause: unknown): unknown =>
  inaccessible(
    'ledger_not_readable',
    'read',
    path,
    cause,
    'choose the folder of the ledger with --ledger DIR or SVC_STATE_DIR',
  )

/** A signal that ends the reading stays as it is. */
const inaccessible = (
  code: BulkErrorCode,
  act: 'read' | 'written',
  path: string,
  cause: unknown,
  hint: string,
): unknown =>
  cause instanceof BulkError || !(cause instanceof Error)
    ? cause
    : new BulkError(code, `The upload ledger cannot be ${act}: ${path}: ${reasonOf(cause)}.`, { hint, cause })

export const cannotWrite = (path: string, cause: unknown): BulkError =>
  new BulkError('ledger_write_failed', `Cannot write the upload ledger any more: ${path}: ${reasonOf(cause)}.`, {
    details: ['Sending has stopped. Transcripts already sent are not sent again.'],
    hint: 'free disk space, then run the same command again to continue',
    cause,
  })

export const cannotRebuild = (path: string, cause: unknown): BulkError =>
  new BulkError('ledger_rebuild_failed', `Cannot rebuild the upload ledger: ${path}: ${reasonOf(cause)}.`, {
    hint: 'free disk space, then run the same command again',
    cause,
  })

export const damaged = (path: string, line: number, project: string | undefined): BulkError =>
  new BulkError('ledger_damaged', `The upload ledger is damaged: ${path}:${line} is not a valid entry.`, {
    hint: `correct or delete that line; or move the file away and run \`svc uploads rebuild --ledger ${dirname(path)}${project ? ` --project ${project}` : ''}\`, which restores the ledger from the service`,
  })

export const emptied = (path: string, project: string): BulkError => {
  const which = `--ledger ${dirname(path)} --project ${project}`
  return new BulkError('ledger_empty', `The upload ledger is damaged: ${path} has no entries.`, {
    details: ['svc creates a ledger together with its first entry, so the content was lost later.'],
    hint: `restore it from the service: \`svc uploads rebuild ${which}\`; or start again without it: \`svc uploads forget --all ${which}\``,
  })
}

export const unfinished = (path: string, { baseUrl, project }: Target): BulkError => {
  const settings = [`SVC_PUBLIC_BASE_URL=${baseUrl}`, 'svc', 'uploads', 'rebuild']
  const command = shellLine([...settings, '--ledger', dirname(path), '--project', project])
  return new BulkError(
    'ledger_rebuild_unfinished',
    `The upload ledger is not rebuilt: a rebuild was interrupted, or still runs: ${path}.`,
    {
      details: ['An upload without the rebuilt ledger could store transcripts twice.'],
      hint: `run \`${command}\` again; or remove that file to go on without the rebuild`,
    },
  )
}

export const tooNew = (path: string, schema: string): BulkError =>
  new BulkError('ledger_too_new', `The upload ledger was written by a newer svc: ${path} is ${schema}.`, {
    hint: 'update svc, or use another ledger with --ledger DIR',
  })
