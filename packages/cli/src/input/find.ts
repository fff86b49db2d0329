import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Pattern, Progress } from '@svc/text/patterns'
import { detect } from '@svc/transcripts'
import { isTranscriptFile, transcriptEndings } from '@svc/transcripts/containers'
import { exclusionsOf, listOf, noteUnmatched } from './exclusions.js'
import type { InputFiles, PathKind } from './files.js'
import { InputProblem } from './input-problem.js'
import { alternativesIn, globOf, isPattern, pathIn, refuseStdinTwice, trimmed } from './patterns.js'
import { addSkipped, type Skipped, skippedLines } from './skipped.js'
import { filesOfConversation, messagesWithoutSession, readWithSessions, sessionHomes } from './storage/index.js'

/** A file to read, or a path that cannot be read. */
export interface Candidate {
  path: string
  /** The path that was named: this one, or the folder or pattern in which it was found. */
  root: string
  /** Found in a folder or by a pattern, not named itself. */
  isFound: boolean
  /** Its real path; for a link that cannot be followed, that of the link. */
  real: string
  /** The id of its conversation, if the file has none. */
  id?: string
  /** The only members of it that are read. Default: all. */
  members?: readonly string[]
  gap?: InputGap
}

export interface InputGap {
  why: 'unreadable' | 'broken link' | 'link not followed'
  detail: string
}

export interface InputFlags {
  exclude?: readonly string[]
  /** As `exclude`, but a pattern that matches nothing is not noted: settings are for many commands. */
  excludeInSettings?: readonly string[] | undefined
  followLinks?: boolean
}

/** The paths in a list, and the name of the list. */
export interface ListedFiles {
  from: string
  paths: readonly string[]
  /** A path that does not exist, of the list or a named one, is noted. Default: one of the list becomes a gap. */
  mayBeMissing: boolean
}

export interface Lookup extends InputFlags {
  /** A path that exists and cannot be read becomes a candidate with a gap; else it is refused, or skipped if it is a link. */
  keepsGaps?: boolean
  /** Files of the command itself, such as its policy: skipped if they are found. */
  ownFiles?: readonly string[]
  /** The code of the error if a folder or pattern holds nothing. Default: `nothing_found`. */
  whenEmpty?: 'missing_input' | 'nothing_found'
  /** A folder or pattern may hold nothing. Default: false. */
  mayBeEmpty?: boolean
  /** Keep only these files of those that the paths name. Default: all. */
  listed?: ListedFiles | undefined
  /** True for the name of a policy. One in another folder that is not in `ownFiles` is noted as not applied. */
  isPolicy?(name: string): boolean
}

/** Files, each real file once, in the order in which they were named and found. */
interface Candidates {
  candidates: Candidate[]
  skipped: Skipped
  /** For the first path that does not exist, cannot be read, or holds nothing. */
  failure?: InputProblem
  isExcluded(path: string): boolean
  /** Note the exclusions that matched no path. Call it once everything is read. */
  noteUnmatched(): void
}

/** Split paths from exclusions (`!pattern`). An existing file with such a name is a path. */
export function splitPaths(
  io: Pick<InputFiles, 'isThere'>,
  paths: readonly string[],
  exclude: readonly string[] = [],
): { paths: string[]; exclude: string[] } {
  const isExclusion = (path: string) => /^!./.test(path) && !io.isThere(path)
  return {
    paths: paths.filter((path) => !isExclusion(path)),
    exclude: [...exclude, ...paths.filter(isExclusion).map((path) => path.slice(1))],
  }
}

