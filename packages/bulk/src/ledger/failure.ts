import { dirname } from 'node:path'
import { count, shellLine } from '@svc/text'
import { BulkError, type BulkErrorCode } from '../bulk-error.js'
import { schema } from './events.js'
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

/** How a file system refuses a hard link that it cannot make. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

const reasonOf = (cause: unknown): string => {
  const { code, message, syscall } = (cause ?? {}) as NodeJS.ErrnoException
  if (syscall === 'link' && code !== undefined && noLinks.includes(code))
    return 'its file system has no hard links, as mounts of object stores have none; use a local disk or NFS'
  if (code === 'ENOENT' && syscall === 'mkdir') return 'a folder cannot be created there'
  return reasons[code ?? ''] ?? code ?? message ?? String(cause)
}

const writableFolderHint =
  'choose another folder for the ledger, one that is writable (--ledger DIR, SVC_STATE_DIR or the option ledger)'

/** The error of a run without a folder for its ledger. */
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
    'choose the folder of the ledger (--ledger DIR, SVC_STATE_DIR or the option ledger)',
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
    hint: 'free disk space, then run it again to continue',
    cause,
  })

export const cannotRebuild = (path: string, cause: unknown): BulkError =>
  new BulkError('ledger_rebuild_failed', `Cannot rebuild the upload ledger: ${path}: ${reasonOf(cause)}.`, {
    hint: 'free disk space, then run it again',
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

export const otherVersion = (path: string, given: string): BulkError =>
  new BulkError(
    'ledger_other_version',
    `The upload ledger was written by another version of svc: ${path} is ${given}; this version reads ${schema}.`,
    {
      hint: 'use the version that wrote it; or move the file away and run `svc uploads rebuild`, which restores the ledger from the service',
    },
  )

export const otherTarget = (path: string, actual: Target, wanted: Target): BulkError =>
  new BulkError(
    'ledger_other_target',
    `The upload ledger ${path} is of project ${actual.project} at ${actual.baseUrl}, and not of ${wanted.project} at ${wanted.baseUrl}.`,
    { hint: 'give the file its earlier name, or move it away' },
  )

export const lost = (path: string): BulkError =>
  new BulkError(
    'ledger_lost',
    `Another process has taken the upload ledger over, because this one did not renew its lease: ${path}.`,
    {
      details: ['Nothing more was sent.'],
      hint: 'run it again when that process has ended',
    },
  )

/** The error of uploads that a replaced owner recorded after the ledger was taken over from it. */
export const lateEntries = (path: string, names: readonly string[]): BulkError =>
  new BulkError(
    'possibly_stored',
    `A process that had lost the upload ledger recorded ${count(names.length, 'upload')} later: ${names.length === 1 ? 'it' : 'each'} may be stored twice.`,
    {
      details: [path, ...names.slice(0, 5), ...(names.length > 5 ? [`and ${names.length - 5} more`] : [])],
      hint: 'run `svc uploads reconcile`; `svc uploads list` shows the ids under which an upload is stored',
    },
  )
