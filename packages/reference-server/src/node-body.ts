import type { IncomingMessage } from 'node:http'
import { tooLarge } from './body.js'
import { CallerGone } from './call.js'
import { join } from './fetch-body.js'

/** The body of a request while it is read. */
export interface BodyReading {
  bytes: Promise<Uint8Array>
  /** Gives up: `bytes` rejects with the reason. */
  breakOff(reason: Error): void
}

/** Made here, as one made while reading would keep the body for as long as its connection. */
const nothing = () => {}

/** A body that is read ahead of its limit is held back beyond so many bytes. */
const aheadBytes = 64 * 2 ** 20

/**
 * Reads a body from its socket, and refuses it once it is over `limit` bytes. Node does not report that a caller is gone
 * as long as bytes before that wait to be read.
 */
export function readBody(request: IncomingMessage, limit = aheadBytes): BodyReading {
  let breakOff: (reason: Error) => void = () => {}
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const settle = () => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone)
      // A late error of the socket without a listener would end the process.
      request.on('error', nothing)
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > limit) breakOff(tooLarge(limit))
    }
    const end = () => {
      settle()
      resolve(join(chunks, length))
    }
    const gone = () => breakOff(new CallerGone('The connection closed before the end of the body.'))
    breakOff = (reason) => {
      settle()
      reject(reason)
    }
    request.on('data', take).on('end', end).on('close', gone).on('error', gone)
  })
  return { bytes, breakOff: (reason) => breakOff(reason) }
}
