const ending = /\.(jsonl?|ndjson|traj|eval|csv|tsv|zip)(\.(gz|zst))?$/i

/** True if a file may hold transcripts by its name. Directories and archives are searched for such files. */
export const isTranscriptFile = (name: string): boolean => ending.test(name)