/** Find the files of paths. Only folders and links are read. Problems of paths become `failure`. */
export async function findCandidates(io: InputFiles, named: readonly string[], lookup: Lookup): Promise<Candidates> {
  const { paths, exclude } = splitPaths(io, named, lookup.exclude)
  const { isExcluded, unmatched } = await exclusionsOf(io, exclude, lookup.excludeInSettings)
  const filesOfSvc = new Set<string>()
  for (const path of lookup.ownFiles ?? []) filesOfSvc.add(await io.realPath(path).catch(() => io.resolve(path)))
  const isListed = await listOf(io, lookup.listed?.paths)
  const search = new Search(io, lookup, { isExcluded, isListed, isOwn: (real) => filesOfSvc.has(real) })
  let failure: InputProblem | undefined
  try {
    refuseStdinTwice(paths)
  } catch (error) {
    failure = asProblem(error)
  }
  for (const path of paths) {
    try {
      await search.add(path)
    } catch (error) {
      failure ??= asProblem(error)
    }
  }
  await search.addMissing()
  const candidates = await search.candidates()
  if (!failure && candidates.length === 0 && !lookup.mayBeEmpty) {
    failure = new InputProblem(lookup.whenEmpty ?? 'nothing_found', 'No input files.', {
      details: skippedLines(search.skipped),
      hint: 'add files or folders that are not excluded and not links to other folders',
    })
  }
  return {
    candidates,
    skipped: search.skipped,
    isExcluded: (path) => isExcluded(path) || !isListed(path, io.resolve(path), false),
    noteUnmatched() {
      // An exclusion may well match none of the listed files.
      if (!lookup.listed) noteUnmatched(search.skipped, unmatched())
    },
    ...(failure && { failure }),
  }
}

function asProblem(error: unknown): InputProblem {
  if (error instanceof InputProblem) return error
  throw error
}

/** True if a path is a folder, or inside it. */
export function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

interface Walk {
  root: string
  /** Links may lead into these real paths: the named folder and its repository. */
  bounds: string[]
  /** The folders walked from this root, by real path and progress of the pattern, so that circles end. */
  walked: Set<string>
  pattern?: Pattern
}

/** How far a walk has come. */
interface Step extends Progress {
  /** Inside of a folder that is named, or that the pattern matches: all transcript files in it are named. */
  isNamed: boolean
}

const named: Step = { isMatch: false, isOpen: false, at: [], isNamed: true }

interface Place {
  path: string
  /** Its real path; of a link its own. */
  real: string
}

interface Filter {
  isExcluded(path: string): boolean
  isListed(path: string, real: string, hasGap: boolean): boolean
  isOwn(real: string): boolean
}

/** Texts are read from a folder only if they are transcripts, because most are not. */
const isText = (path: string): boolean => /\.(?:md|markdown|txt)$/i.test(path)
/** The beginning of a file that shows what it is, in bytes. */
const headBytes = 1 << 16

