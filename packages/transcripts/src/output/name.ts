import { shortened } from '../model/index.js'
import type { Transcript } from '../transcript.js'

const maxLength = 500

/**
 * The name of a transcript of a file: its own, else the name of the file without folder and extension, followed by
 * ` (2/8)` if the file holds several, or ` (2)` if their number is unknown (`total` Infinity). `index` is 1-based. At most
 * 500 characters (code points), including the number.
 */
export function nameFor(transcript: Transcript, fileName: string, index = 1, total = 1): string {
  const own = transcript.name?.trim()
  if (own) return shortened(own, maxLength)
  const base = fileName
    .replace(/^.*[\\/]/s, '')
    .replace(/(?<=.)(\.(gz|zst))$/i, '')
    .replace(/(?<=.)\.(jsonl?|ndjson|traj|eval|csv|tsv|zip)$/i, '')
  const suffix = total === Infinity ? ` (${index})` : total > 1 ? ` (${index}/${total})` : ''
  return shortened(base.trim() || 'transcript', maxLength, suffix)
}
