import { newTextEncoder } from '../environment.js'
import { type InputError, inputError } from '../errors/index.js'
import { isObject } from '../json.js'
import type { TranscriptUpload } from '../types.js'
import { instantOf } from './match.js'
import { hexDigits, type Stamp, stampOf, withStamp } from './stamp.js'

/**
 * The stamp of an upload with an id of the caller. `write` is made of the project and the id, so that each process finds an
 * earlier upload with this id; `key` also of turns and external id, so that it sees if that has other content. Rejects with
 * an InputError for an id that is empty or no text, and where the runtime has no `crypto.subtle`.
 *
 * @example
 * stampUpload(upload, await onceStamp(project, 'order-7', upload))
 */
export async function onceStamp(
  project: string,
  id: string,
  { turns, externalId = '' }: Pick<TranscriptUpload, 'turns' | 'externalId'>,
): Promise<Stamp> {
  const { subtle } = crypto
  if (!subtle || !id || typeof id !== 'string') throw onceNeeds('a text as id and crypto.subtle (https)')
  // The first 32 hexadecimal digits of SHA-256.
  const digest = async (text: string) =>
    hexDigits(new Uint8Array(await subtle.digest('SHA-256', newTextEncoder().encode(text)), 0, 16))
  // Before the first wait, because the caller may change the upload afterwards.
  const content = JSON.stringify([turns, externalId], sorted)
  const write = await digest(`${project.toLowerCase()}\n${id}`)
  return { key: await digest(write + content), occurrence: 1, write }
}

/** A queue or a database may give the fields of its payload in another order. */
const sorted = (_: string, value: unknown) =>
  isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((name) => [name, value[name]]),
      )
    : value

/** An upload, which is JSON, with the stamp of an id; undefined if it has an `svc` of its own. `@svc/bulk` has stamped it already. */
export async function stampOnce(project: string, id: string, upload: TranscriptUpload) {
  if (instantOf(Object(upload).sourceTimestamp) === undefined) throw onceNeeds('sourceTimestamp')
  const stamp = await onceStamp(project, id, upload)
  const body = withStamp(upload, stamp)
  return stampOf(body)?.write === stamp.write ? body : undefined
}

/** The error of an id that was used for other content, which is stored. */
export const idReused = (storedId: string): InputError =>
  Object.assign(inputError('transcripts.upload', `${storedId} has this id with other content`, 'id_reused'), {
    storedId,
  })

/** The error of an upload that `once` does not allow. */
export const onceNeeds = (what: string): InputError => inputError('transcripts.upload', `once needs ${what}`)