const isJson = (head: Uint8Array): boolean => /^\s*[[{]/.test(new TextDecoder().decode(head.subarray(0, 64)))

/** True if a file, which may be anything, is a transcript by its first lines. */
function isTranscript(head: Uint8Array): boolean {
  const format = detect(head)?.format
  return format !== undefined && format !== 'table'
}

class Search {
  readonly skipped: Skipped = new Map()
  readonly #io: InputFiles
  readonly #lookup: Lookup
  readonly #filter: Filter
  /** All paths that lead to a file, by its real path. */
  readonly #files = new Map<string, Candidate[]>()
  readonly #folders = new Set<string>()
  /** Counts every path that was found, also again. */
  #foundCount = 0

  constructor(io: InputFiles, lookup: Lookup, filter: Filter) {
    this.#io = io
    this.#lookup = lookup
    this.#filter = filter
  }

  async add(path: string): Promise<void> {
    await this.#io.checkpoint()
    const before = this.#foundCount
    if (path === '-') return this.#put({ path, root: path, isFound: false, real: path })
    if (this.#exclude(path)) return
    const isThere = await this.#isThere(path)
    if (!isThere && isPattern(path)) {
      await this.#addMatches(path)
      if (this.#foundCount === before) this.#empty(`No file matches ${path}.`, 'a pattern looks like logs/**/*.jsonl')
      return
    }
    if (!isThere && this.#lookup.listed?.mayBeMissing) return addSkipped(this.skipped, 'missing', path)
    const target = await this.#resolveLink({ path, root: path, isFound: false })
    if (!target) return
    if (target.kind !== 'directory') return this.#put({ path, root: path, isFound: false, real: target.real })
    await this.#addFolder({ path: trimmed(path), real: target.real }, path)
    if (this.#foundCount > before) return
    const endings = transcriptEndings.join(', ')
    const hint = `transcripts are files that end in ${endings}, also with .gz or .zst, and texts (.md, .txt) of a known format`
    this.#empty(`The directory ${path} contains no transcripts.`, hint)
  }

  /** A path of the list that is not there, such as that of a deleted file, is not judged: the name may be wrong. */
  async addMissing(): Promise<void> {
    const { from, paths, mayBeMissing } = this.#lookup.listed ?? { from: '', paths: [], mayBeMissing: true }
    for (const path of new Set(paths)) {
      if ((await this.#isThere(path)) || this.#exclude(path)) continue
      if (mayBeMissing) addSkipped(this.skipped, 'missing', path)
      else {
        const detail = `there is no such file, but ${from} lists it; --allow-missing skips it`
        this.#put({
          path,
          root: path,
          isFound: false,
          real: this.#io.resolve(path),
          gap: { why: 'unreadable', detail },
        })
      }
    }
  }

  async #isThere(path: string): Promise<boolean> {
    return (await this.#io.linkAt(path)) !== undefined || this.#io.isThere(path)
  }

  #empty(message: string, hint: string): void {
    const { whenEmpty = 'nothing_found', mayBeEmpty } = this.#lookup
    if (!mayBeEmpty)
      throw new InputProblem(whenEmpty, message, { details: skippedLines(this.skipped, ['other name']), hint })
  }

  /** Without the unfollowed links whose target was found in another way. */
  async candidates(): Promise<Candidate[]> {
    const isLink = ({ gap }: Candidate) => gap?.why === 'link not followed'
    const all: Candidate[] = []
    for (const candidates of this.#files.values()) {
      const each = await this.#asItself(candidates)
      if (each && (!isLink(each) || !(this.#files.has(each.real) || this.#folders.has(each.real)))) all.push(each)
    }
    if (this.#lookup.keepsGaps) return all
    for (const { path } of all.filter(isLink)) addSkipped(this.skipped, 'link not followed', path)
    return all.filter((each) => !isLink(each))
  }

  /** The path with the fewest links, of several the shortest: that of the file itself, in whatever order they were found. */
  async #asItself([first, ...others]: readonly Candidate[]): Promise<Candidate | undefined> {
    if (!first || others.length === 0) return first
    const ranked: { candidate: Candidate; links: number }[] = []
    for (const candidate of [first, ...others])
      ranked.push({ candidate, links: await linksIn(this.#io, candidate.path) })
    const length = ({ path }: Candidate) => path.length
    ranked.sort(
      ({ candidate: a, ...one }, { candidate: b, ...other }) =>
        one.links - other.links || length(a) - length(b) || (a.path < b.path ? -1 : 1),
    )
    const isFound = [first, ...others].every((each) => each.isFound)
    return { ...(ranked[0]?.candidate ?? first), isFound }
  }

  #exclude(path: string): boolean {
    if (!this.#filter.isExcluded(path)) return false
    this.#foundCount++
    addSkipped(this.skipped, 'excluded', path)
    return true
  }

  #put(candidate: Candidate, key = candidate.real): void {
    this.#foundCount++
    if (candidate.isFound && this.#filter.isOwn(candidate.real))
      return addSkipped(this.skipped, 'file of svc', candidate.path)
    if (!this.#filter.isListed(candidate.path, candidate.real, candidate.gap !== undefined))
      return addSkipped(this.skipped, 'not listed', candidate.path)
    const candidates = this.#files.get(key)
    if (!candidates) this.#files.set(key, [candidate])
    else if (!candidates.some((each) => each.path === candidate.path && each.isFound === candidate.isFound))
      candidates.push(candidate)
  }

  #gap(candidate: Omit<Candidate, 'gap'>, gap: InputGap, error?: unknown): void {
    if (this.#lookup.keepsGaps) this.#put({ ...candidate, gap })
    else if (!candidate.isFound || gap.why === 'unreadable') unreadable(candidate.path, error)
    else addSkipped(this.skipped, 'broken link', candidate.path)
  }

  /** Resolve a path that may be a link. Undefined if that fails, which is then a gap. */
  async #resolveLink(
    candidate: Omit<Candidate, 'gap' | 'real'>,
    isMatch = true,
  ): Promise<(Place & { kind: PathKind }) | undefined> {
    const { path } = candidate
    const io = this.#io
    try {
      const kind = await io.kindOf(path)
      // A pipe may have no real path.
      return { path, kind, real: await io.realPath(path).catch(() => io.resolve(path)) }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const link = await io.linkAt(path)
      const isBroken = link !== undefined && (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR')
      if (!isBroken && (code === undefined || isMissing(code))) return unreadable(path, error)
      if (!isMatch) return undefined
      const detail = code === 'ELOOP' ? 'the link leads in a circle' : 'the target of the link does not exist'
      this.#gap(
        { ...candidate, real: link ?? io.resolve(path) },
        isBroken ? { why: 'broken link', detail } : { why: 'unreadable', detail: `it is not readable (${code})` },
        error,
      )
      return undefined
    }
  }

  async #walk(folder: Place, of: Walk, isOfSession: boolean, step: Step): Promise<void> {
    const state = `${folder.real}\n${step.at.join()}\n${step.isNamed}`
    if (of.walked.has(state)) return
    of.walked.add(state)
    this.#folders.add(folder.real)
    const entries = await this.#entriesOf(folder, of.root)
    const names = new Set(entries.map(({ name }) => name))
    const isStorage = readWithSessions.every((name) => names.has(name)) && sessionHomes.some((name) => names.has(name))
    if (isStorage)
      for (const path of await messagesWithoutSession(this.#io, folder.path || '.'))
        addSkipped(this.skipped, 'no session', path)
    const conversation = await filesOfConversation(this.#io, folder.path, names)
    for (const name of conversation.companions) addSkipped(this.skipped, 'companion', pathIn(folder.path, name))
    for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      await this.#io.checkpoint()
      const path = pathIn(folder.path, name)
      const next: Step = of.pattern ? { ...of.pattern.next(step, name), isNamed: step.isNamed } : step
      const { isMatch, isOpen, isNamed } = next
      const candidate = { path, root: of.root, isFound: true, real: join(folder.real, name) }
      const isSession = names.has(`${name}.jsonl`)
      if (!isMatch && !isOpen && !isNamed) continue
      if (conversation.read.has(name)) continue
      if (isStorage && !sessionHomes.includes(name)) {
        if (!readWithSessions.includes(name)) addSkipped(this.skipped, 'companion', path)
        continue
      }
      if (kind !== 'directory' && this.#isOtherPolicy(candidate)) addSkipped(this.skipped, 'policy not applied', path)
      if (name.startsWith('.') && !isMatch && !isOpen) addSkipped(this.skipped, 'hidden', path)
      else if (this.#exclude(path)) continue
      // Claude Code stores large tool results in a folder beside the session, with its name.
      else if (isOfSession && name === 'tool-results' && !isMatch) addSkipped(this.skipped, 'companion', path)
      else if (kind === 'link') await this.#follow(path, of, isSession, next)
      else if (kind === 'directory') await this.#walk({ path, real: candidate.real }, of, isSession, inside(next))
      else if (isMatch || isNamed) await this.#addFile(candidate, kind, isMatch)
    }
  }

  #isOtherPolicy({ path, real }: Pick<Candidate, 'path' | 'real'>): boolean {
    const isNested = () => dirname(this.#io.resolve(path)) !== this.#io.resolve('.')
    return this.#lookup.isPolicy?.(basename(path)) === true && !this.#filter.isOwn(real) && isNested()
  }

  /** Add a file that is found. One that a pattern matches is a candidate whatever its name is. */
  async #addFile(candidate: Omit<Candidate, 'gap'>, kind: PathKind, isMatch: boolean): Promise<void> {
    if (kind === 'other' && isMatch && this.#lookup.keepsGaps)
      this.#put({ ...candidate, gap: { why: 'unreadable', detail: 'it is a pipe, a socket or a device' } })
    else if (kind === 'other') addSkipped(this.skipped, 'special file', candidate.path)
    else if (isMatch || isTranscriptFile(candidate.path) || isTranscriptFile(candidate.real)) this.#put(candidate)
    else {
      const ends = await this.#io.readEnds(candidate.path, headBytes).catch(() => undefined)
      const head = ends?.head ?? new Uint8Array()
      if (isText(candidate.path) && isTranscript(head)) this.#put(candidate)
      // A backup or a rotated file, such as `export.jsonl.1`, may repeat another one, or be the only one.
      else addSkipped(this.skipped, isJson(head) && isTranscript(head) ? 'other name' : 'other file', candidate.path)
    }
  }

  #entriesOf(folder: Place, root: string): ReturnType<InputFiles['readDirectory']> {
    return this.#io.readDirectory(folder.path || '.').catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      const candidate = { path: folder.path, root, isFound: folder.path !== root, real: folder.real }
      this.#gap(candidate, { why: 'unreadable', detail: `the folder is not readable (${code})` }, error)
      return []
    })
  }

  async #follow(path: string, of: Walk, isOfSession: boolean, step: Step): Promise<void> {
    const candidate = { path, root: of.root, isFound: true }
    const isWanted = step.isMatch || step.isNamed
    const target = await this.#resolveLink(candidate, isWanted)
    if (!target) return
    const { real, kind } = target
    if (!isWanted && !(kind === 'directory' && step.isOpen)) return
    const isFollowed = this.#lookup.followLinks || of.bounds.some((bound) => isInside(bound, real))
    const isOther = kind === 'file' && !step.isMatch && !isTranscriptFile(path) && !isTranscriptFile(real)
    if (isFollowed && kind === 'directory') await this.#walk(target, of, isOfSession, inside(step))
    else if (isFollowed || isOther || kind === 'other') await this.#addFile({ ...candidate, real }, kind, step.isMatch)
    else {
      const detail = `the link leads to ${real}; --follow-links follows it`
      this.#put({ ...candidate, real, gap: { why: 'link not followed', detail } }, `link to ${real}`)
    }
  }

  async #addFolder(folder: Place, root: string, pattern?: Pattern): Promise<void> {
    const { real } = folder
    const repository = repositoryOf(this.#io, real)
    const bounds = repository === undefined ? [real] : [real, repository]
    const of = { root, bounds, walked: new Set<string>(), ...(pattern && { pattern }) }
    await this.#walk(folder, of, false, pattern ? { ...pattern.start, isNamed: false } : named)
  }

  /** A pattern means the files and folders that it matches. Its braces name paths, which must be there. */
  async #addMatches(text: string): Promise<void> {
    for (const each of await alternativesIn(text)) {
      if (!isPattern(each)) {
        await this.add(each)
        continue
      }
      const { folder, pattern } = await globOf(each)
      const real = await this.#io.realPath(folder || '.').catch(() => undefined)
      if (real !== undefined) await this.#addFolder({ path: folder, real }, each, pattern)
    }
  }
}

/** The number of links among the folders of a path and itself. */
async function linksIn(io: InputFiles, path: string): Promise<number> {
  let links = 0
  for (let at = io.resolve(path); at !== dirname(at); at = dirname(at)) if ((await io.linkAt(at)) !== undefined) links++
  return links
}

/** The step into a folder: it is named if the pattern matches it. */
const inside = (step: Step): Step => (step.isOpen ? { ...step, isNamed: step.isNamed || step.isMatch } : named)

function repositoryOf(io: Pick<InputFiles, 'isThere'>, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (['.git', '.dvc'].some((name) => io.isThere(join(at, name)))) return at
    if (at === dirname(at)) return undefined
  }
}

const isMissing = (code: string): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)

export function unreadable(path: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === undefined) throw error
  const why = isMissing(code) ? 'no such file or directory' : `it is not readable (${code})`
  throw new InputProblem('unreadable', `${path}: ${why}.`, { cause: error })
}
