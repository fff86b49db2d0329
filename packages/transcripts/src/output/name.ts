import { shortened } from '../model/index.js'
import type { Transcript } from '../transcript.js'

const longest = 500

/**
 * A name for a transcript of a file: its own, else the file's without folder and ending, with ` (2/8)` where the file
 * holds several, or ` (2)` where it is not known how many (`total` Infinity). `index` is 1-based. Kept within 500
 * characters (code points), the number whole.
 */
export function nameFor(transcript: Transcript, fileName: string, index = 1, total = 1): string {
  const own = transcript.name?.trim()
  if (own) return shortened(own, longest)
  const base = fileName
    .replace(/^.*[\\/]/s, '')
    .replace(/(?<=.)(\.(gz|zst))$/i, '')
    .replace(/(?<=.)\.(jsonl?|ndjson|traj|eval|csv|tsv|zip)$/i, '')
  const suffix = total === Infinity ? ` (${index})` : total > 1 ? ` (${index}/${total})` : ''
  return shortened(base.trim() || 'transcript', longest, suffix)
}
