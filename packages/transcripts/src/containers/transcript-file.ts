const endings = ['json', 'jsonl', 'ndjson', 'traj', 'eval', 'csv', 'tsv', 'vtt', 'srt', 'zip', 'parquet']

/** The endings of files that may hold transcripts, such as `.json`. Another ending may follow: `.gz` or `.zst`. */
export const transcriptEndings: readonly string[] = endings.map((each) => `.${each}`)

const ending = new RegExp(`\\.(${endings.join('|')})(\\.(gz|zst))?$`, 'i')
/** The text of a chat that WhatsApp exports. */
const whatsapp = /(^|\/)(_chat|WhatsApp Chat[^/]*)\.txt$/

/** True if the name is that of a file that may hold transcripts: others of a folder or an archive are not read. */
export const isTranscriptFile = (name: string): boolean => ending.test(name) || whatsapp.test(name)
