import { isTranscriptFile } from './transcript-file.js'

export interface ZipMembers {
  /** The members of each export or log, which are read as one file. */
  together: string[][]
  single: string[]
  /** The members that are not read, without folders, hidden files and the metadata of archivers. */
  left: string[]
}

const chats = /^(.*\/)?conversations(-\d+)?\.json$/s
const logStart = /^(.*\/)?(?:header\.json|_journal\/start\.json)$/s
const logOther = /^(samples\/|_journal\/|summaries\.json$|reductions\.json$)/

/** Group the members of an archive. All members in the folder of an export belong to it. */
export function zipMembers(names: readonly string[]): ZipMembers {
  const files = names.filter((name) => !name.endsWith('/') && !isIgnored(name))
  const logs = rootsOf(files, logStart).filter((root) =>
    files.some((name) => name.startsWith(root) && logOther.test(name.slice(root.length))),
  )
  const roots = new Map([...rootsOf(files, chats), ...logs].map((root): [string, string[]] => [root, []]))
  const found: ZipMembers = { together: [], single: [], left: [] }
  for (const name of files) {
    const root = homeOf(name, roots.keys())
    if (root === undefined) (isTranscriptFile(name) ? found.single : found.left).push(name)
    else if (logs.includes(root) ? isOfLog(name.slice(root.length)) : chats.test(name)) roots.get(root)?.push(name)
    // The other files of a log repeat the samples.
    else if (!logs.includes(root) || !logOther.test(name.slice(root.length))) found.left.push(name)
  }
  found.together = [...roots].map(([root, members]) => (logs.includes(root) ? headFirst(members, root) : members))
  return found
}

const rootsOf = (names: readonly string[], pattern: RegExp) => [
  ...new Set(names.flatMap((name) => (pattern.test(name) ? [pattern.exec(name)?.[1] ?? ''] : []))),
]

/** The deepest root that contains a file. */
function homeOf(name: string, roots: Iterable<string>): string | undefined {
  let found: string | undefined
  for (const root of roots) if (name.startsWith(root) && root.length >= (found?.length ?? 0)) found = root
  return found
}

const isOfLog = (name: string) => /^(header\.json|_journal\/start\.json|samples\/.*\.json)$/s.test(name)

/** The header, or else the start of the journal, describes the run of the samples and comes first. */
function headFirst(members: readonly string[], root: string): string[] {
  const heads = members.filter((name) => !name.startsWith(`${root}samples/`))
  const head = heads.find((name) => name.endsWith('header.json')) ?? heads[0]
  const samples = members.filter((name) => !heads.includes(name))
  return head === undefined ? samples : [head, ...samples]
}

/** True for hidden files and the metadata that macOS adds to archives. */
const isIgnored = (name: string) => name.startsWith('__MACOSX/') || /(^|\/)\./.test(name)

/** Files and exports that are zip archives without transcripts that can be read: a member, and what to do. */
const known: readonly { title: string; member: RegExp; advice: string }[] = [
  { title: 'an Excel workbook', member: /^xl\//, advice: 'it cannot be read. Save each sheet as CSV' },
  {
    title: 'a Word document',
    member: /^word\//,
    advice: 'it cannot be read. Give the conversation as JSON, CSV or text',
  },
  { title: 'an OpenDocument file', member: /^content\.xml$/, advice: 'it cannot be read. Save each sheet as CSV' },
  {
    title: 'a Google Takeout',
    member: /(^|\/)My ?Activity\.html$/,
    advice: 'it holds web pages. Export it again as JSON',
  },
]

/** The kind of a zip archive without transcripts, and the message that refuses it. */
export function knownArchive(names: readonly string[]): { product: string; message: string } | undefined {
  const found = known.find(({ member }) => names.some((name) => member.test(name)))
  return found && { product: found.title, message: `This is ${found.title}; ${found.advice}.` }
}
